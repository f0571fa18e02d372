import type { SearchEvaluation } from "../../operations/evaluation/evaluate-search.js";
import { blocks, bold, count, line, type Line, quoted, WARNING } from "../../terminal/lines.js";

const MOST_MISSES = 10;

/** The scores of one set of queries, and the queries whose first result is wrong. */
export function evalReportLines({ report, tools, servers, misses }: SearchEvaluation): Line[] {
  const { queries, tokens, latencyMs, abstained, ...scores } = report;
  const asked = count(queries, "query", "queries");
  const row = (name: string, value: string): Line => line(2, `${name.padEnd(12)}${value}`);
  const share = (name: string, value: number | undefined): Line[] =>
    value === undefined ? [] : [row(name, value.toFixed(3))];
  return blocks([
    [line(0, bold("Search evaluation"), `: ${asked} over ${count(tools, "tool")} on ${count(servers, "server")}`)],
    [...Object.entries(scores).flatMap(([name, value]) => share(name, value)), ...share("abstained", abstained)],
    [
      row("tokens", `median ${tokens.median}, p95 ${tokens.p95}`),
      row("latency", `median ${ms(latencyMs.median)}, p95 ${ms(latencyMs.p95)}, max ${ms(latencyMs.max)}`),
    ],
    missLines(misses),
  ]);
}

function missLines(misses: SearchEvaluation["misses"]): Line[] {
  if (misses.length === 0) return [];
  const more = misses.length - MOST_MISSES;
  return [
    line(0, bold("First result is wrong"), `: ${count(misses.length, "query", "queries")}`),
    ...misses
      .slice(0, MOST_MISSES)
      .flatMap(({ query, expected, found, rank }) => [
        quoted(2, query),
        line(4, `expected ${expected.join(", ")}${rank === undefined ? "" : ` (rank ${rank})`}`),
        line(4, found.length === 0 ? "found nothing" : `found ${found.join(", ")}`),
      ]),
    ...(more > 0 ? [line(2, `… and ${more} more: --json lists all.`)] : []),
  ];
}

function ms(value: number): string {
  return `${value.toFixed(2)} ms`;
}

/** Warns about relevant tools in the queries file that are not in the catalog. */
export function unknownToolLines(unknown: readonly string[], where = "the catalog"): Line[] {
  const [first] = unknown;
  if (first === undefined) return [];
  const many = unknown.length > 1;
  const what = `${count(unknown.length, "relevant tool")} ${many ? "are" : "is"} not in ${where}`;
  return [line(0, WARNING, ` ${what} (for example ${first}), so no search can find ${many ? "them" : "it"}.`)];
}
