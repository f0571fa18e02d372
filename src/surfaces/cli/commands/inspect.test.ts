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

const LONG = "Reads one file and returns its text with the encoding that the file declares. ".repeat(10).trim();

let place: CliPlace;

beforeAll(async () => {
  place = createCliPlace();
  const hostile = {
    name: "x\u001b[2J",
    description: "\u001b]0;owned\u0007 hides\u202e text",
    inputSchema: { type: "object" },
  };
  const endless = { name: "endless", description: "a ".repeat(30_000), inputSchema: { type: "object" } };
  place.write(".anygpt/mcp-discovery.config.json", {
    servers: [
      { name: "github", description: "GitHub API integration", ...toolServer(place, "github", { tools: GITHUB }) },
      { name: "hostile", description: "bell\u0007", ...toolServer(place, "hostile", { tools: [hostile, endless] }) },
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

describe("inspect", () => {
  it("cuts a description that nobody can read, but not with --full", async () => {
    const [shown, full] = await Promise.all(
      [[], ["--full"]].map(async (more) => await place.run("mcp", "inspect", "hostile:endless", ...more)),
    );
    expect(shown?.stdout.length).toBeLessThan(20_000);
    expect(shown?.stdout).toContain("more characters)");
    expect(full?.stdout.length).toBeGreaterThan(50_000);
  });

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

Risk: medium (the name says "create")
Idempotent: no; the server does not receive idempotency keys

Examples:
  Example 1:
    repo: "owner/repo"
    title: "Bug: it crashes"
    body: "## Steps\\n1. Launch"
`);
  });

  it("omits the examples without --examples", async () => {
    expect((await place.run("mcp", "inspect", "github", "create_issue")).stdout).not.toContain("Examples:");
  });

  it.each([
    ["nothing, because the description of the tool is shown in full", "Short.", ""],
    ["the cut description of a parameter", LONG, "\nDescriptions are shortened. Add --full to see everything.\n"],
  ])("reports as shortened %s", async (_, description, notice) => {
    const inputSchema = { type: "object", properties: { path: string(description) } };
    const tools = [{ name: "read", description: LONG, inputSchema }];
    const config = place.write("long.json", { servers: [{ name: "files", command: "x", tools }] });
    const { stdout, stderr } = await place.run("mcp", "inspect", "files", "read", "--config", config);
    expect(stdout).toContain(LONG);
    expect(stderr).toBe(notice);
  });

  it("shows a disabled tool with the rule that disables it", async () => {
    const { exit, stdout } = await place.run("mcp", "inspect", "github", "delete_repo");
    expect(exit).toBe(0);
    expect(stdout).toContain(
      "\n! Disabled: rule 1 (*delete* → disabled, tags: [dangerous]). The tool cannot be executed.\n",
    );
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
      "\n! Disabled: no rule decides; disabled because rule 1 makes the rules an allow-list. The tool cannot be executed.\n",
    );
  });

  it("prints the raw schema with --schema", async () => {
    const ran = await place.run("mcp", "inspect", "github", "create_issue", "--schema");
    expect(ran.json()).toEqual(GITHUB[0]?.inputSchema);
  });

  it("prints the same JSON as the meta-tool", async () => {
    const ran = await place.run("mcp", "inspect", "github", "create_issue", "--json");
    expect(ran.json()).toMatchObject({
      server: "github",
      tool: "create_issue",
      parameters: [{ name: "repo", type: "string", required: true }, {}, { name: "body", required: false }],
      enabled: true,
      risk: "medium",
      risk_origin: 'the name says "create"',
      required_scopes: [],
      rate_limit_bucket: null,
      idempotent: false,
      key_sent_as: null,
      confirmation_required: false,
    });
  });

  it("shows the policy decision about a tool and its origin", async () => {
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
Rate limit: money (3 calls in 1 min, shared by all actors)
Idempotent: no; the server receives idempotency keys as the argument reference
`);
    const wipe = await place.run("mcp", "inspect", "bank", "wipe", "--config", config);
    expect(wipe.stdout).toContain(
      "\nRisk: destructive (the server says destructiveHint: true); calls need a confirmation\n",
    );
    expect(wipe.stdout).toContain("\nIdempotent: yes; the server receives idempotency keys in _meta\n");
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
    expect(stderr).toContain("Run `anygpt mcp search QUERY` to find tools by what they do.");
  });
});
