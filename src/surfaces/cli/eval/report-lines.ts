import { blocks, bold, count, line, type Line, WARNING } from "../lines.js";
import type { SetResult } from "./bench.js";
import type { MacroReport } from "./macro.js";

/** The measures of one catalog, one below the other. */
export function reportLines(report: MacroReport, { tools, servers }: Pick<SetResult, "tools" | "servers">): Line[] {
  const { queries, tokens, latencyMs, abstained, abstainedRemoved, ...scores } = report;
  const asked = count(queries, "query", "queries");
  const row = (name: string, value: string): Line => line(2, `${name.padEnd(12)}${value}`);
  const share = (name: string, value: number | undefined): Line[] =>
    value === undefined ? [] : [row(name, value.toFixed(3))];
  return blocks([
    [line(0, bold("Search evaluation"), `: ${asked} over ${count(tools, "tool")} on ${count(servers, "server")}`)],
    [
      ...Object.entries(scores).flatMap(([name, value]) => share(name, value)),
      ...share("abstained", abstained),
      ...share("removed", abstainedRemoved),
    ],
    [
      row("tokens", `median ${tokens.median}, p95 ${tokens.p95}`),
      row("latency", `median ${ms(latencyMs.median)}, p95 ${ms(latencyMs.p95)}, max ${ms(latencyMs.max)}`),
    ],
  ]);
}

function ms(value: number): string {
  return `${value.toFixed(2)} ms`;
}

/** Labels that name tools which the catalog does not have. */
export function unknownLines(unknown: readonly string[], where = "the catalog"): Line[] {
  const [first] = unknown;
  if (first === undefined) return [];
  const many = unknown.length > 1;
  const what = `${count(unknown.length, "relevant tool")} ${many ? "are" : "is"} not in ${where}`;
  return [line(0, WARNING, ` ${what}, ${first} for example: no search can find ${many ? "them" : "it"}.`)];
}
