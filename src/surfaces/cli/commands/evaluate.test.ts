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
      "refused",
      "tokens",
      "latencyMs",
    ]);
    expect(report).toMatchObject({
      queries: 3,
      "hit@1": 2 / 3,
      "recall@10": 2 / 3,
      "ndcg@10": 2 / 3,
      mrr: 2 / 3,
      refused: 1 / 3,
    });
    const { tokens, latencyMs } = report as { tokens: { median: number }; latencyMs: { median: number; max: number } };
    expect(tokens.median).toBeGreaterThan(10);
    expect(latencyMs.max).toBeGreaterThan(0);
  });

  it("prints a table for people, and names what no search can find", async () => {
    const { stdout, stderr } = await evaluate("--catalog", "tools.json", "--queries", "queries.json");
    expect(stdout).toMatch(/^Search evaluation: 3 queries over 3 tools on 2 servers\n\n {2}hit@1 {7}0\.667\n/);
    expect(stdout).toMatch(
      /\n {2}refused {5}0\.333\n\n {2}tokens {6}median \d+, p95 \d+\n {2}latency {5}median [\d.]+ ms/,
    );
    expect(stderr).toBe("! 1 relevant tool is not in the catalog, files:gone for example: no search can find it.\n");
  });

  it.each([
    ["a missing file", "none.json", undefined, "none.json does not exist."],
    ["a folder", ".", undefined, ". could not be read (EISDIR)."],
    ["text that is not JSON", "bad.json", "[{]", "bad.json is not valid JSON (at character 2)."],
    ["another encoding", "bad.json", "\0[]", "bad.json holds NUL characters"],
    ["another form", "bad.json", '[{"server":"a"}]', "bad.json has another form: 0.name:"],
    ["no tools", "bad.json", "[]", "bad.json has another form: the file:"],
    ["many mistakes", "bad.json", JSON.stringify(Array.from({ length: 9 }, () => ({ server: "a" }))), "; and 4 more."],
  ])("refuses %s as a catalog", async (_name, file, content, message) => {
    if (content !== undefined) place.write(file, content);
    const { exit, stdout, stderr } = await evaluate("--catalog", file, "--queries", "queries.json");
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
    expect(stderr).toContain(message);
    expect(stderr).toContain("A catalog is [{server, name,");
  });

  it("refuses queries of another form", async () => {
    place.write("bad.json", [{ query: "", relevant: [] }]);
    const { exit, stderr } = await evaluate("--catalog", "tools.json", "--queries", "bad.json");
    expect(exit).toBe(1);
    expect(stderr).toContain("bad.json has another form: 0.query:");
  });
});
