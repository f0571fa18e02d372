import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliPlace, createCliPlace } from "../../../../test/support/cli.js";

const TOOLS = [
  {
    server: "github",
    name: "create_issue",
    description: "Create an issue in a repository",
    inputSchema: { type: "object" },
  },
  { server: "github", name: "list_repos", description: "List repositories", tags: ["code"] },
  { server: "files", name: "read_file", description: "Read a file from disk", inputSchema: null },
  { server: "files", name: "read_file", description: "The same name again" },
];
const QUERIES = [
  { query: "create an issue", relevant: [{ server: "github", name: "create_issue" }], source: "by hand" },
  { query: "read a file", relevant: [{ server: "files", name: "read_file", grade: 2 }] },
  { query: "xyzzy plugh", relevant: [{ server: "files", name: "gone" }] },
];

let place: CliPlace;

beforeAll(() => {
  place = createCliPlace();
  place.write("tools.json", TOOLS);
  place.write("queries.json", QUERIES);
  place.write("unanswerable.json", [{ query: "frobnicate quux" }, { query: "read a file", relevant: [] }]);
});
afterAll(() => place.remove());

const evaluate = (...flags: string[]) => place.run("mcp", "eval", ...flags);

describe("eval", () => {
  it("prints one object with exactly the promised keys", async () => {
    const ran = await evaluate("--catalog", "tools.json", "--queries", "queries.json", "--json");
    expect(ran).toMatchObject({ exit: 0, stderr: "" });
    const report = ran.json() as Record<string, unknown>;
    expect(Object.keys(report)).toEqual([
      "queries",
      "hit@1",
      "recall@1",
      "recall@3",
      "recall@5",
      "recall@10",
      "ndcg@10",
      "mrr",
      "shown",
      "empty",
      "refused",
      "tokens",
      "latencyMs",
      "misses",
    ]);
    expect(report).toMatchObject({
      queries: 3,
      "hit@1": 2 / 3,
      "recall@10": 2 / 3,
      "ndcg@10": 2 / 3,
      mrr: 2 / 3,
      shown: 2 / 3,
      empty: 0,
      refused: 1 / 3,
    });
    const { tokens, latencyMs } = report as { tokens: { median: number }; latencyMs: { median: number; max: number } };
    expect(tokens.median).toBeGreaterThan(10);
    expect(latencyMs.max).toBeGreaterThan(0);
  });

  it("prints a table, and names tools that no search can find", async () => {
    const { stdout, stderr } = await evaluate("--catalog", "tools.json", "--queries", "queries.json");
    expect(stdout).toMatch(/^Search evaluation: 3 queries over 3 tools on 2 servers\n\n {2}hit@1 {7}0\.667\n/);
    expect(stdout).toMatch(
      /\n {2}shown {7}0\.667\n {2}empty {7}0\.000\n {2}refused {5}0\.333\n\n {2}tokens {6}median \d+, p95 \d+\n {2}latency {5}median [\d.]+ ms/,
    );
    expect(stderr).toBe(
      "! 1 relevant tool is not in the catalog (for example files:gone), so no search can find it.\n",
    );
  });

  it.each([
    ["a missing file", "none.json", undefined, "none.json does not exist."],
    ["a folder", ".", undefined, ". could not be read (EISDIR)."],
    ["text that is not JSON", "bad.json", "[{]", "bad.json is not valid JSON (at character 2)."],
    ["another encoding", "bad.json", "\0[]", "bad.json contains NUL characters"],
    ["another form", "bad.json", '[{"server":"a"}]', "bad.json does not match its schema: 0.name:"],
    ["no tools", "bad.json", "[]", "bad.json does not match its schema: the file:"],
    ["many mistakes", "bad.json", JSON.stringify(Array.from({ length: 9 }, () => ({ server: "a" }))), "; and 4 more."],
  ])("refuses %s as a catalog", async (_name, file, content, message) => {
    if (content !== undefined) place.write(file, content);
    const { exit, stdout, stderr } = await evaluate("--catalog", file, "--queries", "queries.json");
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
    expect(stderr).toContain(message);
    expect(stderr).toContain("A catalog is [{server, name,");
  });

  it("ignores configured limits, and keeps the semantic setting", async () => {
    const tools = ["play_song", "play_tune", "play_music"].map((name) => ({ server: "music", name }));
    const measure = async (search: object) => {
      const own = createCliPlace();
      own.write("tools.json", [...tools, { server: "k8s", name: "list_nodes", description: "List all nodes" }]);
      own.write("queries.json", [
        { query: "play music", relevant: tools },
        { query: "orchestra melody", relevant: tools },
      ]);
      own.write("config.json", { servers: {}, search });
      const files = ["--catalog", "tools.json", "--queries", "queries.json", "--config", "config.json"];
      const ran = await own.run("mcp", "eval", ...files, "--json");
      own.remove();
      const { latencyMs: _time, ...report } = ran.json() as Record<string, unknown>;
      return report;
    };
    const usual = await measure({});
    expect(await measure({ limit: 1, minRelevance: 1 })).toEqual(usual);
    expect(await measure({ limit: 50 })).toEqual(usual);
    expect(await measure({ semantic: false })).not.toEqual(usual);
  });

  it("rejects an answerable query without a relevant tool, and names it", async () => {
    place.write("bad.json", [...QUERIES, { query: "frobnicate quux", relevant: [] }]);
    const { exit, stderr } = await evaluate("--catalog", "tools.json", "--queries", "bad.json");
    expect(exit).toBe(1);
    expect(stderr).toContain("bad.json does not match its schema: 3.relevant: no relevant tool");
  });

  it("refuses queries of another form", async () => {
    place.write("bad.json", [{ query: "", relevant: [] }]);
    const { exit, stderr } = await evaluate("--catalog", "tools.json", "--queries", "bad.json");
    expect(exit).toBe(1);
    expect(stderr).toContain("bad.json does not match its schema: 0.query:");
  });

  it("adds the share of unanswerable queries that no tool fits", async () => {
    const files = ["--catalog", "tools.json", "--queries", "queries.json", "--unanswerable", "unanswerable.json"];
    const report = (await evaluate(...files, "--json")).json() as Record<string, unknown>;
    expect(report).toMatchObject({ queries: 3, refused: 1 / 3, abstained: 0.5 });
    expect(Object.keys(report)).toHaveLength(15);

    const { stdout } = await evaluate(...files);
    expect(stdout).toMatch(/ {2}refused {5}0\.333\n {2}abstained {3}0\.500\n/);
  });

  it("lists the queries whose first result is wrong, with expected and found tools", async () => {
    place.write("mixed.json", [
      { query: "create an issue", relevant: [{ server: "github", name: "create_issue" }] },
      { query: "create an issue", relevant: [{ server: "github", name: "gone" }] },
    ]);
    const files = ["--catalog", "tools.json", "--queries", "mixed.json"];
    const { misses } = (await evaluate(...files, "--json")).json() as { misses: { found: string[] }[] };
    expect(misses).toEqual([
      {
        query: "create an issue",
        expected: ["github:gone"],
        found: expect.arrayContaining(["github:create_issue"]) as string[],
      },
    ]);
    const { stdout } = await evaluate(...files);
    expect(stdout).toContain("\nFirst result is wrong: 1 query\n");
    expect(stdout).toContain("\n    expected github:gone\n    found github:create_issue");
  });

  it("states the rank of a relevant tool that is found below the first hit", async () => {
    place.write("ranked.tools.json", [
      { server: "github", name: "create_issue", description: "Create an issue" },
      { server: "github", name: "create_issue_comment", description: "Create a comment on an issue" },
    ]);
    place.write("ranked.json", [
      { query: "create an issue", relevant: [{ server: "github", name: "create_issue_comment" }] },
    ]);
    const files = ["--catalog", "ranked.tools.json", "--queries", "ranked.json"];
    const { misses } = (await evaluate(...files, "--json")).json() as { misses: { rank: number }[] };
    expect(misses).toMatchObject([{ rank: 2, found: ["github:create_issue", "github:create_issue_comment"] }]);
    expect((await evaluate(...files)).stdout).toContain("\n    expected github:create_issue_comment (rank 2)\n");
  });

  it("ranks by words alone with --words", async () => {
    place.write("meant.tools.json", [
      { server: "music", name: "play_song", description: "Play a song" },
      { server: "k8s", name: "list_nodes", description: "List all nodes" },
    ]);
    place.write("meant.json", [{ query: "orchestra melody", relevant: [{ server: "music", name: "play_song" }] }]);
    const measure = async (...flags: string[]) =>
      (await evaluate("--catalog", "meant.tools.json", "--queries", "meant.json", "--json", ...flags)).json();
    expect(await measure()).toMatchObject({ "hit@1": 1 });
    expect(await measure("--words")).toMatchObject({ "hit@1": 0 });
  });

  it.each([
    ["a catalog alone", ["--catalog", "tools.json"], "--queries <file> is required."],
    ["queries alone", ["--queries", "queries.json"], "--catalog <file> is required."],
    ["a folder of sets", ["--catalog", "t", "--queries", "q", "--data", "data"], "--data"],
  ])("refuses %s", async (_name, flags, message) => {
    const { exit, stdout, stderr } = await evaluate(...flags);
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
    expect(stderr).toContain(message);
  });

  it("stops at Ctrl-C", async () => {
    const files = ["--catalog", "tools.json", "--queries", "queries.json"];
    const { exit } = await place.runWith({ signal: AbortSignal.abort() }, "mcp", "eval", ...files);
    expect(exit).toBe(130);
  });
});
