import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { assert, beforeAll, describe, expect, it } from "vitest";
import { type EvalReport, evaluateOutcomes } from "../../src/search/evaluate.js";
import { searchOptions } from "../../src/search/options.js";
import { benchSet } from "../../bench/search/bench.js";
import { calibrate } from "../../bench/search/calibration.js";
import type { QueryOutcome } from "../../src/operations/evaluation/measure.js";
import { createPace } from "../../src/operations/evaluation/pace.js";
import { type EvalSet, readEvalSet } from "../../src/operations/evaluation/evaluation-files.js";
import { createStaticCatalog } from "../../src/operations/evaluation/static-catalog.js";

/** About three points below the measured values at the time of writing. */
const FLOORS = {
  "hit@1": 0.77,
  "recall@5": 0.82,
  "ndcg@10": 0.805,
  /** Share of the answerable queries that get an answer. */
  answered: 0.915,
  /** Share of the unanswerable queries that get none. */
  abstained: 0.22,
  /** Share of the queries whose first hit states at least 0.8, and how many of these hits are right. */
  sure: 0.28,
  sureIsRight: 0.8,
} as const;

/** The same for recall@5 of each kind of query. */
const KINDS: Readonly<Record<string, number>> = {
  words: 0.95,
  paraphrase: 0.6,
  question: 0.6,
  several: 0.9,
  short: 0.91,
  typo: 0.93,
  name: 1,
  foreign: 0.75,
  parameter: 0.95,
};

const FOLDER = fileURLToPath(new URL(".", import.meta.url));
const FILES = { name: "own", tools: "tools.json", queries: "queries.json", unanswerable: "unanswerable.json" };
const OPTIONS = searchOptions.parse({});
const warn = (message: string): never => assert.fail(message);

const kinds = (JSON.parse(readFileSync(`${FOLDER}queries.json`, "utf8")) as { kind: string }[]).map(({ kind }) => kind);

/** The path of `anygpt mcp eval --catalog tools.json --queries queries.json --unanswerable unanswerable.json`. */
async function evaluate(set: EvalSet) {
  const { signal } = new AbortController();
  const parts = { options: OPTIONS, warn, distractors: [], baselines: [], isRemoving: false };
  const result = await benchSet(set, { ...parts, pace: createPace(signal), onRanker: () => undefined });
  const [ours] = result.measured;
  if (ours === undefined) throw new TypeError("Nothing was measured.");
  return { report: ours.report, answers: ours.answers, unknown: result.unknown };
}

function measuresOf({ queries }: EvalSet, { report, answers }: Awaited<ReturnType<typeof evaluate>>) {
  const { raw } = calibrate([{ queries, answers }]).confident;
  return {
    "hit@1": report["hit@1"],
    "recall@5": report["recall@5"],
    "ndcg@10": report["ndcg@10"],
    answered: 1 - report.refused,
    abstained: report.abstained ?? 0,
    sure: raw.share,
    sureIsRight: raw.right,
  };
}

function reportOf(kind: string, { queries }: EvalSet, answers: readonly QueryOutcome[]): EvalReport {
  const isOfKind = (_: unknown, index: number): boolean => kinds[index] === kind;
  return evaluateOutcomes(queries.filter(isOfKind), answers.filter(isOfKind));
}

/** Shown with a failure, so that a change of a floor is deliberate. */
function tableOf(measures: Readonly<Record<string, number>>, reports: ReadonlyMap<string, EvalReport>): string {
  const columns = ["hit@1", "recall@5", "ndcg@10", "refused"] as const;
  const row = (cells: readonly (string | number)[]): string =>
    cells.map((cell) => (typeof cell === "number" ? cell.toFixed(3) : cell).padEnd(12)).join("");
  return [
    "measured values:",
    ...Object.entries(measures).map(row),
    row(["kind", "queries", ...columns]),
    ...[...reports].map(([kind, report]) => row([kind, `${report.queries}`, ...columns.map((key) => report[key])])),
  ].join("\n");
}

let set: EvalSet;
let run: Awaited<ReturnType<typeof evaluate>>;
let measures: ReturnType<typeof measuresOf>;
let reports: ReadonlyMap<string, EvalReport>;
let table: string;

beforeAll(async () => {
  set = await readEvalSet(FILES, FOLDER);
  run = await evaluate(set);
  measures = measuresOf(set, run);
  reports = new Map(Object.keys(KINDS).map((kind) => [kind, reportOf(kind, set, run.answers)]));
  table = tableOf(measures, reports);
});

describe("search over the project's own tools", () => {
  it.each(Object.keys(FLOORS) as (keyof typeof FLOORS)[])("reaches the floor of %s", (measure) => {
    assert.isAtLeast(measures[measure], FLOORS[measure], table);
  });

  it.each(Object.entries(KINDS))(
    "finds the right tools for queries of the kind %s among the first five",
    (kind, floor) => {
      assert.isAtLeast(reports.get(kind)?.["recall@5"] ?? 0, floor, table);
    },
  );

  it("returns the same results in every run", async () => {
    const again = await evaluate(set);
    const seen = (answers: readonly QueryOutcome[]) => answers.map(({ ids, stated }) => ({ ids, stated }));
    expect(seen(again.answers)).toEqual(seen(run.answers));
    expect(again.report.abstained).toBe(run.report.abstained);
  });
});

describe("an exact name", () => {
  it.each(["name", "id"] as const)("comes first with relevance 1: every %s", async (form) => {
    const catalog = createStaticCatalog(set.tools, { options: OPTIONS, warn });
    const wrong: string[] = [];
    for (const { id, name } of catalog.snapshot.tools.values()) {
      const { hits } = await catalog.search(form === "id" ? id : name, new Set());
      const [first] = hits;
      const isRight = form === "id" ? first?.tool.id === id : first?.tool.name === name;
      if (!isRight || first?.relevance !== 1) wrong.push(`${id}: ${first?.tool.id} ${first?.relevance}`);
    }
    expect(wrong).toEqual([]);
  });

  it("comes first with relevance 1 with other case and separators too", () => {
    const wrong = set.queries.filter(({ relevant }, index) => {
      const { ids, stated } = run.answers[index]!;
      return kinds[index] === "name" && (ids[0] !== relevant[0]?.id || stated[0] !== 1);
    });
    expect(wrong).toEqual([]);
  });
});

describe("the data", () => {
  it("names only existing tools and has at least twenty queries of every kind", () => {
    expect(run.unknown).toEqual([]);
    expect(kinds.filter((kind) => !(kind in KINDS))).toEqual([]);
    for (const report of reports.values()) expect(report.queries).toBeGreaterThanOrEqual(20);
  });

  it("has no duplicate query", () => {
    const asked = [...set.queries.map(({ query }) => query), ...(set.unanswerable ?? [])];
    expect(asked.filter((query, index) => asked.indexOf(query) !== index)).toEqual([]);
  });
});
