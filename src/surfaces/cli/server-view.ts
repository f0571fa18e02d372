// Shows the states of starting servers: as a live view on a terminal, or as one line per change in a file or pipe.
import type { WaitedServer } from "../../operations/servers/waited-servers.js";
import { cutToWidth, displayWidth, sanitize } from "../../util/terminal.js";
import { toOneLine } from "../../util/text.js";
import type { ProgressView } from "../../terminal/progress.js";
import { padToWidth } from "../../terminal/columns.js";
import { count } from "../../terminal/lines.js";

/** Maximum number of lines below the heading of the view. */
const MOST_LINES = 8;
const WIDEST_NAME = 24;
const ORDER = { pending: 0, failed: 1, answered: 2 } as const;

export function createServerView(servers: () => readonly WaitedServer[]): ProgressView {
  const changes = createChangeLines();
  return { rows: (columns) => viewLines(servers(), columns), changes: () => changes(servers()) };
}

/** `Waiting for 3 of 22 servers` and a line for each server: pending ones first, then failed ones. */
export function viewLines(servers: readonly WaitedServer[], columns: number): string[] {
  const sorted = servers.toSorted((a, b) => rank(a) - rank(b));
  const isAll = sorted.length <= MOST_LINES;
  const shown = isAll ? sorted : sorted.slice(0, MOST_LINES - 1);
  const longest = Math.max(...shown.map(({ name }) => displayWidth(clean(name))));
  const width = Math.min(longest, WIDEST_NAME, Math.floor(columns / 2));
  const rows = shown.map(
    (server) => `  ${padToWidth(cutToWidth(clean(server.name), width), width)}  ${clean(describe(server))}`,
  );
  const rest = isAll ? [] : [`  … and ${summarize(sorted.slice(shown.length))}`];
  return [heading(servers), ...rows, ...rest].map((row) => cutToWidth(row, columns));
}

function rank(server: WaitedServer): number {
  return ORDER[server.kind] + (server.kind === "pending" && server.start.phase === "queued" ? 0.5 : 0);
}

function heading(servers: readonly WaitedServer[]): string {
  const pending = servers.filter(({ kind }) => kind === "pending").length;
  return `Waiting for ${pending} of ${count(servers.length, "server")}`;
}

/** The line for servers that are not shown, such as `13 more: 2 queued, 11 answered`. */
function summarize(servers: readonly WaitedServer[]): string {
  const kinds = servers.map((server) => (server.kind === "pending" ? server.start.phase : server.kind));
  const counts = [...new Set(kinds)].map((kind) => `${kinds.filter((one) => one === kind).length} ${kind}`);
  return `${servers.length} more: ${counts.join(", ")}`;
}

/** The state of a server: `installing (12 s)`, `14 tools` or `failed: jira exited with code 1.` */
function describe(server: WaitedServer): string {
  if (server.kind === "pending") {
    const seconds = Math.floor(server.start.forMs / 1000);
    return `${stateOf(server)}${seconds > 0 ? ` (${seconds} s)` : ""}`;
  }
  return stateOf(server);
}

/**
 * Returns the lines for a file or a pipe: a heading at the first call, then one line per change. Changes to `queued`
 * are omitted.
 */
export function createChangeLines(): (servers: readonly WaitedServer[]) => string[] {
  let before: Map<string, string> | undefined;
  return (servers) => {
    const states = new Map(servers.map((server) => [server.name, stateOf(server)]));
    const isChange = ([name, state]: [string, string]): boolean =>
      before === undefined ? !isDone(name, servers) : before.get(name) !== state;
    const changes = [...states].filter((one) => isChange(one) && one[1] !== "queued");
    const first = before === undefined ? [heading(servers)] : [];
    before = states;
    return [...first, ...changes.map(([name, state]) => `  ${clean(name)}: ${clean(state)}`)];
  };
}

function isDone(name: string, servers: readonly WaitedServer[]): boolean {
  return servers.some((one) => one.name === name && one.kind !== "pending");
}

/** The state without elapsed time, because the time would make every call a change. */
function stateOf(server: WaitedServer): string {
  if (server.kind === "answered") return count(server.tools, "tool");
  if (server.kind === "failed") return `failed: ${server.reason}`;
  const { phase, isProgressing } = server.start;
  return phase === "starting" && !isProgressing ? "does not answer" : phase;
}

function clean(text: string): string {
  return toOneLine(sanitize(text));
}
