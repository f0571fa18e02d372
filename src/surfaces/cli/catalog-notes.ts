import { describePending, describePhase } from "../../catalog/starts.js";
import type { MissingServers } from "../../operations/servers/missing-servers.js";
import { describeSpan } from "../../util/time-words.js";
import { count, line, type Line, WARNING } from "../../terminal/lines.js";

const MOST_NAMED = 10;

/**
 * One line for each group: servers that are still starting, servers that show no activity while they start, and failed
 * servers.
 */
export function catalogNotes({ pending, failed }: MissingServers): Line[] {
  const starting = pending.filter(({ isProgressing }) => isProgressing);
  const silent = pending.filter((one) => !starting.includes(one)).map((one) => `${one.name} (${describePhase(one)})`);
  const names = failed.map(({ definition }) => definition.name);
  const notes = [
    ...(starting.length === 0 ? [] : [`${describePending(starting)} Run the command again to include their tools.`]),
    ...(silent.length === 0
      ? []
      : [`No answer yet from ${count(silent.length, "server")}: ${named(silent)}. ${SEE_WHY}`]),
    ...(names.length === 0 ? [] : [`${count(names.length, "server")} failed: ${named(names)}. ${SEE_WHY}`]),
  ];
  return notes.map((note) => line(0, WARNING, ` ${note}`));
}

/** One line for servers that were not started again. `waits`: milliseconds until the next attempt of each server. */
export function notStartedLines(waits: readonly number[]): Line[] {
  if (waits.length === 0) return [];
  const [first, last] = [Math.min(...waits), Math.max(...waits)].map((ms) => describeSpan(Math.max(ms, 1000)));
  const attempts = waits.length === 1 ? "next attempt" : "next attempts";
  const when = `${attempts} in ${first === last ? first : `${first} to ${last}`}`;
  const text = `${count(waits.length, "failed server")} ${waits.length === 1 ? "was" : "were"} not started again (${when}).`;
  return [line(0, WARNING, ` ${text} Run \`anygpt mcp doctor NAME\` to start a server now.`)];
}

const SEE_WHY = "Run `anygpt mcp doctor` to see why.";

function named(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return `${names.slice(0, MOST_NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
