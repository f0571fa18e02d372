import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DiscoveryError } from "../errors.js";
import { ALL_CLIENTS, collectServers, type CollectParts } from "./collect.js";
import type { ServerEntry, SourceEntry } from "./options.js";

let root: string;
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), "collect-"))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, content: string): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

function collect(parts: Partial<CollectParts>) {
  return collectServers({ servers: [], sources: [], baseDir: join(root, "base"), home: join(root, "home"), ...parts });
}

function client(path: string, mcpServers: object): SourceEntry {
  write(path, JSON.stringify({ mcpServers }));
  return { type: "claude-desktop", path: join(root, path) };
}

const server = (name: string, command: string, more: Partial<ServerEntry> = {}): ServerEntry => ({
  name,
  command,
  enabled: true,
  ...more,
});

describe("the configuration's own servers", () => {
  it("become definitions, whichever way they are written", async () => {
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
    expect(servers).toEqual([
      {
        name: "flat",
        description: "d",
        connection: {
          kind: "stdio",
          command: join(root, "home/bin/x"),
          args: ["~/y"],
          env: { A: "${B}" },
          cwd: join(root, "base/sub"),
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

  it("come from inline when there is no file", async () => {
    expect((await collect({ servers: [server("a", "x")] })).servers[0]?.origin).toBe("inline");
  });
});

describe("a source", () => {
  it("of type custom names its servers by key, and describes them by title where it must", async () => {
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
      { name: "tracker", description: "Issue Tracker", connection: { cwd: join(root, "base") }, origin: file },
      { name: "wiki", description: "Pages", connection: { kind: "http" } },
    ]);
    expect(collected.servers[0]?.manifest).toEqual([
      { name: "create_issue", description: "Create an issue", inputSchema: { type: "object" } },
    ]);
  });

  it.each(["docker-mcp", "claude-desktop", "windsurf"] as const)(
    "of type %s tolerates comments, a byte order mark and members of the other program",
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

  it("of another program may have no servers at all", async () => {
    write("base/c.json", "{}");
    expect((await collect({ sources: [{ type: "windsurf", path: "c.json" }] })).sources).toMatchObject([
      { status: "ok", servers: 0 },
    ]);
  });

  it("that is not there is a notice, and the others stand", async () => {
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
    expect(notices).toEqual(["The source windsurf was not found at ~/no.json."]);
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
      ":1:1: server: is not a known key; the only one here is servers",
    ],
    ["NUL characters", "custom", "a: \0", ": holds NUL characters; save it as UTF-8 text"],
  ])("with %s is broken, and the others stand", async (_, type, text, ending) => {
    const file = write("bad", text);
    const good = client("good.json", { a: { command: "x" } });
    const { servers, problems, sources } = await collect({ sources: [{ type, path: file }, good] });
    expect(sources.map(({ status }) => status)).toEqual(["broken", "ok"]);
    expect(sources[0]?.message).toBe(`${file}${ending}`);
    expect(problems).toHaveLength(1);
    expect(servers.map(({ name }) => name)).toEqual(["a"]);
  });

  it("loses only the entries that are wrong, each named with its place", async () => {
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

  it("is found through variables in its path, and broken when they are not set", async () => {
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
      "are one when they connect to the same",
      [{ a: { command: "x" } }, { a: { command: "x", args: [] } }],
      ["own", "a"],
      1,
    ],
    ["are two when they do not", [{ a: { command: "x" } }, { a: { command: "y" } }], ["own", "a", "a-2"], 1],
    [
      "are counted on",
      [{ a: { command: "x" } }, { a: { command: "y" } }, { a: { command: "z" } }],
      ["own", "a", "a-2", "a-3"],
      2,
    ],
    [
      "are one with a renamed one too",
      [{ a: { command: "x" } }, { a: { command: "y" } }, { a: { command: "y" } }],
      ["own", "a", "a-2"],
      2,
    ],
    ["are compared ignoring case", [{ Own: { command: "y" } }], ["own", "Own-2"], 1],
    ["let the configuration's own win", [{ own: { url: "http://x" } }], ["own", "own-2"], 1],
    [
      "do not take a name that is there",
      [{ "own-2": { command: "q" } }, { own: { command: "y" } }],
      ["own", "own-2", "own-3"],
      1,
    ],
    [
      "stay within the longest name",
      [{ ["n".repeat(64)]: { command: "x" } }, { ["n".repeat(64)]: { command: "y" } }],
      ["own", "n".repeat(64), `${"n".repeat(62)}-2`],
      1,
    ],
  ])("%s", async (_, groups, expected, reports) => {
    const merged = await names(...groups);
    expect(merged.names).toEqual(expected);
    expect(merged.notices).toHaveLength(reports);
  });

  it("are reported with both places", async () => {
    const { notices } = await names({ own: { command: "y" } });
    expect(notices).toEqual([
      `The server "own" of ${join(root, "0.json")} was renamed to "own-2": "own" of inline has that name.`,
    ]);
  });

  it("never include this gateway itself", async () => {
    const { names: found, notices } = await names({ gateway: { command: "npx", args: ["-y", "@anygpt/discovery"] } });
    expect(found).toEqual(["own"]);
    expect(notices).toEqual([
      `The server "gateway" of ${join(root, "0.json")} is this gateway itself and was left out.`,
    ]);
  });
});

describe("a program's files without a path", () => {
  const system = () => ({ platform: "linux", home: join(root, "home"), cwd: join(root, "project"), env: {} });
  const all = (more: Partial<CollectParts> = {}) =>
    collect({ sources: [{ type: "cursor" }, { type: "gemini-cli" }], system: system(), ...more });

  beforeEach(() => {
    write("home/.cursor/mcp.json", JSON.stringify({ mcpServers: { mine: { command: "m" } } }));
    write("project/.cursor/mcp.json", JSON.stringify({ mcpServers: { theirs: { command: "t" } } }));
  });

  it("are looked for where it keeps them", async () => {
    const { servers, sources, notices, files, origins, untrusted } = await all();
    expect(servers.map(({ name }) => name)).toEqual(["mine"]);
    expect(sources).toEqual([
      {
        type: "cursor",
        path: join(root, "project/.cursor/mcp.json"),
        status: "untrusted",
        servers: 0,
        message: "came with the project and is not trusted",
      },
      { type: "cursor", path: join(root, "home/.cursor/mcp.json"), status: "ok", servers: 1, names: ["mine"] },
      {
        type: "gemini-cli",
        path: join(root, "project/.gemini/settings.json"),
        status: "missing",
        servers: 0,
        message: "not found",
      },
    ]);
    expect(notices).toEqual([`The source gemini-cli was not found at ${join(root, "project/.gemini/settings.json")}.`]);
    for (const file of ["home/.cursor/mcp.json", "home/.gemini/settings.json"])
      expect(files).toContain(join(root, file));
    expect(untrusted).toMatchObject([{ file: join(root, "project/.cursor/mcp.json"), effects: ["theirs starts t"] }]);
    expect(Object.fromEntries(origins)).toMatchObject({
      mine: { client: "cursor", file: join(root, "home/.cursor/mcp.json"), path: "mcpServers.mine", line: 1 },
    });
  });

  it("that came with the project and would do nothing need nobody's trust", async () => {
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

  it("are the person's own in the home folder, though a project could have them", async () => {
    const { servers, sources } = await all({ system: { ...system(), cwd: join(root, "home") } });
    expect(servers.map(({ name }) => name)).toEqual(["mine"]);
    expect(sources.map(({ type, status }) => [type, status])).toEqual([
      ["cursor", "ok"],
      ["gemini-cli", "missing"],
    ]);
  });

  it("that are one of many in a folder are looked for there", async () => {
    const { files } = await all({ sources: [{ type: "continue" }, { type: "vscode" }] });
    for (const folder of ["home/.continue/mcpServers", "home/.config/Code/User/profiles"])
      expect(files).toContain(join(root, folder));
  });

  it("say what was left out of each and why", async () => {
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
        { name: "same", kind: "duplicate", reason: "the same as mine" },
        { name: "gw", kind: "gateway", reason: "this gateway itself" },
      ],
    });
  });

  it("of every program are found without a word on those that are not there", async () => {
    const { servers, notices, sources, absent } = await all({ sources: ALL_CLIENTS, isImplicit: true });
    expect(servers.map(({ name }) => name)).toEqual(["mine"]);
    expect(sources.map(({ status }) => status)).toEqual(["untrusted", "ok"]);
    expect(notices).toEqual([]);
    expect(absent.map(({ type }) => type)).toEqual(
      ALL_CLIENTS.flatMap(({ type }) => (type === "cursor" ? [] : [type])),
    );
  });

  it("that came with the project are used once they are trusted, by what they hold", async () => {
    const asked: string[] = [];
    const isTrusted = ({ path, bytes, hash }: { path: string; bytes: Uint8Array; hash: string }) => {
      asked.push(path);
      return bytes.length > 0 && hash.length === 64;
    };
    const { servers } = await all({ isTrusted });
    expect(servers.map(({ name }) => name)).toEqual(["theirs", "mine"]);
    expect(asked).toEqual([join(root, "project/.cursor/mcp.json")]);
  });

  it("leave out what is disabled there, and hide what is hidden there", async () => {
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

  it("that are hostile cost nothing but themselves", async () => {
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

  it("that are broken are reported with line and column, and the others stand", async () => {
    write("home/.gemini/settings.json", '{\n  "mcpServers": {,}\n}');
    const { servers, problems } = await all();
    expect(servers.map(({ name }) => name)).toEqual(["mine"]);
    expect(problems).toMatchObject([{ file: join(root, "home/.gemini/settings.json"), line: 2, column: 18 }]);
  });
});

describe("a file that was good before", () => {
  it.each<[string, SourceEntry, string]>([
    ["another program's", { type: "cursor", path: "c" }, '{"mcpServers": {"a": {"command": "x"}}}'],
    ["a custom one", { type: "custom", path: "c" }, "servers:\n  a: {command: x}\n"],
  ])("and is broken now counts as it was: %s", async (_, source, good) => {
    write("base/c", good);
    const previous = await collect({ sources: [source] });
    write("base/c", "{");
    const now = await collect({ sources: [source], previous });
    const later = await collect({ sources: [source], previous: now });
    for (const { servers, sources, problems } of [now, later]) {
      expect(servers).toEqual(previous.servers);
      expect(sources).toMatchObject([{ status: "broken", servers: 1, names: ["a"] }]);
      expect(sources[0]?.message).toMatch(/; what it held before is in use$/);
      expect(problems).toHaveLength(1);
    }
    rmSync(join(root, "base/c"));
    expect((await collect({ sources: [source], previous: later })).servers).toEqual([]);
  });
});

describe("a file of environment variables", () => {
  it("gives its variables to the server, weaker than the server's own and taken as they are", async () => {
    const file = write("base/.env.x", "A=1\nB='${C}'\nD=file\n");
    const { servers, files } = await collect({
      servers: [server("s", "x", { envFile: ".env.x", env: { D: "own" } })],
      trustsFolder: true,
    });
    expect(servers[0]?.connection).toMatchObject({ env: { A: "1", B: "$${C}", D: "own" } });
    expect(files).toEqual([file]);
  });

  it("that is not there is a problem, and the server stands", async () => {
    const { servers, problems } = await collect({ servers: [server("s", "x", { envFile: "/no/file" })] });
    expect(servers).toHaveLength(1);
    expect(problems).toEqual([{ file: "/no/file", path: "", reason: 'does not exist; "s" wants it as envFile' }]);
  });

  it("does not concern a remote server", async () => {
    write("base/c.json", JSON.stringify({ mcpServers: { r: { url: "https://x/mcp", envFile: "/no/file" } } }));
    const { problems } = await collect({ sources: [{ type: "cursor", path: "c.json" }] });
    expect(problems).toEqual([]);
  });
});

describe("in a folder that anybody may have filled", () => {
  const system = () => ({ platform: "linux", home: join(root, "home"), cwd: join(root, "clone"), env: {} });
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
      paths.some((trusted) => join(root, trusted) === path);

  it.each([
    ["in it", "clone/.env"],
    ["that is a link in it to the person's own", "clone/link.env"],
    ["elsewhere that is a link into it", "home/link.env"],
  ])("a file of variables %s waits for trust", async (_, path) => {
    write("clone/.env", "A=1\n");
    write("home/own.env", "A=1\n");
    symlinkSync(join(root, "home/own.env"), join(root, "clone/link.env"));
    symlinkSync(join(root, "clone/.env"), join(root, "home/link.env"));
    const file = join(root, path);
    const own = { servers: [server("s", "x", { envFile: file })] };
    const barred = await inClone(own);
    expect(envOf(barred)).toEqual([{}]);
    expect(barred.untrusted).toMatchObject([{ file, effects: ["sets A for s"] }]);
    const trusted = await inClone({ ...own, isTrusted: trusting(path) });
    expect(envOf(trusted)).toEqual([{ A: "1" }]);
    expect(trusted.untrusted).toEqual([]);
  });

  it("a file of variables never says what every program runs, trusted or not", async () => {
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
        `${file} sets ${bad.join(", ")}, which no file of a project may set for "s".`,
      ]);
    }
    expect(
      envOf(
        await inClone({ ...own, system: { ...system(), home: join(root, "clone") }, home: join(root, "clone") }),
      )[0],
    ).toHaveProperty("NODE_OPTIONS", "x");
  });

  it("the person's file of variables elsewhere is theirs", async () => {
    const file = write("home/own.env", "NODE_OPTIONS=x\n");
    expect(envOf(await inClone({ servers: [server("s", "x", { envFile: file })] }))).toEqual([{ NODE_OPTIONS: "x" }]);
  });

  it.each([
    ["command", { command: "${workspaceFolder}/run" }],
    ["argument", { command: "node", args: ["${workspaceRoot}/run.js"] }],
    ["relative folder", { command: "node", cwd: "." }],
    ["file of variables", { command: "node", envFile: "${workspaceFolder}/.env" }],
  ])(
    "a person's server of another program that depends on the folder by its %s waits for trust of it",
    async (_, entry) => {
      write("clone/.env", "NODE_OPTIONS=x\n");
      const sources = cursor({ bound: entry, free: { command: "f", env: { N: "${workspaceFolderBasename}" } } });
      const barred = await inClone(sources);
      expect(barred.servers.map(({ name }) => name)).toEqual(["free"]);
      expect(barred.untrusted).toMatchObject([{ file: join(root, "clone"), content: new Uint8Array() }]);
      expect(barred.untrusted[0]?.effects[0]).toMatch(/^bound starts /);
      expect(barred.sources[0]?.message).toBe(`bound would use files of ${join(root, "clone")}, which is not trusted`);
      const trusted = await inClone({ ...sources, isTrusted: trusting("clone") });
      expect(trusted.servers.map(({ name }) => name)).toEqual(["bound", "free"]);
      expect(trusted.untrusted).toEqual([]);
    },
  );

  it("servers start where whoever wrote them down keeps things", async () => {
    write("clone/.cursor/mcp.json", JSON.stringify({ mcpServers: { theirs: { command: "t" } } }));
    write("base/named.json", JSON.stringify({ mcpServers: { named: { command: "n" } } }));
    write("base/custom.yaml", "servers: { custom: { command: c } }");
    const { sources = [] } = cursor({ mine: { command: "m" }, said: { command: "s", cwd: "/said" } });
    const { servers } = await inClone({
      servers: [server("own", "o")],
      sources: [...sources, { type: "windsurf", path: "named.json" }, { type: "custom", path: "custom.yaml" }],
      folder: "/config",
      isTrusted: () => true,
    });
    expect(servers.map(({ name, connection }) => [name, "cwd" in connection ? connection.cwd : undefined])).toEqual([
      ["own", "/config"],
      ["theirs", join(root, "clone")],
      ["mine", join(root, "home")],
      ["said", "/said"],
      ["named", "/config"],
      ["custom", "/config"],
    ]);
  });

  it.each<[string, SourceEntry["type"], string]>([
    ["a custom file", "custom", "servers: { a: { command: x } }"],
    ["another program's file", "cursor", '{"mcpServers": {"a": {"command": "x"}}}'],
  ])("%s that a project's configuration names there is not trusted with it", async (_, type, text) => {
    const file = write("clone/tools/named", text);
    const parts = { sources: [{ type, path: "tools/named" }], baseDir: join(root, "clone"), isProjects: true };
    const barred = await inClone(parts);
    expect(barred.servers).toEqual([]);
    expect(barred.sources).toMatchObject([{ status: "untrusted" }]);
    expect(barred.untrusted).toMatchObject([{ file, effects: ["a starts x"] }]);
    expect((await inClone({ ...parts, isTrusted: trusting("clone/tools/named") })).servers).toHaveLength(1);
    expect((await inClone({ ...parts, isProjects: false })).servers).toHaveLength(1);
    const variable = { ...parts, isProjects: false, resolve: () => file };
    expect((await inClone({ ...variable, sources: [{ type, path: "${PWD}/tools/named" }] })).servers).toEqual([]);
  });
});
