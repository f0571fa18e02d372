import { bold, count, line, type Line, type LinePart, WARNING } from "../../src/terminal/lines.js";
import type { MacroResult, SetResult } from "./bench.js";
import { COMPARED, type Comparison } from "./compare.js";
import type { MacroReport } from "./macro.js";
import type { BenchPlan } from "./plan.js";
import { OURS } from "./rankers.js";

interface Column {
  readonly head: string;
  readonly width: number;
  readonly read: (report: MacroReport) => string;
}

const NAME_WIDTH = 12;

const share = (value: number | undefined): string => (value === undefined ? "–" : value.toFixed(3));

const COLUMNS: readonly Column[] = [
  { head: "hit@1", width: 6, read: (report) => share(report["hit@1"]) },
  { head: "recall@1", width: 9, read: (report) => share(report["recall@1"]) },
  { head: "@3", width: 6, read: (report) => share(report["recall@3"]) },
  { head: "@5", width: 6, read: (report) => share(report["recall@5"]) },
  { head: "@10", width: 6, read: (report) => share(report["recall@10"]) },
  { head: "nDCG@10", width: 8, read: (report) => share(report["ndcg@10"]) },
  { head: "shown", width: 6, read: ({ shown }) => share(shown) },
  { head: "empty", width: 6, read: ({ empty }) => share(empty) },
  { head: "tokens", width: 8, read: ({ tokens }) => `${Math.round(tokens.median)}/${Math.round(tokens.p95)}` },
  { head: "ms", width: 7, read: ({ latencyMs }) => latencyMs.median.toFixed(2) },
  { head: "none", width: 6, read: ({ refused }) => share(refused) },
  { head: "unanswerable: none", width: 19, read: ({ abstained }) => share(abstained) },
];

const REMOVED: Column = { head: "removed", width: 8, read: ({ abstainedRemoved }) => share(abstainedRemoved) };

/** One table of all sets with a row for each ranker; below each set, our ranker is compared with the best baseline. */
export function evalTableLines(sets: readonly SetResult[], macro: MacroResult): Line[] {
  const isRemoving = macro.rankers.some(({ report }) => report.abstainedRemoved !== undefined);
  const columns = isRemoving ? [...COLUMNS, REMOVED] : COLUMNS;
  const heads = columns.map(({ head, width }) => head.padStart(width)).join("");
  return [
    fixed(bold(`${" ".repeat(NAME_WIDTH)}${heads}`)),
    ...sets.flatMap(({ name, queries, tools, servers, measured, comparison, wordsComparison }) => [
      line(
        0,
        bold(name),
        `: ${count(queries.length, "query", "queries")} over ${count(tools, "tool")} on ${count(servers, "server")}`,
      ),
      ...measured.map(({ ranker, report }) => rowLine(ranker, report, columns)),
      ...comparisonLines(comparison, wordsComparison),
    ]),
    ...(sets.length > 1 ? macroLines(macro, sets.length, columns) : []),
  ];
}

type LegendOptions = Pick<BenchPlan, "half" | "isUnseen" | "isByWords" | "isRemoving">;

/** The selected options, and the meaning of the columns. */
export function legendLines({ half, isUnseen, isByWords, isRemoving }: LegendOptions): Line[] {
  return [
    ...(isByWords ? [line(0, `${OURS} ranks by words alone.`)] : []),
    ...(isUnseen ? [line(0, "Only queries none of whose tools are training data of the model.")] : []),
    ...(half === "all" ? [] : [line(0, `Only the half "${half}" of each set's queries.`)]),
    line(0, "tokens: median/p95 of an answer; ms: median"),
    line(0, "shown: a relevant tool is anywhere in the answer; empty: answers without any tool"),
    line(0, "none: answerable and unanswerable queries that no tool fits, as the search states it"),
    ...(isRemoving ? [line(0, "removed: queries that no tool fits when their relevant tools are hidden")] : []),
    line(0, `${OURS} - the baseline with the best nDCG@10: points of 100 [95 % interval, paired bootstrap];`),
    line(2, WARNING, " marks a measure that is significantly worse"),
  ];
}

function macroLines(macro: MacroResult, sets: number, columns: readonly Column[]): Line[] {
  const { rankers, comparison, wordsComparison } = macro;
  return [
    line(0, bold("macro average"), ` of ${count(sets, "set")}`),
    ...rankers.map(({ ranker, report }) => rowLine(ranker, report, columns)),
    ...comparisonLines(comparison, wordsComparison),
  ];
}

function rowLine(name: string, report: MacroReport, columns: readonly Column[]): Line {
  const cells = columns.map(({ width, read }) => read(report).padStart(width)).join("");
  const text = `${`  ${name}`.padEnd(NAME_WIDTH)}${cells}`;
  return fixed(name === OURS ? bold(text) : text);
}

function comparisonLines(best: Comparison | undefined, words: Comparison | undefined): Line[] {
  const shown = words?.baseline === best?.baseline ? [best] : [best, words];
  return shown.flatMap((comparison) => (comparison === undefined ? [] : [comparisonLine(comparison)]));
}

function comparisonLine({ baseline, measures }: Comparison): Line {
  const parts = COMPARED.flatMap((name): LinePart[] => {
    const { difference, low, high, isBelow } = measures[name];
    return ["  ", ...(isBelow ? [WARNING] : []), `${name} ${points(difference)} [${points(low)}, ${points(high)}]`];
  });
  return fixed(`  ${OURS} - ${baseline}:`, ...parts);
}

function points(value: number): string {
  const text = (value * 100).toFixed(1).replace(/^-0\.0$/, "0.0");
  return value * 100 >= 0.05 ? `+${text}` : text;
}

/** Rows of a table are not wrapped. */
function fixed(...parts: LinePart[]): Line {
  return { indent: 0, parts, verbatim: true };
}
