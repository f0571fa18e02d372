import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runSearchBench } from "./main.js";

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

const cwd = mkdtempSync(join(tmpdir(), "anygpt-bench-search-"));
const place = {
  write(file: string, content: unknown): void {
    mkdirSync(dirname(join(cwd, file)), { recursive: true });
    writeFileSync(join(cwd, file), JSON.stringify(content));
  },
};

beforeAll(() => {
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
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const runWith = async (env: Record<string, string>, ...flags: string[]) => {
  let [stdout, stderr] = ["", ""];
  await runSearchBench(flags, {
    cwd,
    env,
    print(text) {
      stdout += text;
    },
    note(text) {
      stderr += text;
    },
  });
  return { stdout, stderr };
};
const run = (...flags: string[]) => runWith({}, ...flags);

interface RankerScores {
  readonly "hit@1": number;
  readonly shown: number;
  readonly empty: number;
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
    readonly rankers: Readonly<Record<string, RankerScores>>;
    readonly comparison?: { readonly baseline: string; readonly measures: object };
    readonly wordsComparison?: { readonly baseline: string; readonly measures: object };
  }[];
  readonly macro: { readonly rankers: Readonly<Record<string, RankerScores>> };
  readonly calibration?: { readonly queries: number; readonly first: { readonly hits: number }[] };
}

const bench = async (...flags: string[]) => JSON.parse((await run(...flags)).stdout) as Bench;

describe("npm run bench:search", () => {
  it("measures every set with our ranker and the baselines, and the macro average", async () => {
    const { half, distractors, sets, macro, calibration } = await bench("--data", "data", "--json");
    expect({ half, distractors, calibration }).toEqual({ half: "all", distractors: 0, calibration: undefined });
    expect(
      sets.map(({ name, tools, servers, queries, unanswerable }) => [name, tools, servers, queries, unanswerable]),
    ).toEqual([
      ["dev", 3, 2, 2, 1],
      ["ops", 2, 1, 1, 0],
    ]);
    for (const { rankers } of [...sets, macro]) {
      expect(Object.keys(rankers)).toEqual(["ours", "seed", "bm25", "minisearch"]);
      expect(rankers["ours"]).toMatchObject({ "hit@1": 1, shown: 1, empty: 0, refused: 0 });
    }
    expect(sets[0]?.rankers["ours"]?.abstained).toBe(1);
    expect(sets[1]?.rankers["ours"]).not.toHaveProperty("abstained");
    expect(macro.rankers["bm25"]?.abstained).toBe(1);
    expect(Object.keys(sets[0]?.comparison?.measures ?? {})).toEqual(["hit@1", "recall@5", "ndcg@10"]);
  });

  it("prints the same numbers in every run, except times", async () => {
    const timeless = (key: string, value: unknown) => (key === "latencyMs" ? undefined : value);
    const flags = ["--removed", "--calibration", "--haystack"];
    expect(JSON.stringify(await bench("--data", "data", "--json", ...flags), timeless)).toBe(
      JSON.stringify(await bench("--data", "data", "--json", ...flags), timeless),
    );
  });

  it("reads the folder from ANYGPT_DATA, and accepts a folder that contains the sets directly", async () => {
    const env = { ANYGPT_DATA: "data/search" };
    const { stdout } = await runWith(env, "--baselines", "bm25");
    expect(stdout).toMatch(
      /^ {13}hit@1 recall@1 .* unanswerable: none\ndev: 2 queries over 3 tools on 2 servers\n {2}ours /,
    );
    expect(stdout).toMatch(/\n {2}ours - bm25: {2}hit@1 /);
    expect(stdout).toMatch(/\nmacro average of 2 sets\n {2}ours .*\n {2}bm25 /);
  });

  it("measures only the sets and baselines that are named", async () => {
    const { sets } = await bench("--data", "data", "--json", "--only", "ops", "--baselines", "none");
    expect(sets.map(({ name, rankers }) => [name, Object.keys(rankers)])).toEqual([["ops", ["ours"]]]);
    expect(sets[0]).not.toHaveProperty("comparison");
  });

  it("measures a baseline that is named twice only once", async () => {
    const { macro } = await bench("--data", "data", "--json", "--baselines", "bm25,bm25");
    expect(Object.keys(macro.rankers)).toEqual(["ours", "bm25"]);
    const { stdout } = await run("--data", "data", "--only", "ops", "--baselines", "bm25, bm25");
    expect(stdout.match(/^ {2}bm25 /gm)).toHaveLength(1);
  });

  it("adds distractors with other ids than the tools of the set", async () => {
    const { distractors, sets } = await bench("--data", "data", "--json", "--haystack");
    expect(distractors).toBe(3);
    expect(sets.map(({ tools, servers }) => [tools, servers])).toEqual([
      [6, 4],
      [4, 3],
    ]);
    expect(sets[1]?.rankers["ours"]?.["hit@1"]).toBe(1);
    const named = await bench(
      "--data",
      "data",
      "--json",
      "--only",
      "ops",
      "--haystack",
      "data/corpus/more.tools.json",
      "data/search",
    );
    expect(named.sets[0]?.tools).toBe(2 + 2 + 3);
  });

  it("also measures queries whose relevant tools are hidden", async () => {
    place.write("single/one.tools.json", [{ server: "k8s", name: "restart_pod", description: "Restart a pod" }]);
    place.write("single/one.queries.json", [
      { query: "restart pod", relevant: [{ server: "k8s", name: "restart_pod" }] },
    ]);
    const { sets } = await bench("--data", "single", "--removed", "--json");
    for (const ranker of ["ours", "seed", "bm25", "minisearch"]) {
      expect(sets[0]?.rankers[ranker]).toMatchObject({ "hit@1": 1, refused: 0, abstainedRemoved: 1 });
    }
  });

  it("reports how often hits of each stated relevance are correct", async () => {
    const { calibration } = await bench("--data", "data", "--json", "--calibration");
    expect(calibration?.queries).toBe(3);
    expect(calibration?.first.reduce((sum, { hits }) => sum + hits, 0)).toBe(3);
  });

  it("measures only the queries of the selected half", async () => {
    const queries = Array.from({ length: 20 }, (_, number) => ({
      query: `restart pod ${number}`,
      relevant: [{ server: "k8s", name: "restart_pod" }],
    }));
    place.write("halved/ops.tools.json", [{ server: "k8s", name: "restart_pod", description: "Restart a pod" }]);
    place.write("halved/ops.queries.json", queries);
    const sizes = await Promise.all(
      ["tune", "report"].map(async (half) => {
        const { sets } = await bench("--data", "halved", "--baselines", "none", "--half", half, "--json");
        return sets[0]?.queries ?? 0;
      }),
    );
    expect(sizes.every((size) => size > 0)).toBe(true);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(20);
  });

  it("omits queries with training tools, in each half and haystack", async () => {
    const ask = (name: string) => ({ query: `${name} of k8s`, relevant: [{ server: "k8s", name }] });
    place.write("taught/bfcl.tools.json", [
      { server: "k8s", name: "restart_pod", description: "Restart a pod" },
      { server: "k8s", name: "list_nodes", description: "List all nodes" },
    ]);
    place.write("taught/bfcl.queries.json", [ask("restart_pod"), ask("list_nodes")]);
    const measure = async (...flags: string[]) =>
      await bench("--data", "taught", "--baselines", "none", "--json", ...flags);
    expect((await measure()).sets[0]).toMatchObject({ queries: 2, tools: 2 });
    const flags = ["--unseen", "--half", "report", "--haystack", "data/corpus"];
    expect(await measure(...flags)).toMatchObject({ unseen: true, sets: [{ queries: 1, tools: 4 }] });
  });

  it("ranks by words alone, with --words or as a baseline", async () => {
    place.write("meant/a.tools.json", [
      { server: "music", name: "play_song", description: "Play a song" },
      { server: "k8s", name: "list_nodes", description: "List all nodes" },
    ]);
    place.write("meant/a.queries.json", [
      { query: "orchestra melody", relevant: [{ server: "music", name: "play_song" }] },
    ]);
    const measure = async (...flags: string[]) => await bench("--data", "meant", "--json", ...flags);
    const compared = await measure("--baselines", "words,bm25");
    expect(Object.keys(compared.macro.rankers)).toEqual(["ours", "words", "bm25"]);
    expect(compared.macro.rankers).toMatchObject({ ours: { "hit@1": 1 }, words: { "hit@1": 0 } });
    expect(compared.sets[0]?.wordsComparison).toMatchObject({
      baseline: "words",
      measures: { "hit@1": { difference: 1 } },
    });
    const alone = await measure("--words", "--baselines", "bm25");
    expect(alone).toMatchObject({ words: true, macro: { rankers: { ours: { "hit@1": 0 } } } });
    expect(alone.sets[0]).not.toHaveProperty("wordsComparison");
  });

  it("warns about relevant tools that the catalog does not have", async () => {
    place.write("lost/a.tools.json", TOOLS);
    place.write("lost/a.queries.json", QUERIES);
    const { stderr } = await run("--data", "lost", "--baselines", "none");
    expect(stderr).toContain("! 1 relevant tool is not in a (for example files:gone), so no search can find it.\n");
  });

  it("prints its options with --help", async () => {
    expect((await run("--help")).stdout).toMatch(/^Usage: npm run bench:search -- /);
  });

  it.each([
    ["no data", [], "No data folder is set.", "--data or ANYGPT_DATA"],
    ["a folder without sets", ["--data", "data/corpus"], "data/corpus has no sets", "NAME.queries.json"],
    ["a folder that does not exist", ["--data", "nowhere"], "nowhere has no sets", "NAME.queries.json"],
    ["an unknown set", ["--data", "data", "--only", "dav"], 'named "dav"', "The sets are dev, ops."],
    ["an unknown half", ["--data", "data", "--half", "best"], 'No half is named "best".', "tune or report"],
    [
      "an unknown baseline",
      ["--data", "data", "--baselines", "x"],
      'No baseline is named "x".',
      "seed, bm25, minisearch",
    ],
    [
      "none together with a baseline",
      ["--data", "data", "--baselines", "none,bm25"],
      "none cannot be combined",
      "--baselines none",
    ],
    [
      "--words with the baseline words",
      ["--data", "data", "--words", "--baselines", "words"],
      "the baseline words",
      "Omit one",
    ],
    ["paths without a haystack", ["--data", "data", "x.json"], "needs --haystack", "omit the path"],
    ["an empty haystack", ["--data", "data", "--haystack", "."], ". has no *.tools.json files.", "a folder that has"],
    ["a missing haystack", ["--data", "data", "--haystack", "x.json"], "x.json does not exist.", "A catalog is"],
  ])("rejects %s", async (_name, flags, message, hint) => {
    const error = await run(...flags).catch((error: unknown) => error);
    expect(error).toMatchObject({
      code: "INVALID_REQUEST",
      message: expect.stringContaining(message) as string,
      hint: expect.stringContaining(hint) as string,
    });
  });
});
