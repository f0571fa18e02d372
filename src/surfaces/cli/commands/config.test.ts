import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type CliPlace, createCliPlace, toolServer } from "../../../../test/support/cli.js";
import { testServer } from "../../../../test/support/gateway.js";
import { render } from "../render.js";
import { diagnosisLines } from "./doctor.js";

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
  it("shows where the configuration comes from and what it amounts to, starting nothing", async () => {
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

Search: limit 10, minRelevance 0, semantic true, suggestions true
Execution: timeoutMs 5000, maxTotalMs 900000, resultLimit 262144, keepResultsMs 600000
Upstreams: UPSTREAMS
Policy: preset default, confirmation auto from destructive, pinning warn, no entries
Audit: Enabled
Store: ${join(place.folder, "state/store.db")}

Servers: 2 configured, 1 known
  github: stdio node  (line 1)
  files: stdio files  (claude-desktop, ~/claude.json:1)
Tools: 2 total, 1 enabled
`);
    expect(stderr).toBe("! 1 notice: `anygpt mcp config validate` shows what was noticed.\n");
  });

  it("shows the defaults where there is no file, and a disabled cache", async () => {
    const { stdout } = await createPlace().run("mcp", "config", "show");
    expect(stdout).toContain("File: none (built-in defaults, and the servers of other programs)\n");
    const off = { enabled: false };
    const disabled = await createPlace({ ...off, cache: off, audit: off }).run("mcp", "config", "show");
    expect(disabled.stdout).toContain("Status: Disabled\nCache: Disabled\n");
    expect(disabled.stdout).toContain("\nAudit: Disabled\n");
  });

  it("gives programs every section that is in force", async () => {
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
  ])("tells where each server of %s and each rule was written, and nothing secret", async (_, text) => {
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

  it("tells of a program only which file it is", async () => {
    const place = createPlace();
    const file = place.write(
      ".anygpt/mcp-discovery.config.mjs",
      "export default { servers: { a: { command: 'x' } } };",
    );
    const shown = (await place.run("mcp", "config", "show", "--json")).json();
    expect(shown).toMatchObject({ servers: { list: [{ name: "a", file }] } });
    expect(shown).not.toHaveProperty("servers.list.0.line");
  });

  it.each(["show", "sources"])("%s marks a source of which entries were left out", async (command) => {
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

  it("never prints what a connection holds", async () => {
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
  it("says that all is well", async () => {
    const place = createPlace({ servers: [] });
    expect(await place.run("mcp", "config", "validate")).toMatchObject({
      exit: 0,
      stdout: `✓ ${join(place.folder, FILE)} is valid.\n`,
      stderr: "",
    });
    expect((await createPlace().run("mcp", "config", "validate")).stdout).toBe(
      "✓ There is no configuration file, and no servers of other programs were found.\n",
    );
  });

  it("warns of what is valid and probably not meant, and still exits with 0", async () => {
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
    expect(stdout).toContain("! The source windsurf was not found at none.json.\n");
    expect(stdout).toMatch(/! The server "github" of .*more\.yaml was renamed to "github-2"/);
    expect(stdout).toContain("! github cannot be used: The variable ANYGPT_TEST_UNSET is not set. Set it");
    expect(stdout).toMatch(/! Rule 2 .* never takes effect: for github:delete_a, for example, rule 1/);
    expect(stdout).toMatch(/! Rule 3 .* matches no tool\./);
    expect(stdout).toContain("! The rules were not checked against the tools of unknown, github-2:");
    const ran = await place.run("mcp", "config", "validate", "--json");
    expect(ran.json()).toMatchObject({
      valid: true,
      warnings: expect.arrayContaining(["The source windsurf was not found at none.json."]) as string[],
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
      expect(rest).toEqual(["  Correct the configuration; docs/configuration.md lists every key."]);
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

  it("names file, line and key where a source has one mistake only", async () => {
    const place = createPlace({ sources: [{ type: "custom", path: "more.yaml" }] });
    place.write(".anygpt/more.yaml", "servers:\n  a: {command: x, comand: y}\n");
    const { stderr } = await place.run("mcp", "config", "validate");
    expect(stderr).toMatch(/^✗ .*more\.yaml:2:\d+: servers\.a\.comand: .*did you mean "command"\?\n/);
  });
});

describe("config reload", () => {
  it("asks every server again and tells what changed", async () => {
    const place = createPlace();
    const first = toolServer(place, "github", { tools: [tool("kept"), tool("dropped"), tool("altered", "Before")] });
    place.write(FILE, { servers: { github: first, broken: testServer("faulty.mjs", "exit-now") } });
    const { exit, stdout } = await place.run("mcp", "config", "reload");
    expect(exit).toBe(0);
    expect(stdout).toMatch(
      /^✓ Configuration reloaded\.\n\n✓ github: new \(3 tools\)\n✗ broken: failed\n {2}broken ended with code 7: "no database configured"\..*\n\nServers: 2 configured, 1 answered\nTools: 3 total, 3 enabled\n\nRunning gateways have been told, and follow within two seconds\.\n$/,
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
    expect(inspected.stdout).toMatch(/Changes since it was first seen:\n {2}\d{4}-\S+Z changed \(description\)\n$/);
  });
});

describe("doctor", () => {
  it("starts each server once and says what is wrong and what to do", async () => {
    const place = createPlace({
      servers: [
        { name: "echo", ...testServer("echo.mjs") },
        { name: "bad", ...testServer("faulty.mjs", "bad-tools") },
        { name: "broken", ...testServer("faulty.mjs", "exit-now") },
        { name: "unset", command: "x", args: ["${ANYGPT_TEST_UNSET}"] },
      ],
    });
    const { exit, stdout } = await place.run("mcp", "doctor");
    expect(exit).toBe(3);
    expect(stdout).toContain(
      `✓ configuration: ${join(place.folder, FILE)}\n✓ state folder: ${join(place.folder, "state")}\n`,
    );
    expect(stdout).toMatch(/^✓ node: \d+/);
    expect(stdout).toMatch(/\n✓ echo \(15 tools, \d+ ms, legacy protocol\)\n/);
    expect(stdout).toMatch(/✓ bad \(\d+ tools?, .*\)\n {2}! .* was left out: /);
    expect(stdout).toMatch(
      /✗ broken failed after \d+ ms\n {2}broken ended with code 7: "no database configured"\.\n {2}Run .*\n(?! {2}stderr)/,
    );
    expect(stdout).toMatch(
      /✗ unset failed after \d+ ms\n {2}The variable ANYGPT_TEST_UNSET is not set\.\n {2}Set it in/,
    );
    expect(stdout).toMatch(/\n\n✗ 2 of 4 servers failed \(\d+\.\d s\)\.\n$/);
  });

  it("asks only the servers that are named, and exits with 0 when they are well", async () => {
    const place = createPlace({
      servers: [
        { name: "echo", ...testServer("echo.mjs") },
        { name: "broken", ...testServer("faulty.mjs", "exit-now") },
      ],
    });
    const ran = await place.run("mcp", "doctor", "echo", "--json");
    expect(ran.exit).toBe(0);
    expect(ran.json()).toMatchObject({ servers: [{ server: "echo", status: "ok", tools: 15, era: "legacy" }] });
    expect(await place.run("mcp", "doctor", "ecko")).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("Did you mean echo?") as string,
    });
  });

  it("tells of a state folder that cannot be used and of a broken source", async () => {
    const place = createPlace({ sources: [{ type: "custom", path: "more.yaml" }] });
    place.write(".anygpt/more.yaml", "servers: 3\n");
    const blocked = place.write("file", "");
    chmodSync(blocked, 0o600);
    const { exit, stdout } = await place.runWith({ env: { ANYGPT_HOME: join(blocked, "state") } }, "mcp", "doctor");
    expect(exit).toBe(3);
    expect(stdout).toMatch(/✗ source: .*more\.yaml:1:\d+: servers: must be a map/);
    expect(stdout).toMatch(
      /✗ state folder: .* cannot be written \(ENOTDIR\); correct its permissions or set ANYGPT_HOME/,
    );
    expect(stdout).toContain("No server is configured.\n");
  });

  it("looks at the store and at who can read the keys", async () => {
    const place = createPlace({ servers: [{ name: "echo", ...testServer("echo.mjs") }] });
    const state = join(place.folder, "state");
    const before = await place.run("mcp", "doctor", "echo");
    expect(before.stdout).toContain(`\n✓ store: ${join(state, "store.db")} (made with the first call)\n\n`);
    await place.run("mcp", "execute", "echo", "pid");
    const after = await place.run("mcp", "doctor", "echo");
    expect(after.exit).toBe(0);
    expect(after.stdout).toContain(`\n✓ store: ${join(state, "store.db")}\n✓ key: ${join(state, "audit.key")}\n`);

    chmodSync(join(state, "audit.key"), 0o644);
    // A new file: a connection of this process that is still being freed would write to the old one.
    for (const suffix of ["", "-wal", "-shm"]) rmSync(join(state, `store.db${suffix}`), { force: true });
    place.write("state/store.db", "no database at all, and longer than a header ".repeat(20));
    const { exit, stdout } = await place.run("mcp", "doctor", "echo");
    expect(exit).toBe(3);
    expect(stdout).toMatch(/\n✗ store: .*store\.db cannot be used: \S.*\. \S.*\n/);
    expect(stdout).toContain(
      `\n✗ key: ${join(state, "audit.key")} can be read by other users (mode 0644); run \`chmod 600 '${join(state, "audit.key")}'\`\n`,
    );
  });

  it("exits with 3 when a source has entries that cannot be used", async () => {
    const place = createPlace({ sources: [{ type: "custom", path: "more.yaml" }] });
    const echo = JSON.stringify(testServer("echo.mjs"));
    place.write(".anygpt/more.yaml", `servers:\n  echo: ${echo}\n  bad: {}\n  worse: {url: x}\n`);
    const { exit, stdout } = await place.run("mcp", "doctor");
    expect(exit).toBe(3);
    expect(stdout).toMatch(
      /\n✗ source: .*more\.yaml:3:\d+: servers\.bad: .*\n✗ source: .*more\.yaml:4:\d+: servers\.worse/,
    );
    expect(stdout).toContain("✓ echo (");
    const ran = await place.run("mcp", "doctor", "--json");
    expect(ran.exit).toBe(3);
    expect(ran.json()).toMatchObject({
      checks: expect.arrayContaining([expect.objectContaining({ name: "source", status: "failed" })]) as unknown[],
    });
  });
  it("names commands, not meta-tools, in its hints", () => {
    const failed = { status: "failed", durationMs: 1, tools: 0, reason: "No.", hint: "Use search_tools." } as const;
    const text = render(diagnosisLines({ server: "a", ...failed }, false), { columns: 80, color: false });
    expect(text).toContain("\n  Use `anygpt mcp search`.\n");
  });
});
