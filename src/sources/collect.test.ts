import { rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { server, setUpSources } from "../../test/support/source-files.js";
import { DiscoveryError } from "../errors.js";
import type { SourceEntry } from "./options.js";

const { at, write, collect, client } = setUpSources();

describe("servers of the configuration", () => {
  it("are compiled from every entry format", async () => {
    const { servers } = await collect({
      servers: [
        server("flat", "~/bin/x", { args: ["~/y"], env: { A: "${B}" }, cwd: "sub", description: "d" }),
        { name: "nested", enabled: true, connection: { type: "sse", url: "http://x", headers: { h: "1" } } },
        { name: "remote", enabled: true, type: "streamableHttp", url: "http://y" },
        server("manifest", "x", { tools: [{ name: "t", description: "does" }], cwd: "${ROOT}/z" }),
        server("off", "x", { enabled: false }),
      ],
      file: "config.json",
    });
    const origin = "config.json";
    expect(servers.map(({ isOwn: _isOwn, ...server }) => server)).toEqual([
      {
        name: "flat",
        description: "d",
        connection: {
          kind: "stdio",
          command: at("home/bin/x"),
          args: ["~/y"],
          env: { A: "${B}" },
          cwd: at("base/sub"),
        },
        manifest: [],
        origin,
      },
      { name: "nested", connection: { kind: "sse", url: "http://x", headers: { h: "1" } }, manifest: [], origin },
      { name: "remote", connection: { kind: "http", url: "http://y", headers: {} }, manifest: [], origin },
      {
        name: "manifest",
        connection: { kind: "stdio", command: "x", args: [], env: {}, cwd: "${ROOT}/z" },
        manifest: [{ name: "t", description: "does", inputSchema: { type: "object" } }],
        origin,
      },
    ]);
  });

  it("have the origin `inline` without a file", async () => {
    expect((await collect({ servers: [server("a", "x")] })).servers[0]?.origin).toBe("inline");
  });
});

describe("a source", () => {
  it("of type custom names servers by key, and uses the title if there is no description", async () => {
    const file = write(
      "base/my.yaml",
      [
        "servers:",
        "  tracker:",
        "    name: 'Issue Tracker'",
        "    connection: { type: stdio, command: npx, args: ['-y', tracker-mcp], cwd: . }",
        "    tools:",
        "      - { name: create_issue, description: Create an issue }",
        "  wiki: { name: Wiki, description: Pages, url: 'https://wiki/mcp' }",
        "  off: { command: x, enabled: false }",
      ].join("\n"),
    );
    const collected = await collect({ sources: [{ type: "custom", path: "./my.yaml" }] });
    expect(collected.sources).toEqual([
      { type: "custom", path: "./my.yaml", status: "ok", servers: 2, names: ["tracker", "wiki"] },
    ]);
    expect(collected.servers).toMatchObject([
      { name: "tracker", description: "Issue Tracker", connection: { cwd: at("base") }, origin: file },
      { name: "wiki", description: "Pages", connection: { kind: "http" } },
    ]);
    expect(collected.servers[0]?.manifest).toEqual([
      { name: "create_issue", description: "Create an issue", inputSchema: { type: "object" } },
    ]);
  });

  it.each(["docker-mcp", "claude-desktop", "windsurf"] as const)(
    "of type %s may have comments, a byte order mark and unknown keys",
    async (type) => {
      write(
        "home/c.json",
        '\uFEFF// mine\n{ "theme": 1, "mcpServers": { "a": { "command": "x", "alwaysAllow": [], "tools": ["*"], "name": 5, "env": {"A": "b"}, }, "b": { "command": "y", "disabled": true } }, }',
      );
      const { servers, problems, sources } = await collect({ sources: [{ type, path: "~/c.json" }] });
      expect(problems).toEqual([]);
      expect(sources).toEqual([
        {
          type,
          path: "~/c.json",
          status: "ok",
          servers: 1,
          names: ["a"],
          skipped: [{ name: "b", kind: "disabled", reason: "`disabled` is true" }],
        },
      ]);
      expect(servers).toMatchObject([{ name: "a", connection: { command: "x", env: { A: "b" } } }]);
    },
  );

  it("of another program may have no servers", async () => {
    write("base/c.json", "{}");
    expect((await collect({ sources: [{ type: "windsurf", path: "c.json" }] })).sources).toMatchObject([
      { status: "ok", servers: 0 },
    ]);
  });

  it("that does not exist gives a notice, and the others are used", async () => {
    const there = client("there.json", { a: { command: "x" } });
    const { servers, problems, sources, notices } = await collect({
      sources: [{ type: "windsurf", path: "~/no.json" }, there],
    });
    expect(problems).toEqual([]);
    expect(sources[0]).toEqual({
      type: "windsurf",
      path: "~/no.json",
      status: "missing",
      servers: 0,
      message: "not found",
    });
    expect(notices).toEqual(["The source windsurf was not found: ~/no.json does not exist."]);
    expect(servers.map(({ name }) => name)).toEqual(["a"]);
  });

  it.each<[string, SourceEntry["type"], string, string]>([
    ["broken JSON", "claude-desktop", '{ "mcpServers": ', ":1:17: expected a value"],
    [
      "a duplicate key",
      "docker-mcp",
      '{ "mcpServers": { "a": {}, "a": {} } }',
      ":1:28: mcpServers.a: is written twice",
    ],
    ["a list", "claude-desktop", "[]", ':1:1: must be a map with the key "mcpServers"'],
    ["a list of servers", "windsurf", '{ "mcpServers": [] }', ":1:3: mcpServers: must be a map of servers by name"],
    ["no servers in a custom file", "custom", "{}", ":1:1: servers: must be a map of servers by name"],
    [
      "other keys in a custom file",
      "custom",
      "server: {}",
      ":1:1: server: is not a known key; the only allowed key is servers",
    ],
    ["NUL characters", "custom", "a: \0", ": contains NUL characters; save it as UTF-8 text"],
  ])("with %s is broken, and the others are used", async (_, type, text, ending) => {
    const file = write("bad", text);
    const good = client("good.json", { a: { command: "x" } });
    const { servers, problems, sources } = await collect({ sources: [{ type, path: file }, good] });
    expect(sources.map(({ status }) => status)).toEqual(["broken", "ok"]);
    expect(sources[0]?.message).toBe(`${file}${ending}`);
    expect(problems).toHaveLength(1);
    expect(servers.map(({ name }) => name)).toEqual(["a"]);
  });

  it("is used without its invalid entries, each reported with its position", async () => {
    const file = write(
      "base/my.yaml",
      "servers:\n  good: {command: x}\n  bad: {comand: x}\n  'a:b': {command: x}\n  worse: 5\n",
    );
    const { servers, problems, sources } = await collect({ sources: [{ type: "custom", path: "my.yaml" }] });
    expect(servers.map(({ name }) => name)).toEqual(["good"]);
    expect(problems).toMatchObject([
      { file, path: "servers.bad.comand", line: 3, reason: 'is not a known key; did you mean "command"?' },
      { path: "servers.bad", line: 3, reason: "needs a `command` or a `url`" },
      { path: 'servers["a:b"]', line: 4 },
      { path: "servers.worse", line: 5, reason: "must be a map of keys, not a number" },
    ]);
    expect(sources[0]).toMatchObject({ status: "ok", servers: 1 });
    expect(sources[0]?.message).toContain("my.yaml:3:9: servers.bad.comand");
  });

  it("may have variables in its path, and is broken if they are not set", async () => {
    client("base/c.json", { a: { command: "x" } });
    const resolve = (text: string): string => {
      if (text.includes("NONE")) throw new DiscoveryError("CONFIGURATION_ERROR", "The variable NONE is not set.");
      return text.replace("${DIR}", ".");
    };
    const sources: SourceEntry[] = ["${DIR}/c.json", "${NONE}/c.json"].map((path) => ({ type: "windsurf", path }));
    const collected = await collect({ sources, resolve, trustsFolder: true });
    expect(collected.sources.map(({ status }) => status)).toEqual(["ok", "broken"]);
    expect(collected.problems).toEqual([{ file: "${NONE}/c.json", path: "", reason: "The variable NONE is not set." }]);
  });
});

describe("servers of the same name", () => {
  const names = async (...groups: Record<string, object>[]) => {
    const sources = groups.map((group, index) => client(`${index}.json`, group));
    const { servers, notices } = await collect({ servers: [server("own", "o")], sources });
    return { names: servers.map(({ name }) => name), notices };
  };

  it.each<[string, Record<string, object>[], string[], number]>([
    [
      "are one server if they have the same connection",
      [{ a: { command: "x" } }, { a: { command: "x", args: [] } }],
      ["own", "a"],
      1,
    ],
    [
      "are two servers if they have different connections",
      [{ a: { command: "x" } }, { a: { command: "y" } }],
      ["own", "a", "a-2"],
      1,
    ],
    [
      "get consecutive numbers",
      [{ a: { command: "x" } }, { a: { command: "y" } }, { a: { command: "z" } }],
      ["own", "a", "a-2", "a-3"],
      2,
    ],
    [
      "are duplicates of a renamed server too",
      [{ a: { command: "x" } }, { a: { command: "y" } }, { a: { command: "y" } }],
      ["own", "a", "a-2"],
      2,
    ],
    ["are compared case-insensitively", [{ Own: { command: "y" } }], ["own", "Own-2"], 1],
    ["are renamed if the configuration has a server of that name", [{ own: { url: "http://x" } }], ["own", "own-2"], 1],
    [
      "do not get a name that is taken",
      [{ "own-2": { command: "q" } }, { own: { command: "y" } }],
      ["own", "own-2", "own-3"],
      1,
    ],
    [
      "stay within the maximum name length",
      [{ ["n".repeat(64)]: { command: "x" } }, { ["n".repeat(64)]: { command: "y" } }],
      ["own", "n".repeat(64), `${"n".repeat(62)}-2`],
      1,
    ],
  ])("%s", async (_, groups, expected, reports) => {
    const merged = await names(...groups);
    expect(merged.names).toEqual(expected);
    expect(merged.notices).toHaveLength(reports);
  });

  it("are reported with both files", async () => {
    const { notices } = await names({ own: { command: "y" } });
    expect(notices).toEqual([
      `The server "own" from ${at("0.json")} was renamed to "own-2", because "own" from inline has the same name.`,
    ]);
  });

  it("are skipped if they are this gateway itself", async () => {
    const { names: found, notices } = await names({ gateway: { command: "npx", args: ["-y", "@anygpt/discovery"] } });
    expect(found).toEqual(["own"]);
    expect(notices).toEqual([`The server "gateway" from ${at("0.json")} is this gateway itself and was skipped.`]);
  });
});

describe("a file that was valid before", () => {
  it.each<[string, SourceEntry, string]>([
    ["a file of another program", { type: "cursor", path: "c" }, '{"mcpServers": {"a": {"command": "x"}}}'],
    ["a custom file", { type: "custom", path: "c" }, "servers:\n  a: {command: x}\n"],
  ])("and is broken now keeps its servers (%s)", async (_, source, good) => {
    write("base/c", good);
    const previous = await collect({ sources: [source] });
    write("base/c", "{");
    const now = await collect({ sources: [source], previous });
    const later = await collect({ sources: [source], previous: now });
    for (const { servers, sources, problems } of [now, later]) {
      expect(servers).toEqual(previous.servers);
      expect(sources).toMatchObject([{ status: "broken", servers: 1, names: ["a"] }]);
      expect(sources[0]?.message).toMatch(/; the servers of its last valid version stay in use$/);
      expect(problems).toHaveLength(1);
    }
    rmSync(at("base/c"));
    expect((await collect({ sources: [source], previous: later })).servers).toEqual([]);
  });
});

describe("an env file", () => {
  it("adds its variables to the server without expansion; the server's own variables win", async () => {
    const file = write("base/.env.x", "A=1\nB='${C}'\nD=file\n");
    const { servers, files } = await collect({
      servers: [server("s", "x", { envFile: ".env.x", env: { D: "own" } })],
      trustsFolder: true,
    });
    expect(servers[0]?.connection).toMatchObject({ env: { A: "1", B: "$${C}", D: "own" } });
    expect(files).toEqual([file]);
  });

  it("is parsed as a .env file, and an invalid line is reported once", async () => {
    const file = write("base/.env.x", 'export A="a\\tb\\"c"\nB=`x`\ns3cret\nC=abc#s3cret\n');
    const { servers, notices } = await collect({
      servers: [server("s", "x", { envFile: ".env.x" }), server("t", "y", { envFile: ".env.x" })],
      trustsFolder: true,
    });
    const env = { A: 'a\tb"c', B: "x", C: "abc" };
    expect(servers.map(({ connection }) => connection)).toMatchObject([{ env }, { env }]);
    expect(notices).toEqual([
      `${file}:3 is not an assignment and was ignored.`,
      `${file}:4 has a comment right after a value; put the value in quotes if the # belongs to it.`,
    ]);
  });

  it("that does not exist is a problem, and the server is used", async () => {
    const { servers, problems } = await collect({ servers: [server("s", "x", { envFile: "/no/file" })] });
    expect(servers).toHaveLength(1);
    expect(problems).toEqual([
      { file: "/no/file", path: "", reason: 'does not exist; the server "s" has it as its envFile' },
    ]);
  });

  it("is ignored for a remote server", async () => {
    write("base/c.json", JSON.stringify({ mcpServers: { r: { url: "https://x/mcp", envFile: "/no/file" } } }));
    const { problems } = await collect({ sources: [{ type: "cursor", path: "c.json" }] });
    expect(problems).toEqual([]);
  });
});
