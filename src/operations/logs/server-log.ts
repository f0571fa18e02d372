// Reads the log file of a server: its standard error, written by the gateways of this machine.
import { stat } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { openRegularFile } from "../../util/regular-file.js";

export interface LogLine {
  /** The time at which the server wrote the line, ISO 8601. */
  readonly at: string;
  readonly text: string;
}

/** The last `limit` lines of the log. If the file has fewer, also lines of the rotated file. */
export async function readLastLines(file: string, limit: number): Promise<LogLine[]> {
  return (await readEnd(file, limit)).lines;
}

async function readEnd(file: string, limit: number): Promise<ReadLines> {
  const { lines, end } = await readLines(file, 0);
  const before = lines.length >= limit ? [] : (await readLines(`${file}.1`, 0)).lines;
  return { lines: [...before, ...lines].slice(-limit), end };
}

const POLL_MS = 300;

/** Shows the last lines and then those that are added, until the signal aborts. */
export async function followLines(
  file: string,
  limit: number,
  show: (lines: readonly LogLine[]) => void,
  signal: AbortSignal,
): Promise<void> {
  const last = await readEnd(file, limit);
  show(last.lines);
  let from = last.end;
  while (await setTimeout(POLL_MS, true, { signal }).catch(() => false)) {
    const size = await sizeOf(file);
    // A shorter file is a new one: the log was rotated.
    if (size < from) from = 0;
    const added = await readLines(file, from);
    from = added.end;
    if (added.lines.length > 0) show(added.lines);
  }
}

async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => undefined))?.size ?? 0;
}

interface ReadLines {
  readonly lines: LogLine[];
  /** The byte offset of the next line. */
  readonly end: number;
}

/** Reads complete lines from the offset on. */
async function readLines(file: string, from: number): Promise<ReadLines> {
  const handle = await openRegularFile(file).catch(() => undefined);
  if (handle === undefined) return { lines: [], end: from };
  try {
    const { size } = await handle.stat();
    const bytes = Buffer.alloc(Math.max(size - from, 0));
    await handle.read(bytes, 0, bytes.length, from);
    const end = bytes.lastIndexOf(0x0a) + 1;
    const rows = bytes.subarray(0, end).toString("utf8").split("\n").slice(0, -1);
    return { lines: rows.map(toLogLine), end: from + end };
  } finally {
    await handle.close();
  }
}

function toLogLine(row: string): LogLine {
  const end = row.indexOf(" ");
  return end === -1 ? { at: row, text: "" } : { at: row.slice(0, end), text: row.slice(end + 1) };
}
