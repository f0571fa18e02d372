// Lays out one reading for the size of the terminal window.
import { cutToWidth, displayWidth, sanitize } from "../../../util/terminal.js";
import {
  bold,
  count,
  dim,
  line,
  type Line,
  type LinePart,
  type LineStyle,
  type Styled,
} from "../../../terminal/lines.js";
import type { Window } from "../../../terminal/screen.js";
import { describeSpan } from "../../../util/time-words.js";
import type { TopReading, ServerReading } from "../../../operations/top/reading.js";

interface Column {
  readonly heading: string;
  readonly width: number;
  /** In narrow windows, columns with the highest value are omitted first. */
  readonly order: number;
  readonly isLeft?: true;
  readonly text: (server: ServerReading, reading: TopReading) => string;
  readonly style?: (server: ServerReading) => LineStyle | undefined;
}

const STATE_STYLES: Readonly<Record<string, LineStyle>> = {
  open: "green",
  starting: "yellow",
  failed: "red",
  closed: "dim",
};

const COLUMNS: readonly Column[] = [
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

const NARROWEST_NAME = 12;
const WIDEST_NAME = 40;

/** `problem`: the error of the last attempt to read, if it failed. */
export function toTopPage(reading: TopReading, window: Window, problem?: string): Line[] {
  const { columns, rows } = window;
  const head = [
    ...headLines(reading),
    ...(problem === undefined ? [] : [row([{ style: "red", text: problem }], columns)]),
  ];
  const table = toTable(reading, columns);
  const servers = byActivity(reading.servers);
  // Reserve one row for the table heading and one for `… and N more`.
  const room = Math.max(1, rows - head.length - 2);
  const shown = servers.length <= room ? servers : servers.slice(0, Math.max(1, room - 1));
  const more = servers.length - shown.length;
  return [
    ...head.map(({ parts }) => row(parts, columns)),
    row([""], columns),
    ...(servers.length === 0 ? [row([dim(nothingYet(reading))], columns)] : [table.heading, ...shown.map(table.toRow)]),
    ...(more > 0 ? [row([dim(`… and ${more} more`)], columns)] : []),
  ];
}

function nothingYet({ gateway, covers }: TopReading): string {
  return gateway === undefined ? `No call in ${covers}.` : "No server is configured.";
}

function headLines({ origin, covers, total, gateway, at }: TopReading): Line[] {
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

/** Sorts by calls per second, then by calls, then by name. */
function byActivity(servers: readonly ServerReading[]): ServerReading[] {
  return servers.toSorted(
    (one, other) =>
      other.perSecond - one.perSecond ||
      other.calls - one.calls ||
      (one.name < other.name ? -1 : Number(one.name > other.name)),
  );
}

function toTable(reading: TopReading, columns: number) {
  const longest = Math.max(6, ...reading.servers.map(({ name }) => displayWidth(name)));
  const name = Math.min(longest, WIDEST_NAME);
  const chosen = chooseColumns(reading, columns - Math.min(name, NARROWEST_NAME));
  const taken = chosen.reduce((sum, { width }) => sum + width + 1, 0);
  const nameWidth = Math.max(Math.min(name, NARROWEST_NAME), Math.min(name, columns - taken));
  return {
    heading: row(
      [dim([pad("SERVER", nameWidth), ...chosen.map((one) => pad(one.heading, one.width, !one.isLeft))].join(" "))],
      columns,
    ),
    toRow(server: ServerReading): Line {
      const cells = chosen.flatMap(({ width, isLeft, text, style }): LinePart[] => {
        const cell = pad(text(server, reading), width, !isLeft);
        const look = style?.(server);
        return [" ", look === undefined ? cell : { style: look, text: cell }];
      });
      return row([pad(cut(sanitize(server.name), nameWidth), nameWidth), ...cells], columns);
    },
  };
}

/** Omits columns that are empty for all servers, then columns that do not fit. */
function chooseColumns(reading: TopReading, room: number): Column[] {
  const nonEmpty = COLUMNS.filter(({ text }) => reading.servers.some((server) => text(server, reading) !== ""));
  let chosen = nonEmpty;
  for (let order = 9; order > 0 && widthOf(chosen) > room; order -= 1) {
    chosen = chosen.filter((column) => column.order < order);
  }
  return [...chosen];
}

function widthOf(columns: readonly Column[]): number {
  return columns.reduce((sum, { width }) => sum + width + 1, 0);
}

/** Truncates at the window's edge, because a wrapped line would push other lines out of the window. */
function row(parts: readonly LinePart[], columns: number): Line {
  let room = columns;
  const fitting = parts.map((part): LinePart => {
    const text = cut(sanitize(typeof part === "string" ? part : part.text).replaceAll(/\s/g, " "), room);
    room -= displayWidth(text);
    return typeof part === "string" ? text : ({ ...part, text } satisfies Styled);
  });
  return { indent: 0, parts: fitting, verbatim: true };
}

function cut(text: string, columns: number): string {
  return columns < 1 ? "" : cutToWidth(text, columns);
}

function pad(text: string, width: number, isRight = false): string {
  const space = " ".repeat(Math.max(0, width - displayWidth(text)));
  return isRight ? `${space}${text}` : `${text}${space}`;
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
