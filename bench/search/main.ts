// The command `npm run bench:search`: prints a table or one JSON object.
import { DiscoveryError } from "../../src/errors.js";
import { MEASURED } from "../../src/operations/evaluation/evaluate-search.js";
import { type EvalSetFiles, readEvalSet } from "../../src/operations/evaluation/evaluation-files.js";
import { createPace } from "../../src/operations/evaluation/pace.js";
import { nearestNames } from "../../src/search/nearest.js";
import { unknownToolLines } from "../../src/surfaces/cli/eval-lines.js";
import { blocks, type Line } from "../../src/terminal/lines.js";
import { render } from "../../src/terminal/render.js";
import { averageSets, benchSet, type MacroResult, type SetResult } from "./bench.js";
import { type Calibration, calibrate } from "./calibration.js";
import { calibrationLines } from "./calibration-lines.js";
import { takeHalf } from "./half.js";
import { type BenchPlan, HELP, readPlan } from "./plan.js";
import { findSets, readDistractors } from "./sets.js";
import { evalTableLines, legendLines } from "./table-lines.js";
import { takeUnseen } from "./unseen.js";

export interface BenchIo {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Prints results. */
  readonly print: (text: string) => void;
  /** Prints progress and warnings. */
  readonly note: (text: string) => void;
}

/** Measures the sets that the arguments name. Throws a DiscoveryError with a hint if the arguments are invalid. */
export async function runSearchBench(argv: readonly string[], io: BenchIo): Promise<void> {
  const plan = readPlan(argv, io.env);
  if (plan === undefined) return io.print(`${HELP}\n`);
  const distractors = await readDistractors(plan.haystack, io.cwd);
  const results: SetResult[] = [];
  for (const files of choose(await findSets(plan.data, io.cwd), plan.only)) {
    results.push(await measureSet(files, { plan, distractors }, io));
  }
  const macro = averageSets(results);
  const calibration = plan.isCalibrating ? toCalibration(results) : undefined;
  if (plan.isJson) {
    io.print(`${JSON.stringify(toJson(plan, distractors.length, results, { macro, calibration }), null, 2)}\n`);
    return;
  }
  const reliability = calibration === undefined ? [] : calibrationLines(calibration);
  io.print(toText(blocks([evalTableLines(results, macro), legendLines(plan), reliability])));
  for (const { name, unknown } of results) io.note(toText(unknownToolLines(unknown, name)));
}

interface Bench {
  readonly plan: BenchPlan;
  readonly distractors: Awaited<ReturnType<typeof readDistractors>>;
}

async function measureSet(files: EvalSetFiles, { plan, distractors }: Bench, { cwd, note }: BenchIo) {
  const { isRemoving, isUnseen, half, baselines, isByWords } = plan;
  const whole = await readEvalSet(files, cwd);
  const set = takeHalf(isUnseen ? takeUnseen(whole) : whole, half);
  const onRanker = (ranker: string): void => note(`${set.name}: ${ranker}, ${set.queries.length} queries\n`);
  const options = { ...MEASURED, semantic: !isByWords };
  const warn = (message: string): void => note(`${message}\n`);
  return await benchSet(set, { options, distractors, baselines, isRemoving, pace: createPace(), onRanker, warn });
}

function choose(sets: readonly EvalSetFiles[], only: readonly string[]): readonly EvalSetFiles[] {
  const names = sets.map(({ name }) => name);
  const unknown = only.find((name) => !names.includes(name));
  if (unknown === undefined) return only.length === 0 ? sets : sets.filter(({ name }) => only.includes(name));
  const [near] = nearestNames(unknown, names);
  throw new DiscoveryError("INVALID_REQUEST", `No set is named "${unknown}".`, {
    hint: `${near === undefined ? "" : `Did you mean ${near}? `}The sets are ${names.join(", ")}.`,
  });
}

function toCalibration(results: readonly SetResult[]): Calibration {
  return calibrate(results.map(({ queries, measured: [ours] }) => ({ queries, answers: ours?.answers ?? [] })));
}

function toText(lines: readonly Line[]): string {
  return lines.length === 0 ? "" : render(lines, { columns: Infinity, color: false });
}

function toJson(
  plan: BenchPlan,
  distractors: number,
  results: readonly SetResult[],
  { macro, calibration }: { readonly macro: MacroResult; readonly calibration: Calibration | undefined },
) {
  const toRankers = (all: MacroResult["rankers"]) =>
    Object.fromEntries(all.map(({ ranker, report }) => [ranker, report]));
  return {
    half: plan.half,
    unseen: plan.isUnseen,
    words: plan.isByWords,
    distractors,
    sets: results.map(({ name, tools, servers, queries, unanswerable, measured, ...compared }) => ({
      name,
      tools,
      servers,
      queries: queries.length,
      unanswerable,
      rankers: toRankers(measured),
      comparison: compared.comparison,
      wordsComparison: compared.wordsComparison,
    })),
    macro: { ...macro, rankers: toRankers(macro.rankers) },
    ...(calibration === undefined ? {} : { calibration }),
  };
}
