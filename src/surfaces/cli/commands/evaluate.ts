import { DiscoveryError } from "../../../errors.js";
import { nearestNames } from "../../../search/nearest.js";
import type { SearchOptions } from "../../../search/options.js";
import type { Handler } from "../command.js";
import type { Context } from "../context.js";
import { averageSets, benchSet, type MacroResult, type SetResult } from "../eval/bench.js";
import { calibrate, type Calibration } from "../eval/calibration.js";
import { calibrationLines } from "../eval/calibration-lines.js";
import type { EvalTool } from "../eval/files.js";
import { takeHalf } from "../eval/half.js";
import { stepsOf } from "../eval/measure.js";
import { createPace } from "../eval/pace.js";
import { type Plan, readPlan, type Source } from "../eval/plan.js";
import { reportLines, unknownLines } from "../eval/report-lines.js";
import { findSets, readDistractors, readSet, type SetFiles } from "../eval/sets.js";
import { legendLines, tableLines } from "../eval/table-lines.js";
import { takeUnseen } from "../eval/unseen.js";
import { blocks } from "../lines.js";
import { withEngine } from "../session.js";

export const evaluate: Handler = (input, context) =>
  withEngine(context, async (engine) => {
    const { io } = context;
    const plan = readPlan(input, io.env);
    const { search } = (await engine.stages()).config;
    const distractors = await context.wait(readDistractors(plan.haystack, io.cwd), () => "Reading the haystack…");
    const options = { ...MEASURED, semantic: search.semantic && !plan.isByWords };
    const bench = { context, plan, options, distractors };
    const { source } = plan;
    return source.kind === "files" ? await evaluateFiles(source, bench) : await evaluateFolder(source, bench);
  });

/** What is measured must not depend on how many answers a person likes to see: recall@10 needs ten. */
const MEASURED = { limit: 10, minRelevance: 0, suggestions: false };

interface Bench {
  readonly context: Context;
  readonly plan: Plan;
  readonly options: SearchOptions;
  readonly distractors: readonly EvalTool[];
}

async function evaluateFiles(source: Extract<Source, { kind: "files" }>, bench: Bench): Promise<number> {
  const { context, plan } = bench;
  const { catalog, queries, unanswerable } = source;
  const files = { name: queries, tools: catalog, queries, unanswerable };
  const result = await evaluateSet(files, bench, { baselines: [], place: "" });
  const [ours] = result.measured;
  if (ours === undefined) return 0;
  const calibration = plan.isCalibrating ? toCalibration([result]) : undefined;
  if (context.isJson) context.json({ ...ours.report, ...(calibration === undefined ? {} : { calibration }) });
  else {
    context.show(blocks([reportLines(ours.report, result), linesOf(calibration)]));
    context.note(unknownLines(result.unknown));
  }
  return 0;
}

async function evaluateFolder(source: Extract<Source, { kind: "folder" }>, bench: Bench): Promise<number> {
  const { context, plan } = bench;
  const { data, only, baselines } = source;
  const files = choose(await findSets(data, context.io.cwd), only);
  const results: SetResult[] = [];
  for (const [index, set] of files.entries()) {
    const place = `Set ${index + 1} of ${files.length}, `;
    results.push(await evaluateSet(set, bench, { baselines, place }));
  }
  const macro = averageSets(results);
  const calibration = plan.isCalibrating ? toCalibration(results) : undefined;
  if (context.isJson) context.json(toJson(bench, results, { macro, calibration }));
  else {
    context.show(blocks([tableLines(results, macro), legendLines(plan), linesOf(calibration)]));
    for (const { name, unknown } of results) context.note(unknownLines(unknown, name));
  }
  return 0;
}

async function evaluateSet(
  files: SetFiles,
  { context, plan, options, distractors }: Bench,
  { baselines, place }: { baselines: readonly string[]; place: string },
): Promise<SetResult> {
  const { io } = context;
  const { isRemoving, isUnseen, half } = plan;
  const whole = await readSet(files, io.cwd);
  const set = takeHalf(isUnseen ? takeUnseen(whole) : whole, half);
  const pace = createPace(io.signal);
  const total = stepsOf({ ...set, isRemoving }) * (1 + baselines.length);
  let ranker = "";
  const onRanker = (name: string): void => {
    ranker = name;
  };
  const { warn } = context;
  const work = benchSet(set, { options, distractors, baselines, isRemoving, pace, onRanker, warn });
  return await context.wait(work, () => `${place}${set.name}: ${ranker}, ${pace.done} of ${total} searches`);
}

function choose(sets: readonly SetFiles[], only: readonly string[]): readonly SetFiles[] {
  const names = sets.map(({ name }) => name);
  const unknown = only.find((name) => !names.includes(name));
  if (unknown === undefined) return only.length === 0 ? sets : sets.filter(({ name }) => only.includes(name));
  const [near] = nearestNames(unknown, names);
  throw new DiscoveryError("INVALID_REQUEST", `No set is named "${unknown}".`, {
    hint: `${near === undefined ? "" : `Did you mean ${near}? `}There are ${names.join(", ")}.`,
  });
}

function toCalibration(results: readonly SetResult[]): Calibration {
  return calibrate(results.map(({ queries, measured: [ours] }) => ({ queries, answers: ours?.answers ?? [] })));
}

function linesOf(calibration: Calibration | undefined) {
  return calibration === undefined ? [] : calibrationLines(calibration);
}

function toJson(
  { plan, distractors }: Bench,
  results: readonly SetResult[],
  { macro, calibration }: { macro: MacroResult; calibration: Calibration | undefined },
) {
  const toRankers = (all: MacroResult["rankers"]) =>
    Object.fromEntries(all.map(({ ranker, report }) => [ranker, report]));
  return {
    half: plan.half,
    unseen: plan.isUnseen,
    words: plan.isByWords,
    distractors: distractors.length,
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
