import { beforeEach, describe, expect, it } from "vitest";
import { setUpSources } from "../../test/support/source-files.js";
import { ALL_CLIENTS, type CollectParts } from "./collect.js";

const { at, write, collect } = setUpSources();

describe("a program's files without a path", () => {
  const system = () => ({ platform: "linux", home: at("home"), cwd: at("project"), env: {} });
  const all = (more: Partial<CollectParts> = {}) =>
    collect({ sources: [{ type: "cursor" }, { type: "gemini-cli" }], system: system(), ...more });

  beforeEach(() => {
    write("home/.cursor/mcp.json", JSON.stringify({ mcpServers: { mine: { command: "m" } } }));
    write("project/.cursor/mcp.json", JSON.stringify({ mcpServers: { theirs: { command: "t" } } }));
  });

  it("are read from the program's default paths", async () => {
    const { servers, sources, notices, files, origins, untrusted } = await all();
    expect(servers.map(({ name }) => name)).toEqual(["mine"]);
    expect(sources).toEqual([
      {
        type: "cursor",
        path: at("project/.cursor/mcp.json"),
        status: "untrusted",
        servers: 0,
        message: "is in the project folder and is not trusted",
      },
      { type: "cursor", path: at("home/.cursor/mcp.json"), status: "ok", servers: 1, names: ["mine"] },
      {
        type: "gemini-cli",
        path: at("project/.gemini/settings.json"),
        status: "missing",
        servers: 0,
        message: "not found",
      },
    ]);
    expect(notices).toEqual([
      `The source gemini-cli was not found: ${at("project/.gemini/settings.json")} does not exist.`,
    ]);
    for (const file of ["home/.cursor/mcp.json", "home/.gemini/settings.json"]) expect(files).toContain(at(file));
    expect(untrusted).toMatchObject([{ file: at("project/.cursor/mcp.json"), effects: ["theirs starts t"] }]);
    expect(Object.fromEntries(origins)).toMatchObject({
      mine: { client: "cursor", file: at("home/.cursor/mcp.json"), path: "mcpServers.mine", line: 1 },
    });
  });

  it("in the project need no trust if they have no effect", async () => {
    write(
      "project/.cursor/mcp.json",
      JSON.stringify({ mcpServers: { off: { command: "x", disabled: true }, gw: { command: "discovery" } } }),
    );
    const { untrusted, sources } = await all();
    expect(untrusted).toEqual([]);
    expect(sources[0]).toMatchObject({
      status: "ok",
      servers: 0,
      skipped: [{ kind: "disabled" }, { kind: "gateway" }],
    });
  });

  it("in the home folder belong to the user, even if their paths are also project paths", async () => {
    const { servers, sources } = await all({ system: { ...system(), cwd: at("home") } });
    expect(servers.map(({ name }) => name)).toEqual(["mine"]);
    expect(sources.map(({ type, status }) => [type, status])).toEqual([
      ["cursor", "ok"],
      ["gemini-cli", "missing"],
    ]);
  });

  it("are found by a path pattern", async () => {
    const { files } = await all({ sources: [{ type: "continue" }, { type: "vscode" }] });
    for (const folder of ["home/.continue/mcpServers", "home/.config/Code/User/profiles"])
      expect(files).toContain(at(folder));
  });

  it("are reported with the skipped servers and the reasons", async () => {
    write(
      "home/.gemini/settings.json",
      JSON.stringify({
        mcpServers: { same: { command: "m" }, mine: { command: "other" }, gw: { command: "discovery" } },
      }),
    );
    const { sources } = await all();
    expect(sources.at(-1)).toMatchObject({
      servers: 1,
      names: ["mine-2"],
      skipped: [
        { name: "same", kind: "duplicate", reason: "the same connection as mine" },
        { name: "gw", kind: "gateway", reason: "this gateway itself" },
      ],
    });
  });

  it("of every program are read, without notices for missing ones", async () => {
    const { servers, notices, sources, absent } = await all({ sources: ALL_CLIENTS, isImplicit: true });
    expect(servers.map(({ name }) => name)).toEqual(["mine"]);
    expect(sources.map(({ status }) => status)).toEqual(["untrusted", "ok"]);
    expect(notices).toEqual([]);
    expect(absent.map(({ type }) => type)).toEqual(
      ALL_CLIENTS.flatMap(({ type }) => (type === "cursor" ? [] : [type])),
    );
  });

  it("in the project are used once their content is trusted", async () => {
    const checked: string[] = [];
    const isTrusted = ({ path, bytes, hash }: { path: string; bytes: Uint8Array; hash: string }) => {
      checked.push(path);
      return bytes.length > 0 && hash.length === 64;
    };
    const { servers } = await all({ isTrusted });
    expect(servers.map(({ name }) => name)).toEqual(["theirs", "mine"]);
    expect(checked).toEqual([at("project/.cursor/mcp.json")]);
  });

  it("skip servers and hide tools that the program disables", async () => {
    const mcpServers = {
      off: { command: "o", disabled: true },
      some: { command: "s", includeTools: ["read"], excludeTools: ["drop"] },
    };
    write("home/.gemini/settings.json", JSON.stringify({ mcpServers }));
    const { servers, toolRules, sources } = await all();
    expect(servers.map(({ name }) => name)).toEqual(["mine", "some"]);
    expect(sources.at(-1)).toMatchObject({ type: "gemini-cli", servers: 1 });
    expect(toolRules).toEqual([
      { server: "some", pattern: ["drop"], enabled: false },
      { server: "some", pattern: ["*", "!read"], enabled: false },
    ]);
  });

  it("that are hostile do not affect other files", async () => {
    write(
      "home/.gemini/settings.json",
      '{"mcpServers": {"a:b\\u0000": {"command": "x"}, "bad": {"command": 5}, "worse": 7, "url": {"url": "file:///x"}}}',
    );
    const { servers, problems } = await all();
    expect(servers.map(({ name }) => name)).toEqual(["mine", "a-b"]);
    expect(problems.map(({ path, line, reason }) => [path, line, reason])).toEqual([
      ["mcpServers.bad.command", 1, "must be text, not a number; put it in quotes"],
      ["mcpServers.worse", 1, "must be a map of keys, not a number"],
      ["mcpServers.url.url", 1, "must be a web address that starts with http:// or https://"],
    ]);
  });

  it("that are broken are reported with line and column, and the others are used", async () => {
    write("home/.gemini/settings.json", '{\n  "mcpServers": {,}\n}');
    const { servers, problems } = await all();
    expect(servers.map(({ name }) => name)).toEqual(["mine"]);
    expect(problems).toMatchObject([{ file: at("home/.gemini/settings.json"), line: 2, column: 18 }]);
  });
});
