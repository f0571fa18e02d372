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
  place.write("data/search/dev.tools.json", TOOLS);
  place.write("data/search/dev.queries.json", QUERIES.slice(0, 2));
  place.write("data/search/dev.unanswerable.json", [{ query: "frobnicate quux" }]);
  place.write("data/search/ops.tools.json", [
    { server: "k8s", name: "restart_pod", description: "Restart a pod" },
    { server: "k8s", name: "list_nodes", description: "List all nodes" },
  ]);
  place.write("data/search/ops.queries.json", [
    { query: "restart pod", relevant: [{ server: "k8s", name: "restart_pod" }] },
  ]);
  place.write("data/corpus/more.tools.json", [
    { server: "k8s", name: "restart_pod", description: "The set has this one itself" },
    { server: "k8s", name: "restart_node", description: "Restart a node" },
    { server: "slack", name: "post_message", description: "Post a message" },
  ]);
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

  it("measures the same whatever the configuration says of limits, and keeps whether it goes by meaning", async () => {
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

  it("refuses an answerable query without a relevant tool, and says which", async () => {
    place.write("bad.json", [...QUERIES, { query: "frobnicate quux", relevant: [] }]);
    const { exit, stderr } = await evaluate("--catalog", "tools.json", "--queries", "bad.json");
    expect(exit).toBe(1);
    expect(stderr).toContain("bad.json has another form: 3.relevant: no relevant tool");
  });

  it("refuses queries of another form", async () => {
    place.write("bad.json", [{ query: "", relevant: [] }]);
    const { exit, stderr } = await evaluate("--catalog", "tools.json", "--queries", "bad.json");
    expect(exit).toBe(1);
    expect(stderr).toContain("bad.json has another form: 0.query:");
  });

  it("adds the share of unanswerable queries that it refuses, and what else is asked for", async () => {
    const files = ["--catalog", "tools.json", "--queries", "queries.json", "--unanswerable", "unanswerable.json"];
    const report = (await evaluate(...files, "--json")).json() as Record<string, unknown>;
    expect(report).toMatchObject({ queries: 3, refused: 1 / 3, abstained: 0.5 });
    expect(Object.keys(report)).toHaveLength(12);

    const { stdout } = await evaluate(...files, "--removed", "--calibration", "--haystack", "data/corpus");
    expect(stdout).toContain("over 6 tools on 4 servers");
    expect(stdout).toMatch(/ {2}refused {5}0\.333\n {2}abstained {3}0\.500\n {2}removed {5}[01]\.\d{3}\n/);
    expect(stdout).toContain("\nReliability of relevance over 3 answerable queries\n");
  });
});

interface Ranker {
  readonly "hit@1": number;
  readonly refused: number;
  readonly abstained?: number;
  readonly abstainedRemoved?: number;
}

interface Bench {
  readonly half: string;
  readonly distractors: number;
  readonly sets: {
    readonly name: string;
    readonly tools: number;
    readonly servers: number;
    readonly queries: number;
    readonly unanswerable: number;
    readonly rankers: Readonly<Record<string, Ranker>>;
    readonly comparison?: { readonly baseline: string; readonly measures: object };
    readonly wordsComparison?: { readonly baseline: string; readonly measures: object };
  }[];
  readonly macro: { readonly rankers: Readonly<Record<string, Ranker>> };
  readonly calibration?: { readonly queries: number; readonly first: { readonly hits: number }[] };
}

const bench = async (...flags: string[]) => (await evaluate("--data", "data", "--json", ...flags)).json() as Bench;

describe("eval over a folder", () => {
  it("measures every set with ours and the baselines, and their macro average", async () => {
    const { half, distractors, sets, macro, calibration } = await bench();
    expect({ half, distractors, calibration }).toEqual({ half: "all", distractors: 0, calibration: undefined });
    expect(
      sets.map(({ name, tools, servers, queries, unanswerable }) => [name, tools, servers, queries, unanswerable]),
    ).toEqual([
      ["dev", 3, 2, 2, 1],
      ["ops", 2, 1, 1, 0],
    ]);
    for (const { rankers } of [...sets, macro]) {
      expect(Object.keys(rankers)).toEqual(["ours", "seed", "bm25", "minisearch"]);
      expect(rankers["ours"]).toMatchObject({ "hit@1": 1, refused: 0 });
    }
    expect(sets[0]?.rankers["ours"]?.abstained).toBe(1);
    expect(sets[1]?.rankers["ours"]).not.toHaveProperty("abstained");
    expect(macro.rankers["bm25"]?.abstained).toBe(1);
    expect(Object.keys(sets[0]?.comparison?.measures ?? {})).toEqual(["hit@1", "recall@5", "ndcg@10"]);
  });

  it("gives the same numbers in every run, but for the time", async () => {
    const timeless = (key: string, value: unknown) => (key === "latencyMs" ? undefined : value);
    const flags = ["--removed", "--calibration", "--haystack"];
    expect(JSON.stringify(await bench(...flags), timeless)).toBe(JSON.stringify(await bench(...flags), timeless));
  });

  it("takes the folder from ANYGPT_DATA, and one that holds the sets itself", async () => {
    const env = { ANYGPT_DATA: "data/search" };
    const { exit, stdout, stderr } = await place.runWith({ env }, "mcp", "eval", "--baselines", "bm25");
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    expect(stdout).toMatch(/^ {13}hit@1 recall@1 .* abstained\ndev: 2 queries over 3 tools on 2 servers\n {2}ours /);
    expect(stdout).toMatch(/\n {2}ours - bm25: {2}hit@1 /);
    expect(stdout).toMatch(/\nmacro average of 2 sets\n {2}ours .*\n {2}bm25 /);
  });

  it("measures only the sets and baselines that are named", async () => {
    const { sets } = await bench("--only", "ops", "--baselines", "none");
    expect(sets.map(({ name, rankers }) => [name, Object.keys(rankers)])).toEqual([["ops", ["ours"]]]);
    expect(sets[0]).not.toHaveProperty("comparison");
  });

  it("measures a baseline once that is named twice", async () => {
    const { macro } = await bench("--baselines", "bm25,bm25");
    expect(Object.keys(macro.rankers)).toEqual(["ours", "bm25"]);
    const { stdout } = await evaluate("--data", "data", "--only", "ops", "--baselines", "bm25, bm25");
    expect(stdout.match(/^ {2}bm25 /gm)).toHaveLength(1);
  });

  it("puts distractors among the tools, and none that could be taken for the set's own", async () => {
    const { distractors, sets } = await bench("--haystack");
    expect(distractors).toBe(3);
    expect(sets.map(({ tools, servers }) => [tools, servers])).toEqual([
      [6, 4],
      [4, 3],
    ]);
    expect(sets[1]?.rankers["ours"]?.["hit@1"]).toBe(1);
    const named = await bench("--only", "ops", "--haystack", "data/corpus/more.tools.json", "data/search");
    expect(named.sets[0]?.tools).toBe(2 + 2 + 3);
  });

  it("asks again without the tools that answer", async () => {
    place.write("single/one.tools.json", [{ server: "k8s", name: "restart_pod", description: "Restart a pod" }]);
    place.write("single/one.queries.json", [
      { query: "restart pod", relevant: [{ server: "k8s", name: "restart_pod" }] },
    ]);
    const { sets } = (await evaluate("--data", "single", "--removed", "--json")).json() as Bench;
    for (const ranker of ["ours", "seed", "bm25", "minisearch"]) {
      expect(sets[0]?.rankers[ranker]).toMatchObject({ "hit@1": 1, refused: 0, abstainedRemoved: 1 });
    }
  });

  it("shows how often hits of each stated relevance are right", async () => {
    const { calibration } = await bench("--calibration");
    expect(calibration?.queries).toBe(3);
    expect(calibration?.first.reduce((sum, { hits }) => sum + hits, 0)).toBe(3);
  });

  it("measures one half or the other", async () => {
    const queries = Array.from({ length: 20 }, (_, number) => ({
      query: `restart pod ${number}`,
      relevant: [{ server: "k8s", name: "restart_pod" }],
    }));
    place.write("halved/ops.tools.json", [{ server: "k8s", name: "restart_pod", description: "Restart a pod" }]);
    place.write("halved/ops.queries.json", queries);
    const sizes = await Promise.all(
      ["tune", "report"].map(async (half) => {
        const ran = await evaluate("--data", "halved", "--baselines", "none", "--half", half, "--json");
        return (ran.json() as Bench).sets[0]?.queries ?? 0;
      }),
    );
    expect(sizes.every((size) => size > 0)).toBe(true);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(20);
  });

  it("leaves out what taught the model, in whichever half and haystack", async () => {
    const ask = (name: string) => ({ query: `${name} of k8s`, relevant: [{ server: "k8s", name }] });
    place.write("taught/bfcl.tools.json", [
      { server: "k8s", name: "restart_pod", description: "Restart a pod" },
      { server: "k8s", name: "list_nodes", description: "List all nodes" },
    ]);
    place.write("taught/bfcl.queries.json", [ask("restart_pod"), ask("list_nodes")]);
    const measure = async (...flags: string[]) =>
      (await evaluate("--data", "taught", "--baselines", "none", "--json", ...flags)).json() as Bench;
    expect((await measure()).sets[0]).toMatchObject({ queries: 2, tools: 2 });
    const flags = ["--unseen", "--half", "report", "--haystack", "data/corpus"];
    expect(await measure(...flags)).toMatchObject({ unseen: true, sets: [{ queries: 1, tools: 4 }] });
  });

  it("ranks by words alone, as ours or beside it", async () => {
    place.write("meant/a.tools.json", [
      { server: "music", name: "play_song", description: "Play a song" },
      { server: "k8s", name: "list_nodes", description: "List all nodes" },
    ]);
    place.write("meant/a.queries.json", [
      { query: "orchestra melody", relevant: [{ server: "music", name: "play_song" }] },
    ]);
    const measure = async (...flags: string[]) =>
      (await evaluate("--data", "meant", "--json", ...flags)).json() as Bench;
    const beside = await measure("--baselines", "words,bm25");
    expect(Object.keys(beside.macro.rankers)).toEqual(["ours", "words", "bm25"]);
    expect(beside.macro.rankers).toMatchObject({ ours: { "hit@1": 1 }, words: { "hit@1": 0 } });
    expect(beside.sets[0]?.wordsComparison).toMatchObject({
      baseline: "words",
      measures: { "hit@1": { difference: 1 } },
    });
    const alone = await measure("--words", "--baselines", "bm25");
    expect(alone).toMatchObject({ words: true, macro: { rankers: { ours: { "hit@1": 0 } } } });
    expect(alone.sets[0]).not.toHaveProperty("wordsComparison");
  });

  it("names the labels that no search can find", async () => {
    place.write("lost/a.tools.json", TOOLS);
    place.write("lost/a.queries.json", QUERIES);
    const { stderr } = await evaluate("--data", "lost", "--baselines", "none");
    expect(stderr).toBe("! 1 relevant tool is not in a, files:gone for example: no search can find it.\n");
  });

  it.each([
    ["no data", [], "There is nothing to measure with.", "--data or in ANYGPT_DATA"],
    ["a folder without sets", ["--data", "data/corpus"], "data/corpus has no sets", "NAME.queries.json"],
    ["a folder that does not exist", ["--data", "nowhere"], "nowhere has no sets", "NAME.queries.json"],
    ["a set that is not there", ["--data", "data", "--only", "dav"], 'named "dav"', "There are dev, ops."],
    ["another half", ["--data", "data", "--half", "best"], 'No half is named "best".', "tune or report"],
    ["another baseline", ["--data", "data", "--baselines", "x"], 'No baseline is named "x".', "seed, bm25, minisearch"],
    ["none beside others", ["--data", "data", "--baselines", "none,bm25"], "none stands alone", "--baselines none"],
    ["a catalog alone", ["--catalog", "tools.json"], "'--queries <file>' not specified.", "--catalog goes with"],
    ["queries alone", ["--queries", "queries.json"], "'--catalog <file>' not specified.", "--queries goes with"],
    [
      "unanswerable ones alone",
      ["--unanswerable", "u.json"],
      "'--catalog <file>' not specified.",
      "--unanswerable goes with",
    ],
    ["words beside words", ["--data", "data", "--words", "--baselines", "words"], "the baseline words", "Leave one"],
    ["an unseen catalog", ["--catalog", "t", "--queries", "q", "--unseen"], "--unseen is for a folder", "what taught"],
    ["both forms", ["--catalog", "t", "--queries", "q", "--data", "data"], "--data is for a folder", "Give one"],
    ["no haystack", ["--catalog", "t", "--queries", "q", "--haystack"], "--haystack names no files", "ANYGPT_DATA"],
    ["an empty haystack", ["--data", "data", "--haystack", "."], ". holds no *.tools.json files.", "a folder that has"],
    ["a missing haystack", ["--data", "data", "--haystack", "x.json"], "x.json does not exist.", "A catalog is"],
  ])("refuses %s", async (_name, flags, message, hint) => {
    const { exit, stdout, stderr } = await evaluate(...flags);
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
    expect(stderr).toContain(message);
    expect(stderr).toContain(hint);
  });

  it("stops at Ctrl-C", async () => {
    const { exit } = await place.runWith({ signal: AbortSignal.abort() }, "mcp", "eval", "--data", "data");
    expect(exit).toBe(130);
  });
});
