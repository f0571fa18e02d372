import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type CliPlace, createCliPlace, toolServer } from "../../../../test/support/cli.js";
import { testServer } from "../../../../test/support/gateway.js";

const places: CliPlace[] = [];
const createPlace = (config?: object): CliPlace => {
  const place = createCliPlace(config);
  places.push(place);
  return place;
};
afterEach(() => {
  for (const place of places.splice(0)) place.remove();
});

const FILE = ".anygpt/mcp-discovery.config.json";
const tool = (name: string, description = `The tool ${name}`) => ({
  name,
  description,
  inputSchema: { type: "object" },
});

describe("config show", () => {
  it("shows the origin and the content of the configuration without starting a server", async () => {
    const place = createPlace({
      servers: { github: { ...testServer("faulty.mjs", "exit-now"), tools: [{ name: "a" }, { name: "delete_b" }] } },
      sources: [
        { type: "claude-desktop", path: "~/claude.json" },
        { type: "windsurf", path: "~/.windsurf/mcp.json" },
      ],
      execution: { timeoutMs: 5000 },
      toolRules: [
        { pattern: ["*github*", "/issue/"], tags: ["github", "issues"] },
        { pattern: "*delete*", enabled: false, tags: ["dangerous"] },
      ],
    });
    place.write("claude.json", { mcpServers: { files: { command: "files" } } });
    const { exit, stdout, stderr } = await place.run("mcp", "config", "show");
    expect(exit).toBe(0);
    expect(stdout).toMatch(/\nUpstreams: inheritEnv none, idleMs 300000, startTimeoutMs 30000, .*concurrency 16,/);
    expect(stdout.replace(/(?<=\nUpstreams: ).*/, "UPSTREAMS")).toBe(`MCP Discovery Configuration:

File: ${join(place.folder, FILE)}
Status: Enabled
Cache: Enabled (TTL: 3600s)

Sources (2):
  ✓ claude-desktop (~/claude.json)
  ✗ windsurf (~/.windsurf/mcp.json) - not found

Tool Rules (2):
  1. *github*, /issue/ → tags: [github, issues]  (line 1)
  2. *delete* → disabled, tags: [dangerous]  (line 1)

Search: limit 10, minRelevance 0, semantic true, usage true, suggestions true
Execution: timeoutMs 5000, maxTotalMs 900000, resultLimit 262144
Results: maxTokens 6000, servers none, tools none, keepMs 86400000, maxBytesPerActor 67108864, maxBytes 268435456, maxResultsPerActor 2000, maxResults 10000
Upstreams: UPSTREAMS
Policy: preset default, confirmation auto from destructive, pinning warn, no entries
Audit: Enabled
Store: ${join(place.folder, "state/store.db")}

Servers: 2 configured, 1 known
  github: stdio node  (line 1)
  files: stdio files  (claude-desktop, ~/claude.json:1)
Tools: 2 total, 1 enabled
`);
    expect(stderr).toBe("! The configuration has 1 notice. Run `anygpt mcp config validate` for details.\n");
  });

  it("shows the defaults if there is no file, and a disabled cache", async () => {
    const { stdout } = await createPlace().run("mcp", "config", "show");
    expect(stdout).toContain("File: none (built-in defaults, and the servers of your MCP clients)\n");
    const off = { enabled: false };
    const disabled = await createPlace({ ...off, cache: off, audit: off }).run("mcp", "config", "show");
    expect(disabled.stdout).toContain("Status: Disabled\nCache: Disabled\n");
    expect(disabled.stdout).toContain("\nAudit: Disabled\n");
  });

  it("prints every effective section as JSON", async () => {
    const place = createPlace({
      search: { limit: 3 },
      store: "/tmp/calls.db",
      policy: { preset: "strict", risk: [{ tools: "a", risk: "low" }], confirmation: { mode: "never" } },
    });
    expect((await place.run("mcp", "config", "show", "--json")).json()).toMatchObject({
      search: { limit: 3, minRelevance: 0, semantic: true },
      execution: { timeoutMs: 30_000 },
      upstreams: { idleMs: 300_000 },
      audit: { enabled: true },
      store: "/tmp/calls.db",
      policy: {
        preset: "strict",
        confirmation: { mode: "never", from: "high" },
        pinning: "enforce",
        keyRequiredFrom: { gateway: "high", elsewhere: "high" },
        entries: { risk: 1, distrust: 1, scopes: 0, rateLimits: 0, buckets: 0, idempotency: 0 },
      },
    });
    expect((await place.run("mcp", "config", "show")).stdout).toContain(
      "\nPolicy: preset strict, confirmation never, pinning enforce, 2 entries (risk 1, distrust 1)\n",
    );
  });

  it.each([
    [
      "a map",
      '{\n  "servers": {\n    "one": {"command": "/usr/bin/x"},\n    "two": {"url": "https://u:p@host.example/s3cret?k=s3cret"}\n  },\n  "toolRules": [\n    {"pattern": "*"}\n  ]\n}',
    ],
    [
      "a list",
      '{\n  "servers": [\n    {"name": "one", "command": "/usr/bin/x"},\n    {"name": "two", "url": "https://u:p@host.example/s3cret?k=s3cret"}\n  ],\n  "toolRules": [\n    {"pattern": "*"}\n  ]\n}',
    ],
  ])("shows where each server of %s and each rule is defined, without secrets", async (_, text) => {
    const place = createPlace();
    const file = place.write(FILE, text);
    const ran = await place.run("mcp", "config", "show", "--json");
    expect(ran.json()).toMatchObject({
      file,
      origin: "user",
      servers: {
        list: [
          { name: "one", kind: "stdio", reach: "x", file, line: 3, column: 5 },
          { name: "two", kind: "http", reach: "https://host.example", file, line: 4, column: 5 },
        ],
      },
      toolRules: [{ rule: "* → nothing", file, line: 7, column: 5 }],
    });
    expect(ran.stdout).not.toMatch(/s3cret|u:p@/);
    expect((await place.run("mcp", "config", "show")).stdout).toContain(
      "\n  two: http https://host.example  (line 4)\n",
    );
  });

  it("shows only the file of a configuration that is a program", async () => {
    const place = createPlace();
    const file = place.write(
      ".anygpt/mcp-discovery.config.mjs",
      "export default { servers: { a: { command: 'x' } } };",
    );
    const shown = (await place.run("mcp", "config", "show", "--json")).json();
    expect(shown).toMatchObject({ servers: { list: [{ name: "a", file }] } });
    expect(shown).not.toHaveProperty("servers.list.0.line");
  });

  it.each(["show", "sources"])("%s marks a source with ignored entries", async (command) => {
    const place = createPlace({ sources: [{ type: "custom", path: "more.yaml" }] });
    place.write(".anygpt/more.yaml", "servers:\n  good: {command: x}\n  bad: {}\n");
    const { exit, stdout } = await place.run("mcp", "config", command);
    expect(exit).toBe(0);
    expect(stdout).toMatch(
      /\n {2}! custom \(more\.yaml\)(: 1 server \(good\))? - .*more\.yaml:3:\d+: servers\.bad: needs a/,
    );
    const ran = await place.run("mcp", "config", command, "--json");
    expect(ran.json()).toMatchObject({ sources: [{ status: "partial", servers: 1 }] });
  });

  it("never prints the content of a connection", async () => {
    const place = createPlace({
      servers: [{ name: "a", command: "x", env: { TOKEN: "s3cret" }, args: ["--key=s3cret"] }],
    });
    for (const command of [["show"], ["show", "--json"], ["sources", "--json"], ["validate"]]) {
      const { stdout, stderr } = await place.run("mcp", "config", ...command);
      expect(stdout + stderr).not.toContain("s3cret");
    }
  });
});

describe("config sources", () => {
  it("lists the configuration and every source with its servers", async () => {
    const place = createPlace({
      servers: [{ name: "one", command: "x" }],
      sources: [
        { type: "custom", path: "more.yaml" },
        { type: "windsurf", path: "none.json" },
      ],
    });
    place.write(".anygpt/more.yaml", "servers:\n  two: {command: y}\n  three: {command: z}\n");
    const { exit, stdout } = await place.run("mcp", "config", "sources");
    expect(exit).toBe(0);
    expect(stdout).toBe(
      `Sources:\n\n  ✓ ${join(place.folder, FILE)}: 1 server\n  ✓ custom (more.yaml): 2 servers (two, three)\n  ✗ windsurf (none.json) - not found\n`,
    );
    expect((await place.run("mcp", "config", "sources", "--json")).json()).toMatchObject({
      sources: [
        { type: "custom", status: "ok", servers: 2 },
        { type: "windsurf", status: "missing" },
      ],
    });
  });
});

describe("config validate", () => {
  it("reports a valid configuration", async () => {
    const place = createPlace({ servers: [] });
    expect(await place.run("mcp", "config", "validate")).toMatchObject({
      exit: 0,
      stdout: `✓ ${join(place.folder, FILE)} is valid.\n`,
      stderr: "",
    });
    expect((await createPlace().run("mcp", "config", "validate")).stdout).toBe(
      "✓ There is no configuration file, and no MCP servers were found in the configurations of other programs.\n",
    );
  });

  it("warns about valid but probably unintended settings, and still exits with 0", async () => {
    const place = createPlace({
      servers: [
        {
          name: "github",
          command: "x",
          args: ["${ANYGPT_TEST_UNSET}"],
          tools: [{ name: "get" }, { name: "delete_a" }],
        },
        { name: "unknown", command: "y" },
      ],
      sources: [
        { type: "windsurf", path: "none.json" },
        { type: "custom", path: "more.yaml" },
      ],
      toolRules: [
        { pattern: "*", enabled: true },
        { pattern: "*delete*", enabled: false },
        { pattern: "nothing-like-it" },
      ],
    });
    place.write(".anygpt/more.yaml", "servers:\n  github: {command: other}\n");
    const { exit, stdout } = await place.run("mcp", "config", "validate");
    expect(exit).toBe(0);
    expect(stdout).toContain("! The source windsurf was not found: none.json does not exist.\n");
    expect(stdout).toMatch(/! The server "github" from .*more\.yaml was renamed to "github-2"/);
    expect(stdout).toContain(
      "! github cannot be used: The variable ANYGPT_TEST_UNSET is not set. Set the environment variable",
    );
    expect(stdout).toMatch(/! Rule 2 .* never takes effect: for github:delete_a, for example, rule 1/);
    expect(stdout).toMatch(/! Rule 3 .* matches no tool\./);
    expect(stdout).toContain(
      "! The rules were not checked against the tools of unknown, github-2, which are not known yet.",
    );
    const ran = await place.run("mcp", "config", "validate", "--json");
    expect(ran.json()).toMatchObject({
      valid: true,
      warnings: expect.arrayContaining(["The source windsurf was not found: none.json does not exist."]) as string[],
    });
  });

  it.each([
    ["json", "{", ":1:2: expected a closing brace."],
    ["yaml", "a: [", ":1:5: *"],
    ["ts", "export default {\n  a: ]", ":2:6: could not be run: *"],
    ["mjs", "\nnull.x;", ":2:1: could not be run: *"],
  ])("refuses a broken %s with 2 and one line for each command, whatever it holds", async (extension, text, ending) => {
    const place = createPlace();
    const file = place.write(`.anygpt/mcp-discovery.config.${extension}`, text);
    for (const command of [["config", "validate"], ["list"], ["search", "x"], ["env"], ["serve"]]) {
      const { exit, stdout, stderr } = await place.run("mcp", ...command);
      expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
      const [first = "", ...rest] = stderr.trimEnd().split("\n");
      expect(first.startsWith(`✗ ${file}${ending.split("*")[0]}`) ? ending : first).toBe(ending);
      expect(rest).toEqual(["  Correct the configuration; docs/reference/configuration.md lists every key."]);
    }
  });

  it("refuses a broken source with 2", async () => {
    const place = createPlace({ sources: [{ type: "custom", path: "more.yaml" }] });
    place.write(".anygpt/more.yaml", "servers:\n  a: {comand: x}\n  b: {}\n");
    const { exit, stderr } = await place.run("mcp", "config", "validate");
    expect(exit).toBe(2);
    expect(stderr).toMatch(/more\.yaml:2:\d+: servers\.a/);
    expect(stderr).toMatch(/more\.yaml:3:\d+: servers\.b/);
  });

  it("reports file, line and key if a source has a single error", async () => {
    const place = createPlace({ sources: [{ type: "custom", path: "more.yaml" }] });
    place.write(".anygpt/more.yaml", "servers:\n  a: {command: x, comand: y}\n");
    const { stderr } = await place.run("mcp", "config", "validate");
    expect(stderr).toMatch(/^✗ .*more\.yaml:2:\d+: servers\.a\.comand: .*did you mean "command"\?\n/);
  });
});

describe("config reload", () => {
  it("lists the tools of every server again and reports changes", async () => {
    const place = createPlace();
    const first = toolServer(place, "github", { tools: [tool("kept"), tool("dropped"), tool("altered", "Before")] });
    place.write(FILE, { servers: { github: first, broken: testServer("faulty.mjs", "exit-now") } });
    const { exit, stdout } = await place.run("mcp", "config", "reload");
    expect(exit).toBe(0);
    expect(stdout).toMatch(
      /^✓ Configuration reloaded\.\n\n✓ github: new \(3 tools\)\n✗ broken: failed\n {2}broken exited with code 7: "no database configured"\..*\n\nServers: 2 configured, 1 answered\nTools: 3 total, 3 enabled\n\nRunning gateways apply the change within two seconds\.\n$/,
    );

    toolServer(place, "github", { tools: [tool("kept"), tool("altered", "After"), tool("fresh")] });
    const again = await place.run("mcp", "config", "reload");
    expect(again.stdout).toContain(
      "✓ github: 3 changes (3 tools)\n  ~ altered changed (description)\n  + fresh added\n  - dropped removed\n",
    );
    const unchanged = await place.run("mcp", "config", "reload", "--json");
    expect(unchanged.json()).toMatchObject({
      servers: [
        { server: "github", status: "unchanged", tools: 3, changes: [] },
        { server: "broken", status: "failed" },
      ],
    });

    const inspected = await place.run("mcp", "inspect", "github", "altered");
    expect(inspected.stdout).toMatch(
      /Changes since the tool was first seen:\n {2}\d{4}-\S+Z changed \(description\)\n$/,
    );
  });
});
