import { symlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { server, setUpSources } from "../../test/support/source-files.js";
import type { CollectParts } from "./collect.js";
import type { SourceEntry } from "./options.js";

const { at, write, collect } = setUpSources();

describe("in an untrusted folder", () => {
  const system = () => ({ platform: "linux", home: at("home"), cwd: at("clone"), env: {} });
  const inClone = (parts: Partial<CollectParts>) => collect({ system: system(), ...parts });
  const cursor = (mcpServers: object): Partial<CollectParts> => {
    write("home/.cursor/mcp.json", JSON.stringify({ mcpServers }));
    return { sources: [{ type: "cursor" }] };
  };
  const envOf = ({ servers }: Awaited<ReturnType<typeof collect>>) =>
    servers.map(({ connection }) => (connection.kind === "stdio" ? connection.env : {}));
  const trusting =
    (...paths: string[]): NonNullable<CollectParts["isTrusted"]> =>
    ({ path }) =>
      paths.some((trusted) => at(trusted) === path);

  it.each([
    ["in the folder", "clone/.env"],
    ["that is a link in the folder to the user's file", "clone/link.env"],
    ["in another folder that is a link into the folder", "home/link.env"],
  ])("an env file %s is not used until it is trusted", async (_, path) => {
    write("clone/.env", "A=1\n");
    write("home/own.env", "A=1\n");
    symlinkSync(at("home/own.env"), at("clone/link.env"));
    symlinkSync(at("clone/.env"), at("home/link.env"));
    const file = at(path);
    const own = { servers: [server("s", "x", { envFile: file })] };
    const untrustedResult = await inClone(own);
    expect(envOf(untrustedResult)).toEqual([{}]);
    expect(untrustedResult.untrusted).toMatchObject([{ file, effects: ["sets A for s"] }]);
    const trusted = await inClone({ ...own, isTrusted: trusting(path) });
    expect(envOf(trusted)).toEqual([{ A: "1" }]);
    expect(trusted.untrusted).toEqual([]);
  });

  it("an env file never sets variables that can run code, even if it is trusted", async () => {
    const bad = [
      "BASH_ENV",
      "DYLD_INSERT_LIBRARIES",
      "ENV",
      "LD_PRELOAD",
      "NODE_OPTIONS",
      "PYTHONSTARTUP",
      "Path",
      "npm_config_node_options",
    ];
    const file = write("clone/.env", `A=1\n${bad.map((name) => `${name}=x\n`).join("")}`);
    const own = { servers: [server("s", "x", { envFile: file })] };
    for (const more of [{ trustsFolder: true }, { isTrusted: () => true }]) {
      const collected = await inClone({ ...own, ...more });
      expect(envOf(collected)).toEqual([{ A: "1" }]);
      expect(collected.notices).toEqual([
        `${file} sets ${bad.join(", ")}: ignored for "s", because a project file may not set variables that can run code.`,
      ]);
    }
    expect(
      envOf(await inClone({ ...own, system: { ...system(), home: at("clone") }, home: at("clone") }))[0],
    ).toHaveProperty("NODE_OPTIONS", "x");
  });

  it("an env file of the user outside of the folder needs no trust", async () => {
    const file = write("home/own.env", "NODE_OPTIONS=x\n");
    expect(envOf(await inClone({ servers: [server("s", "x", { envFile: file })] }))).toEqual([{ NODE_OPTIONS: "x" }]);
  });

  it.each([
    ["command", { command: "${workspaceFolder}/run" }],
    ["argument", { command: "node", args: ["${workspaceRoot}/run.js"] }],
    ["relative folder", { command: "node", cwd: "." }],
    ["env file", { command: "node", envFile: "${workspaceFolder}/.env" }],
  ])(
    "an imported server of the user that depends on the folder by its %s is not used until the folder is trusted",
    async (_, entry) => {
      write("clone/.env", "NODE_OPTIONS=x\n");
      const sources = cursor({ bound: entry, free: { command: "f", env: { N: "${workspaceFolderBasename}" } } });
      const untrustedResult = await inClone(sources);
      expect(untrustedResult.servers.map(({ name }) => name)).toEqual(["free"]);
      expect(untrustedResult.untrusted).toMatchObject([{ file: at("clone"), content: new Uint8Array() }]);
      expect(untrustedResult.untrusted[0]?.effects[0]).toMatch(/^bound starts /);
      expect(untrustedResult.sources[0]?.message).toBe(`bound would use files in ${at("clone")}, which is not trusted`);
      const trusted = await inClone({ ...sources, isTrusted: trusting("clone") });
      expect(trusted.servers.map(({ name }) => name)).toEqual(["bound", "free"]);
      expect(trusted.untrusted).toEqual([]);
    },
  );

  it("servers start in the default working folder of their source", async () => {
    write("clone/.cursor/mcp.json", JSON.stringify({ mcpServers: { theirs: { command: "t" } } }));
    write("base/named.json", JSON.stringify({ mcpServers: { named: { command: "n" } } }));
    write("base/custom.yaml", "servers: { custom: { command: c } }");
    const { sources = [] } = cursor({ mine: { command: "m" }, explicit: { command: "s", cwd: "/explicit" } });
    const { servers } = await inClone({
      servers: [server("own", "o")],
      sources: [...sources, { type: "windsurf", path: "named.json" }, { type: "custom", path: "custom.yaml" }],
      folder: "/config",
      isTrusted: () => true,
    });
    expect(servers.map(({ name, connection }) => [name, "cwd" in connection ? connection.cwd : undefined])).toEqual([
      ["own", "/config"],
      ["theirs", at("clone")],
      ["mine", at("home")],
      ["explicit", "/explicit"],
      ["named", "/config"],
      ["custom", "/config"],
    ]);
  });

  it.each<[string, SourceEntry["type"], string]>([
    ["a custom file", "custom", "servers: { a: { command: x } }"],
    ["another program's file", "cursor", '{"mcpServers": {"a": {"command": "x"}}}'],
  ])("%s that a project's configuration names is not trusted together with it", async (_, type, text) => {
    const file = write("clone/tools/named", text);
    const parts = { sources: [{ type, path: "tools/named" }], baseDir: at("clone"), isProjectConfig: true };
    const untrustedResult = await inClone(parts);
    expect(untrustedResult.servers).toEqual([]);
    expect(untrustedResult.sources).toMatchObject([{ status: "untrusted" }]);
    expect(untrustedResult.untrusted).toMatchObject([{ file, effects: ["a starts x"] }]);
    expect((await inClone({ ...parts, isTrusted: trusting("clone/tools/named") })).servers).toHaveLength(1);
    expect((await inClone({ ...parts, isProjectConfig: false })).servers).toHaveLength(1);
    const variable = { ...parts, isProjectConfig: false, resolve: () => file };
    expect((await inClone({ ...variable, sources: [{ type, path: "${PWD}/tools/named" }] })).servers).toEqual([]);
  });
});
