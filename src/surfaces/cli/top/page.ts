// Lays out the page of `anygpt mcp top` for the size of the terminal window.
import {
  bold,
  count,
  dim,
  line,
  type Line,
  type LinePart,
  type LineStyle,
  type StyledLine,
} from "../../../terminal/lines.js";
import { createWindowTable, type WindowColumn, windowRow } from "../../../terminal/window-table.js";
import type { Window } from "../../../terminal/screen.js";
import { describeSpan } from "../../../util/time-words.js";
import { byActivity } from "../../../operations/top/by-activity.js";
import type { TopReading, ServerReading } from "../../../operations/top/reading.js";

const STATE_STYLES: Readonly<Record<string, LineStyle>> = {
  open: "green",
  starting: "yellow",
  failed: "red",
  closed: "dim",
};

/** The columns of the server table. `text` receives one server and the whole reading. */
const COLUMNS: readonly WindowColumn<ServerReading, TopReading>[] = [
  {
    heading: "STATE",
    width: 8,
    order: 2,
    isLeft: true,
    text: ({ state = "" }) => state,
    style: ({ state = "" }) => STATE_STYLES[state],
  },
  { heading: "TOOLS", width: 6, order: 7, text: ({ tools }) => toCount(tools) },
  { heading: "BUSY", width: 5, order: 5, text: ({ inFlight }) => toCount(inFlight) },
  { heading: "LINE", width: 5, order: 6, text: ({ waiting }) => toCount(waiting) },
  {
    heading: "LAST",
    width: 13,
    order: 5,
    text: ({ lastAt }, { at }) => (lastAt === undefined ? "" : `${describeSpan(at - lastAt)} ago`),
  },
  { heading: "CALLS", width: 8, order: 0, text: ({ calls }) => toCount(calls) },
  { heading: "/S", width: 7, order: 0, text: ({ perSecond }) => toRate(perSecond) },
  { heading: "P50", width: 8, order: 3, text: ({ p50Ms }) => toLatency(p50Ms) },
  { heading: "P95", width: 8, order: 1, text: ({ p95Ms }) => toLatency(p95Ms) },
  {
    heading: "ERRORS",
    width: 7,
    order: 0,
    text: ({ errors }) => toCount(errors),
    style: ({ errors }) => (errors > 0 ? "red" : undefined),
  },
];

const NAME = { heading: "SERVER", min: 12, max: 40, text: ({ name }: ServerReading) => name };

/** `problem`: the error of the last attempt to read, if it failed. */
export function toTopPage(reading: TopReading, window: Window, problem?: string): Line[] {
  const { columns, rows } = window;
  const head = [
    ...headLines(reading),
    ...(problem === undefined ? [] : [windowRow([{ style: "red", text: problem }], columns)]),
  ];
  const table = createWindowTable(reading.servers, reading, { name: NAME, columns: COLUMNS, width: columns });
  const servers = byActivity(reading.servers);
  // Reserve one row for the table heading and one for `… and N more`.
  const room = Math.max(1, rows - head.length - 2);
  const shown = servers.length <= room ? servers : servers.slice(0, Math.max(1, room - 1));
  const more = servers.length - shown.length;
  return [
    ...head.map(({ parts }) => windowRow(parts, columns)),
    windowRow([""], columns),
    ...(servers.length === 0
      ? [windowRow([dim(nothingYet(reading))], columns)]
      : [table.heading, ...shown.map(table.toRow)]),
    ...(more > 0 ? [windowRow([dim(`… and ${more} more`)], columns)] : []),
  ];
}

function nothingYet({ gateway, covers }: TopReading): string {
  return gateway === undefined ? `No call in ${covers}.` : "No server is configured.";
}

function headLines({ origin, covers, total, gateway, at }: TopReading): StyledLine[] {
  const { calls, errors, perSecond, p50Ms, p95Ms } = total;
  const time = new Date(at).toTimeString().slice(0, 8);
  const facts = [
    `${toCount(calls)} calls`,
    `${toRate(perSecond)}/s`,
    `p50 ${toLatency(p50Ms) || "–"}`,
    `p95 ${toLatency(p95Ms) || "–"}`,
  ];
  const failed: LinePart = errors > 0 ? { style: "red", text: count(errors, "error") } : "0 errors";
  return [
    line(0, bold("anygpt mcp top"), `  ${origin}, ${covers}  `, dim(time)),
    line(
      0,
      `${facts.join(" · ")} · `,
      failed,
      gateway === undefined ? "" : ` · ${toCount(gateway.inFlight)} in progress`,
    ),
    ...(gateway === undefined ? [] : [line(0, searchLine(gateway))]),
  ];
}

function searchLine({ searches, tokens: { answers, listings } }: NonNullable<TopReading["gateway"]>): string {
  const start = `${toCount(searches)} searches`;
  if (listings === 0) return start;
  const saved = Math.max(0, 1 - answers / listings);
  return `${start} · ${toCount(answers)} tokens instead of ${toCount(listings)}: ${(saved * 100).toFixed(1)} % saved`;
}

function toCount(amount: number | undefined): string {
  return amount === undefined ? "" : amount.toLocaleString("en-US");
}

function toRate(perSecond: number): string {
  return perSecond >= 100
    ? toCount(Math.round(perSecond))
    : perSecond.toFixed(perSecond > 0 && perSecond < 0.1 ? 2 : 1);
}

function toLatency(ms: number | undefined): string {
  if (ms === undefined) return "";
  if (ms >= 10_000) return `${Math.round(ms / 1000)} s`;
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`;
  return ms >= 10 ? `${Math.round(ms)} ms` : `${ms.toFixed(1)} ms`;
}
