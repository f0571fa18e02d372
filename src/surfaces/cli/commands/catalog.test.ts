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
  it("names every one of very many servers as JSON, and says when it is inside another gateway", async () => {
    const tools = [{ name: "t" }];
    const servers = Array.from({ length: 300 }, (_, n) => ({ name: `s${n}`, command: "no-such-command", tools }));
    const many = createCliPlace({ servers });
    expect((await many.run("mcp", "list", "--json")).json()).toMatchObject({ servers: { length: 300 } });
    const inside = await many.runWith({ env: { ANYGPT_DEPTH: "1" } }, "mcp", "list");
    many.remove();
    expect(inside.stdout).toBe("");
    expect(inside.stderr).toContain("No server is configured.");
    expect(inside.stderr).toContain("started by another one");
  });

  it("shows every server in one line, and a failed one's reason on standard error", async () => {
    const { exit, stdout, stderr } = await place.run("mcp", "list");
    expect(exit).toBe(0);
    expect(stdout).toBe(
      [
        "NAME     STATE   TOOLS  TRANSPORT  SOURCE",
        "github   ready       2  stdio      configuration",
        "hostile  ready       1  stdio      configuration",
        "empty    ready       0  stdio      configuration",
        "broken   failed      -  stdio      configuration",
        "",
      ].join("\n"),
    );
    expect(stderr).toMatch(/(?:^|\n)✗ broken: ended with code 7: "no database configured"\.\n/);
    expect(stderr).toContain("4 servers: 3 ready, 1 failed; 3 tools. `anygpt mcp list NAME` shows a reason in full.\n");
  });

  it.each([
    ["--tools", "NAME     TOOLS\ngithub       2\n"],
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
    expect(stdout).toMatch(/\n {2}Reason: broken ended with code 7: /);
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

  it("gives programs what an agent gets", async () => {
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

  it("says how to begin where nothing is configured", async () => {
    const empty = createCliPlace();
    const { exit, stdout, stderr } = await empty.run("mcp", "list");
    empty.remove();
    expect(exit).toBe(0);
    expect(stdout).toBe("");
    expect(stderr).toMatch(
      /^No server is configured\. Take over the servers of other programs with `anygpt mcp import`\./,
    );
  });

  const off = { command: "node", enabled: false };
  it.each([
    ["all are switched off", { enabled: false, servers: [{ ...off, name: "a" }] }, "it switches the gateway off"],
    ["the only one is", { servers: [{ ...off, name: "a" }] }, "its only server is disabled"],
    ["each of them is", { servers: ["a", "b"].map((name) => ({ ...off, name })) }, "all its 2 servers are disabled"],
  ])("says why there is none where %s", async (_, config, reason) => {
    const switchedOff = createCliPlace(config);
    const { exit, stderr } = await switchedOff.run("mcp", "list");
    switchedOff.remove();
    expect(exit).toBe(0);
    expect(stderr).toContain(reason);
    expect(stderr).toContain("enabled: false");
    expect(stderr).toContain("mcp-discovery.config.json");
    expect(stderr).not.toContain("Take over");
  });

  it("names what is wrong in a source on standard error", async () => {
    const broken = createCliPlace({ sources: [{ type: "custom", path: "servers.yaml" }] });
    broken.write(".anygpt/servers.yaml", "servers: 3\n");
    const { exit, stdout, stderr } = await broken.run("mcp", "list");
    broken.remove();
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: "" });
    expect(stderr).toMatch(/\n! .*servers\.yaml:1:\d+: servers: must be a map/);
  });
});

describe("search", () => {
  it("numbers what it finds, with match, summary and tags", async () => {
    const { exit, stdout, stderr } = await place.run("mcp", "search", "create", "issue");
    expect(exit).toBe(0);
    expect(stderr).toMatch(/^Search results for "create issue" \(1 found\):\n\n/);
    expect(stderr).toContain("Show its arguments: anygpt mcp inspect github:create_issue\n");
    expect(stdout).toMatch(
      /^1\. github:create_issue \(\d+% match\)\n {3}Create a new GitHub issue in a repository\n {3}Tags: github\n$/,
    );
  });

  it("tells how many more there are", async () => {
    const { stderr } = await place.run("mcp", "search", "github repository", "--server", "github", "--limit", "1");
    expect(stderr).toContain("(1 found)");
    expect(stderr).toMatch(/\n… and \d more\. Narrow the query, or raise --limit\.\n/);
  });

  it("names the servers it could not search", async () => {
    const { stderr } = await place.run("mcp", "search", "create issue");
    expect(stderr).toContain("! 1 server failed: broken. Run `anygpt mcp doctor` to see why.\n");
  });

  it("names them to programs too, where they were to be searched", async () => {
    const reason = expect.stringContaining("broken ended with code 7: ") as string;
    const everywhere = await place.run("mcp", "search", "create issue", "--json");
    expect(everywhere.json()).toMatchObject({ failed: [{ server: "broken", reason }] });
    const one = await place.run("mcp", "search", "create issue", "--server", "github", "--json");
    expect(one.json()).not.toHaveProperty("failed");
  });

  it("exits with 2 and says so when nothing fits", async () => {
    const { exit, stdout, stderr } = await place.run("mcp", "search", "xyzzy plugh");
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toMatch(/^No tool fits\./);
  });

  it.each([
    ["create issue", 0, { results: [{ server: "github", tool: "create_issue", tags: ["github"] }] }],
    ["xyzzy plugh", 2, { results: [], note: expect.stringContaining("No tool fits.") as string }],
  ])("gives programs what an agent gets for %s, with exit %i", async (query, exit, expected) => {
    const ran = await place.run("mcp", "search", query, "--json");
    expect(ran.exit).toBe(exit);
    expect(ran.json()).toMatchObject(expected);
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
      "✓ create_issue\n  Create a new GitHub issue in a repository\n  Decided by: no rule decides; enabled by default\n  Risk: high (nobody states a risk)\n\n✓ list_repos\n  List GitHub repositories\n  Decided by: no rule decides; enabled by default\n  Risk: high (nobody states a risk)\n\n✗ delete_repo (disabled)\n  Delete a GitHub repository\n  Decided by: rule 1 (*delete* → disabled, tags: [dangerous])\n  Risk: high (nobody states a risk)\n",
    ],
  ])("of github with %j", async (flags, expected) => {
    const { exit, stdout, stderr } = await place.run("mcp", "tools", "github", ...flags);
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: expected });
    expect(stderr).toBe("Tools from github (2 enabled, 1 disabled):\n\n");
    expect((await place.run("mcp", "tools", "github", ...flags, "--quiet")).stderr).toBe("");
  });

  it("of a server without any says so", async () => {
    const { exit, stdout, stderr } = await place.run("mcp", "tools", "empty");
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: "" });
    expect(stderr).toBe("Tools from empty (0 enabled, 0 disabled):\n\nempty offers no tools.\n");
  });

  it("gives programs the rule of each tool with --explain", async () => {
    const ran = await place.run("mcp", "tools", "github", "--explain", "--json");
    expect(ran.json()).toMatchObject({
      server: "github",
      tools: [
        { name: "create_issue", enabled: true, risk: "high", risk_origin: "nobody states a risk" },
        {},
        { name: "delete_repo", enabled: false, rule: expect.stringContaining("rule 1") as string },
      ],
    });
  });

  it("of a server that fails exits with 3 and its reason", async () => {
    const { exit, stdout, stderr } = await place.run("mcp", "tools", "broken");
    expect({ exit, stdout }).toEqual({ exit: 3, stdout: "" });
    expect(stderr).toMatch(/^✗ broken ended with code 7: /);
  });

  it("of an unknown server exits with 2, as JSON too", async () => {
    expect(await place.run("mcp", "tools", "githb")).toMatchObject({ exit: 2 });
    const ran = await place.run("mcp", "tools", "githb", "--json");
    expect(ran.exit).toBe(2);
    expect(ran.json()).toMatchObject({ success: false, error: { code: "SERVER_NOT_FOUND", nearest: ["github"] } });
  });

  it("tells of definitions that could not be used", async () => {
    const bad = createCliPlace({ servers: [{ name: "bad", ...testServer("faulty.mjs", "bad-tools") }] });
    const { stderr } = await bad.run("mcp", "tools", "bad");
    bad.remove();
    expect(stderr).toMatch(/\n! \d+ definitions? of bad could not be used: `anygpt mcp doctor bad` tells why\.\n$/);
  });
});

describe("inspect", () => {
  it("shows description, parameters and examples", async () => {
    const { exit, stdout } = await place.run("mcp", "inspect", "github", "create_issue", "--examples");
    expect(exit).toBe(0);
    expect(stdout).toBe(`Tool: github:create_issue

Description:
  Create a new GitHub issue in a repository

Parameters:
  repo (string, required)
    Repository name (owner/repo)

  title (string, required)
    Issue title

  body (string, optional)
    Issue body (markdown)

Tags: github

Risk: high (nobody states a risk)
Idempotent: no; a call's key stays with the gateway

Examples:
  Example 1:
    repo: "owner/repo"
    title: "Bug: it crashes"
    body: "## Steps\\n1. Launch"
`);
  });

  it("leaves the examples out unless they are asked for", async () => {
    expect((await place.run("mcp", "inspect", "github", "create_issue")).stdout).not.toContain("Examples:");
  });

  it("shows a disabled tool with the rule that disables it", async () => {
    const { exit, stdout } = await place.run("mcp", "inspect", "github", "delete_repo");
    expect(exit).toBe(0);
    expect(stdout).toContain("\n! Disabled: rule 1 (*delete* → disabled, tags: [dangerous]). It cannot be executed.\n");
    const ran = await place.run("mcp", "inspect", "github", "delete_repo", "--json");
    expect(ran.json()).toMatchObject({ enabled: false, rule: "rule 1 (*delete* → disabled, tags: [dangerous])" });
  });

  it("shows a tool that no rule decides with the reason why it is disabled", async () => {
    const config = place.write("allow.json", {
      servers: [{ name: "files", command: "x", tools: [{ name: "read" }, { name: "write" }] }],
      toolRules: [{ pattern: "read", enabled: true }],
    });
    const { stdout } = await place.run("mcp", "inspect", "files", "write", "--config", config);
    expect(stdout).toContain(
      "\n! Disabled: no rule decides; disabled because rule 1 makes the rules an allow-list. It cannot be executed.\n",
    );
  });

  it("prints the raw schema with --schema", async () => {
    const ran = await place.run("mcp", "inspect", "github", "create_issue", "--schema");
    expect(ran.json()).toEqual(GITHUB[0]?.inputSchema);
  });

  it("gives programs what an agent gets", async () => {
    const ran = await place.run("mcp", "inspect", "github", "create_issue", "--json");
    expect(ran.json()).toMatchObject({
      server: "github",
      tool: "create_issue",
      parameters: [{ name: "repo", type: "string", required: true }, {}, { name: "body", required: false }],
      enabled: true,
      risk: "high",
      risk_origin: "nobody states a risk",
      required_scopes: [],
      rate_limit_bucket: null,
      idempotent: false,
      key_sent_as: null,
      confirmation_required: false,
    });
  });

  it("shows what the policy says of a tool, and by whose word", async () => {
    const tools = [
      { name: "pay", annotations: { readOnlyHint: true } },
      { name: "wipe", annotations: { destructiveHint: true }, _meta: { "anygpt/idempotencyKey": true } },
    ];
    const config = place.write("policy.json", {
      servers: [{ name: "bank", ...toolServer(place, "bank", { tools }) }],
      policy: {
        risk: [{ tools: "pay", risk: "medium" }],
        scopes: [{ tools: "pay", required_scopes: ["money:send"] }],
        buckets: { money: { calls: 3, perSeconds: 60, per: "everyone" } },
        rateLimits: [{ tools: "pay", rate_limit_bucket: "money" }],
        idempotency: { tools: [{ tools: "pay", sendKeyAs: "reference", idempotent: false }] },
      },
    });
    const pay = await place.run("mcp", "inspect", "bank", "pay", "--config", config);
    expect(pay.stdout).toContain(`
Risk: medium (policy.risk, entry 1)
Required scopes: money:send
Rate limit: money (3 in 1 min, everyone together)
Idempotent: no; a call's key travels on as the argument reference
`);
    const wipe = await place.run("mcp", "inspect", "bank", "wipe", "--config", config);
    expect(wipe.stdout).toContain(
      "\nRisk: destructive (the server says destructiveHint: true); calls have to be confirmed\n",
    );
    expect(wipe.stdout).toContain("\nIdempotent: yes; a call's key travels on in _meta\n");
    const asJson = await place.run("mcp", "inspect", "bank", "pay", "--config", config, "--json");
    expect(asJson.json()).toMatchObject({
      required_scopes: ["money:send"],
      rate_limit_bucket: "money",
      key_sent_as: "reference",
    });
  });

  it.each([
    ["an unknown tool", ["github", "create_isue"], "Did you mean create_issue?"],
    ["an unknown server", ["gitlab", "create_issue"], ""],
  ])("of %s exits with 2", async (_name, argv, hint) => {
    const { exit, stdout, stderr } = await place.run("mcp", "inspect", ...argv);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toContain(hint);
  });

  it("names commands, not meta-tools, in its hints", async () => {
    const { stderr } = await place.run("mcp", "inspect", "github", "qqqq");
    expect(stderr).toContain("`anygpt mcp search` finds tools by what they do.");
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
  expect((await place.run("mcp", "tools", "sly", "--config", config)).stdout).toBe("✓ x ✓ harmless\n");
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

  it("has no line wider than itself and none that ends in a space", async () => {
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
