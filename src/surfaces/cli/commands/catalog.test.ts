import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliPlace, createCliPlace, toolServer } from "../../../../test/support/cli.js";
import { testServer } from "../../../../test/support/gateway.js";

const string = (description: string) => ({ type: "string", description });

const GITHUB = [
  {
    name: "create_issue",
    description: "Create a new GitHub issue in a repository",
    inputSchema: {
      type: "object",
      properties: {
        repo: string("Repository name (owner/repo)"),
        title: string("Issue title"),
        body: string("Issue body (markdown)"),
      },
      required: ["repo", "title"],
      examples: [{ repo: "owner/repo", title: "Bug: it crashes", body: "## Steps\n1. Launch" }],
    },
  },
  { name: "list_repos", description: "List GitHub repositories", inputSchema: { type: "object" } },
  { name: "delete_repo", description: "Delete a GitHub repository", inputSchema: { type: "object" } },
];

let place: CliPlace;

beforeAll(async () => {
  place = createCliPlace();
  const hostile = {
    name: "x\u001b[2J",
    description: "\u001b]0;owned\u0007 hides\u202e text",
    inputSchema: { type: "object" },
  };
  place.write(".anygpt/mcp-discovery.config.json", {
    servers: [
      { name: "github", description: "GitHub API integration", ...toolServer(place, "github", { tools: GITHUB }) },
      { name: "hostile", description: "bell\u0007", ...toolServer(place, "hostile", { tools: [hostile] }) },
      { name: "empty", description: "Nothing", ...toolServer(place, "empty", { tools: [] }) },
      { name: "broken", description: "Never starts", ...testServer("faulty.mjs", "exit-now") },
    ],
    toolRules: [
      { pattern: "*delete*", enabled: false, tags: ["dangerous"] },
      { server: "github", pattern: ["*issue*", "*repo*"], tags: ["github"] },
    ],
  });
});
afterAll(() => place.remove());

describe("list", () => {
  it("lists all of many servers as JSON, and reports that it runs inside another gateway", async () => {
    const tools = [{ name: "t" }];
    const servers = Array.from({ length: 300 }, (_, n) => ({ name: `s${n}`, command: "no-such-command", tools }));
    const many = createCliPlace({ servers });
    expect((await many.run("mcp", "list", "--json")).json()).toMatchObject({ servers: { length: 300 } });
    const inside = await many.runWith({ env: { ANYGPT_DEPTH: "1" } }, "mcp", "list");
    many.remove();
    expect(inside.stdout).toBe("");
    expect(inside.stderr).toContain("No server is configured.");
    expect(inside.stderr).toContain("started by another gateway");
  });

  it("shows every server in one line, and a failed one's reason on standard error", async () => {
    const { exit, stdout, stderr } = await place.run("mcp", "list");
    expect(exit).toBe(0);
    expect(stdout).toBe(
      [
        "NAME     STATE    TOOLS  TRANSPORT  SOURCE",
        "github   ready   2 of 3  stdio      configuration",
        "hostile  ready        1  stdio      configuration",
        "empty    ready        0  stdio      configuration",
        "broken   failed       -  stdio      configuration",
        "",
      ].join("\n"),
    );
    expect(stderr).toMatch(/(?:^|\n)✗ broken: exited with code 7: "no database configured"\.\n/);
    expect(stderr).toContain("4 servers: 3 ready, 1 failed; 3 of 4 tools enabled. `anygpt mcp list NAME`");
    expect(stderr).toContain("Built-in server anygpt: 3 tools. List them with `anygpt mcp tools anygpt`.\n");
  });

  it.each([
    ["--tools", "NAME      TOOLS\ngithub   2 of 3\n"],
    ["--status", "NAME     STATE\ngithub   ready\n"],
  ])("with %s shows only that", async (flag, head) => {
    expect((await place.run("mcp", "list", flag)).stdout.slice(0, head.length)).toBe(head);
  });

  it("shows the named servers in full", async () => {
    const { exit, stdout } = await place.run("mcp", "list", "broken", "github");
    expect(exit).toBe(0);
    expect(stdout).toMatch(
      /^github\n {2}GitHub API integration\n {2}State: ready \(starts when a tool is executed\)\n {2}Tools: 2 \(and 1 disabled\)\n {2}Transport: stdio\n {2}Source: configuration \(.*mcp-discovery\.config\.json\)\n\nbroken\n/,
    );
    expect(stdout).toMatch(/\n {2}Reason: broken exited with code 7: /);
    expect(await place.run("mcp", "list", "githb")).toMatchObject({ exit: 2, stdout: "" });
  });

  it.each([60, 80, 120])("fits a terminal of %i columns", async (columns) => {
    const { stdout, stderr } = await place.runWith(
      { isTerminal: true, columns, env: { NO_COLOR: "1" } },
      "mcp",
      "list",
    );
    const rows = stdout.split("\n");
    expect(rows).toHaveLength(6);
    expect([...rows, ...stderr.split("\n")].filter((row) => row.length > columns)).toEqual([]);
  });

  it("prints the same JSON as the meta-tool", async () => {
    const ran = await place.run("mcp", "list", "--json");
    expect(ran.json()).toMatchObject({
      servers: [
        {
          name: "github",
          description: "GitHub API integration",
          toolCount: 3,
          enabledCount: 2,
          status: "disconnected",
        },
        { name: "hostile", toolCount: 1 },
        { name: "empty", toolCount: 0 },
        { name: "broken", status: "error", known: false, reason: expect.stringContaining("code 7") as string },
      ],
    });
  });

  it("explains how to start if nothing is configured", async () => {
    const empty = createCliPlace();
    const { exit, stdout, stderr } = await empty.run("mcp", "list");
    empty.remove();
    expect(exit).toBe(0);
    expect(stdout).toBe("");
    expect(stderr).toMatch(
      /^No server is configured\. Add one with `anygpt mcp add NAME -- COMMAND`, or find public ones with `anygpt mcp find WORDS`\./,
    );
  });

  const off = { command: "node", enabled: false };
  it.each([
    ["the gateway is disabled", { enabled: false, servers: [{ ...off, name: "a" }] }, "it disables the gateway"],
    ["the only one is", { servers: [{ ...off, name: "a" }] }, "its only server is disabled"],
    ["each of them is", { servers: ["a", "b"].map((name) => ({ ...off, name })) }, "all its 2 servers are disabled"],
  ])("explains why there is no server if %s", async (_, config, reason) => {
    const switchedOff = createCliPlace(config);
    const { exit, stderr } = await switchedOff.run("mcp", "list");
    switchedOff.remove();
    expect(exit).toBe(0);
    expect(stderr).toContain(reason);
    expect(stderr).toContain("enabled: false");
    expect(stderr).toContain("mcp-discovery.config.json");
    expect(stderr).not.toContain("Take over");
  });

  it("explains how to enable a server if all are disabled, like doctor", async () => {
    const switchedOff = createCliPlace({ servers: [{ ...off, name: "a" }] });
    const [listed, checked] = [await switchedOff.run("mcp", "list"), await switchedOff.run("mcp", "doctor")];
    switchedOff.remove();
    expect(listed.stderr).toContain("Run `anygpt mcp enable a`, or remove `enabled: false`");
    expect(checked.stdout).toContain("No server is enabled. Disabled: a. Run `anygpt mcp enable NAME`.");
  });

  it("does not report a named server as not started", async () => {
    const failing = createCliPlace({ servers: [{ name: "a", command: "node", args: ["-e", "process.exit(3)"] }] });
    const listed = [await failing.run("mcp", "list"), await failing.run("mcp", "list")];
    const named = await failing.run("mcp", "list", "a");
    failing.remove();
    expect(listed[1]?.stderr).toContain("1 failed server was not started again");
    expect(named.stderr).not.toContain("not started again");
  });

  it("reports errors of a source on standard error", async () => {
    const broken = createCliPlace({ sources: [{ type: "custom", path: "servers.yaml" }] });
    broken.write(".anygpt/servers.yaml", "servers: 3\n");
    const { exit, stdout, stderr } = await broken.run("mcp", "list");
    broken.remove();
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: "" });
    expect(stderr).toMatch(/\n! .*servers\.yaml:1:\d+: servers: must be a map/);
  });
});

describe("search", () => {
  const numbersIn = (stdout: string): string[] => stdout.match(/^\d+(?=\. )/gm) ?? [];

  it("numbers the results, with match, summary and tags", async () => {
    const { exit, stdout, stderr } = await place.run("mcp", "search", "create", "issue");
    expect(exit).toBe(0);
    expect(stderr).toContain("Show the arguments of the first tool: anygpt mcp inspect github:create_issue\n");
    expect(stdout).toMatch(
      /^1\. github:create_issue \(\d+% match\)\n {3}Create a new GitHub issue in a repository\n {3}Tags: github\n(?:\n2\. |$)/,
    );
    const numbers = numbersIn(stdout);
    expect(numbers).toEqual(numbers.map((_, rank) => String(rank + 1)));
    expect(stderr.startsWith(`Search results for "create issue" (${numbers.length} found):\n\n`)).toBe(true);
  });

  it("lists less likely tools in one line by id, and in JSON by server", async () => {
    const argv = ["mcp", "search", "list repos", "--server", "github", "--limit", "1"];
    const { stdout, stderr } = await place.run(...argv);
    expect(stderr).toContain("(1 found)");
    expect(stderr).toContain("\nLess likely: github:create_issue\n");
    expect(numbersIn(stdout)).toEqual(["1"]);
    expect(stdout).toContain("1. github:list_repos (");
    expect((await place.run(...argv, "--json")).json()).toMatchObject({
      results: [{ server: "github", tool: "list_repos" }],
      also: { github: ["create_issue"] },
    });
  });

  it("shows which step of the request a tool is for", async () => {
    const query = "create an issue and list the repositories";
    const { exit, stdout } = await place.run("mcp", "search", query);
    expect(exit).toBe(0);
    expect(stdout).toMatch(/^\d\. github:create_issue \(step 1, \d+% match\)$/m);
    expect(stdout).toMatch(/^\d\. github:list_repos \(step 2, \d+% match\)$/m);
    expect((await place.run("mcp", "search", query, "--json")).json()).toMatchObject({
      results: expect.arrayContaining([
        expect.objectContaining({ tool: "create_issue", step: 1 }),
        expect.objectContaining({ tool: "list_repos", step: 2 }),
      ]) as unknown,
    });
    expect((await place.run("mcp", "search", "create an issue")).stdout).not.toContain("step");
  });

  it("names a product that no tool is for", async () => {
    const { exit, stdout, stderr } = await place.run("mcp", "search", "create a Jira issue");
    expect(exit).toBe(0);
    expect(stderr).toMatch(/^Nothing here is Jira\.\nSearch results for /);
    expect(stdout).toMatch(/^1\. github:create_issue /);
  });

  it("names the servers it could not search", async () => {
    const { stderr } = await place.run("mcp", "search", "create issue");
    expect(stderr).toContain("! 1 server failed: broken. Run `anygpt mcp doctor` to see why.\n");
  });

  it("lists them in JSON too if they should be searched", async () => {
    const reason = expect.stringContaining("broken exited with code 7: ") as string;
    const everywhere = await place.run("mcp", "search", "create issue", "--json");
    expect(everywhere.json()).toMatchObject({ failed: [{ server: "broken", reason }] });
    const one = await place.run("mcp", "search", "create issue", "--server", "github", "--json");
    expect(one.json()).not.toHaveProperty("failed");
  });

  it("exits with 2 and lists the closest tools if no tool fits", async () => {
    const { exit, stdout, stderr } = await place.run("mcp", "search", "xyzzy plugh");
    expect(exit).toBe(2);
    expect(stdout).toMatch(/^1\. (?:github|hostile):/);
    expect(stdout).not.toContain("anygpt:");
    expect(stderr).toMatch(/^No tool fits "xyzzy plugh" well\. These are the closest:\n[^]*\nTry other words, /);
    expect(stderr).not.toMatch(/Less likely|mcp inspect/);
  });

  it("exits with 2 and a message if there is no tool at all", async () => {
    const { exit, stdout, stderr } = await place.run("mcp", "search", "create issue", "--server", "empty");
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toMatch(/^No tool matches\. Try other words, /);
  });

  const note = expect.stringContaining("No tool fits well; these are the closest. ") as string;
  it.each([
    ["create issue", 0, { fit: "good" }, { server: "github", tool: "create_issue", tags: ["github"] }],
    ["xyzzy plugh", 2, { fit: "none", note }, { summary: expect.any(String) as string }],
  ])("prints the same JSON as the meta-tool for %s, with exit code %i", async (query, exit, expected, best) => {
    const ran = await place.run("mcp", "search", query, "--json");
    expect(ran.exit).toBe(exit);
    expect(ran.json()).toMatchObject(expected);
    expect((ran.json() as { results: object[] }).results[0]).toMatchObject(best);
  });

  it("of an unknown server fails with the nearest name", async () => {
    expect(await place.run("mcp", "search", "a", "--server", "githb")).toMatchObject({
      exit: 2,
      stderr: '✗ No server is named "githb".\n  Did you mean github?\n',
    });
  });
});

describe("tools", () => {
  it.each([
    [[], "✓ create_issue\n  Create a new GitHub issue in a repository\n\n✓ list_repos\n  List GitHub repositories\n"],
    [
      ["--tags"],
      "✓ create_issue\n  Create a new GitHub issue in a repository\n  Tags: github\n\n✓ list_repos\n  List GitHub repositories\n  Tags: github\n",
    ],
    [
      ["--all"],
      "✓ create_issue\n  Create a new GitHub issue in a repository\n\n✓ list_repos\n  List GitHub repositories\n\n✗ delete_repo (disabled)\n  Delete a GitHub repository\n",
    ],
    [
      ["--explain"],
      '✓ create_issue\n  Create a new GitHub issue in a repository\n  Decided by: no rule decides; enabled by default\n  Risk: medium (the name says "create")\n\n✓ list_repos\n  List GitHub repositories\n  Decided by: no rule decides; enabled by default\n  Risk: low (the name says "list")\n\n✗ delete_repo (disabled)\n  Delete a GitHub repository\n  Decided by: rule 1 (*delete* → disabled, tags: [dangerous])\n  Risk: destructive (the name says "delete")\n',
    ],
  ])("of github with %j", async (flags, expected) => {
    const { exit, stdout, stderr } = await place.run("mcp", "tools", "github", ...flags);
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: expected });
    expect(stderr).toBe("Tools from github (2 enabled, 1 disabled):\n\n");
    expect((await place.run("mcp", "tools", "github", ...flags, "--quiet")).stderr).toBe("");
  });

  it("of a server without tools reports that", async () => {
    const { exit, stdout, stderr } = await place.run("mcp", "tools", "empty");
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: "" });
    expect(stderr).toBe("Tools from empty (0 enabled, 0 disabled):\n\nempty offers no tools.\n");
  });

  it("prints the rule of each tool as JSON with --explain", async () => {
    const ran = await place.run("mcp", "tools", "github", "--explain", "--json");
    expect(ran.json()).toMatchObject({
      server: "github",
      tools: [
        { name: "create_issue", enabled: true, risk: "medium", risk_origin: 'the name says "create"' },
        {},
        { name: "delete_repo", enabled: false, rule: expect.stringContaining("rule 1") as string },
      ],
    });
  });

  it("of a server that fails exits with 3 and its reason", async () => {
    const { exit, stdout, stderr } = await place.run("mcp", "tools", "broken");
    expect({ exit, stdout }).toEqual({ exit: 3, stdout: "" });
    expect(stderr).toMatch(/^✗ broken exited with code 7: /);
  });

  it("of an unknown server exits with 2, as JSON too", async () => {
    expect(await place.run("mcp", "tools", "githb")).toMatchObject({ exit: 2 });
    const ran = await place.run("mcp", "tools", "githb", "--json");
    expect(ran.exit).toBe(2);
    expect(ran.json()).toMatchObject({ success: false, error: { code: "SERVER_NOT_FOUND", nearest: ["github"] } });
  });

  it("reports definitions that could not be used", async () => {
    const bad = createCliPlace({ servers: [{ name: "bad", ...testServer("faulty.mjs", "bad-tools") }] });
    const { stderr } = await bad.run("mcp", "tools", "bad");
    bad.remove();
    expect(stderr).toMatch(
      /\n! \d+ definitions? of bad could not be used\. Run `anygpt mcp doctor bad` to see why\.\n$/,
    );
  });
});

describe("text of strangers", () => {
  const commands = [
    ["list"],
    ["search", "hides", "text"],
    ["tools", "hostile"],
    ["inspect", "hostile", "x\u001b[2J"],
    ["execute", "hostile", "x\u001b[2J"],
    ["list", "--json"],
    ["tools", "hostile", "--json"],
  ];

  it.each(commands.map((argv) => [JSON.stringify(argv), argv] as const))(
    "reaches no terminal raw through %s",
    async (_name, argv) => {
      const { stdout, stderr } = await place.runWith({ isTerminal: true, env: { NO_COLOR: "1" } }, "mcp", ...argv);
      expect(stdout + stderr).not.toBe("");
      for (const character of ["\u001b", "\u0007", "\u202e"]) expect(stdout + stderr).not.toContain(character);
    },
  );
});

it("a tool's name cannot pass for a line of ours", async () => {
  const tools = [{ name: "x\n✓ harmless", inputSchema: { type: "object" } }];
  const config = place.write("lines.json", { servers: [{ name: "sly", ...toolServer(place, "sly", { tools }) }] });
  expect((await place.run("mcp", "tools", "sly", "--config", config)).stdout).toBe(
    '✓ x ✓ harmless\n  ! Spelling: rules and the policy treat this name as "x✓harmless".\n',
  );
});

describe("the terminal", () => {
  it("is coloured, a pipe is not", async () => {
    const { stdout } = await place.runWith({ isTerminal: true }, "mcp", "tools", "github");
    expect(stdout).toContain("\u001b[32m✓\u001b[39m");
    expect((await place.run("mcp", "tools", "github")).stdout).not.toContain("\u001b");
  });

  it.each([
    ["NO_COLOR", { NO_COLOR: "1" }, []],
    ["--no-color", {}, ["--no-color"]],
  ])("is not coloured with %s", async (_name, env, flags) => {
    const { stdout } = await place.runWith({ isTerminal: true, env }, "mcp", "tools", "github", ...flags);
    expect(stdout).not.toContain("\u001b");
  });

  it("has no line that is wider than the terminal or ends with a space", async () => {
    for (const argv of [
      ["list"],
      ["tools", "github", "--explain"],
      ["inspect", "github", "create_issue"],
      ["config", "show"],
    ]) {
      const { stdout } = await place.runWith({ isTerminal: true, columns: 50, env: { NO_COLOR: "1" } }, "mcp", ...argv);
      const lines = stdout.split("\n");
      expect(lines.filter((line) => line.trimEnd() !== line)).toEqual([]);
      // A single long word, such as a path, is left whole.
      expect(lines.filter((line) => line.length > 50 && line.trim().includes(" "))).toEqual([]);
    }
  });
});
