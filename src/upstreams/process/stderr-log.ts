// Keeps what a server writes to its standard error in a file, for users who look for the reason of a failure later. The
// file is bounded, private to the user, and holds no secret that the server was given.
import { appendFileSync, mkdirSync, renameSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { Connection } from "../../model/server.js";
import type { Redact } from "../../util/secrets.js";
import { toOneLine } from "../../util/text.js";

export interface StderrLog {
  push(chunk: Buffer): void;
  /** Writes what is held back: the process has ended. */
  end(): void;
}

export interface StderrLogParts {
  readonly file: string;
  readonly redact: Redact;
  /** Time of day. */
  readonly now: () => number;
}

/** A full file is renamed to `NAME.log.1`, in place of the one before. */
export const LARGEST_LOG_BYTES = 1024 * 1024;
const WRITE_AFTER_MS = 250;
/** More than this between two writes, or in one line, is a flood: the lines that do not fit are left out. */
const MOST_HELD_BYTES = 64 * 1024;

/** The log of a server. Characters that a file name cannot hold are written as `%3A`. */
export function stderrLogFile(folder: string, server: string): string {
  const name = server.replace(/[^\p{L}\p{N}._ -]/gu, (character) => encodeURIComponent(character));
  return join(folder, `${name}.log`);
}

export function logFolder(stateFolder: string): string {
  return join(stateFolder, "logs");
}

export interface LoggedServer {
  readonly server: string;
  readonly options: { readonly keepLogs: boolean };
  readonly logFolder?: string;
}

/** Undefined where nothing is to be kept. */
export function openStderrLog(
  { server, options, logFolder: folder }: LoggedServer,
  { kind }: Pick<Connection, "kind">,
  { redact }: { readonly redact: Redact },
): StderrLog | undefined {
  if (kind !== "stdio" || folder === undefined || !options.keepLogs) return undefined;
  return createStderrLog({ file: stderrLogFile(folder, server), redact, now: Date.now });
}

export function createStderrLog({ file, redact, now }: StderrLogParts): StderrLog {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let leftOutBytes = 0;
  let timer: NodeJS.Timeout | undefined;
  let isBegun = false;
  /** The held bytes end within a line whose end was left out. */
  let isCut = false;
  /** The next bytes belong to a line whose beginning was left out. */
  let isWithinLeftOut = false;

  /** Whole lines only: a part of a secret would not be recognised. */
  function write(isLast: boolean): void {
    clearTimeout(timer);
    timer = undefined;
    const all = Buffer.concat(held);
    const end = isLast && !isCut ? all.length : all.lastIndexOf(0x0a) + 1;
    if (isCut) leftOutBytes += all.length - end;
    const rest = all.subarray(isCut ? all.length : end);
    isCut = false;
    held = rest.length === 0 ? [] : [Buffer.from(rest)];
    heldBytes = rest.length;
    const lines = all.subarray(0, end).toString("utf8").split(/\r?\n/);
    const shown = lines.map((line) => redact(toOneLine(stripVTControlCharacters(line)))).filter((line) => line !== "");
    if (leftOutBytes > 0) shown.push(`[${leftOutBytes} bytes were left out: the server wrote too much at once]`);
    leftOutBytes = 0;
    if (shown.length > 0) append(shown);
  }

  function append(lines: readonly string[]): void {
    const at = new Date(now()).toISOString();
    const begin = isBegun ? [] : [`${at} [started by process ${process.pid}]`];
    isBegun = true;
    // A log that cannot be written is no reason to fail: the server works without it.
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      rotate(file);
      appendFileSync(file, [...begin, ...lines.map((line) => `${at} ${line}`), ""].join("\n"), { mode: 0o600 });
    } catch {
      return;
    }
  }

  return {
    push(chunk) {
      const from = isWithinLeftOut ? chunk.indexOf(0x0a) + 1 || chunk.length : 0;
      const kept = chunk.subarray(from, from + MOST_HELD_BYTES - heldBytes);
      const lost = chunk.length - from - kept.length;
      leftOutBytes += from + lost;
      isCut ||= lost > 0;
      if (from > 0 || lost > 0) isWithinLeftOut = (lost > 0 || kept.length === 0) && chunk.at(-1) !== 0x0a;
      // The stream's buffers may be larger than what is in them.
      if (kept.length > 0) held.push(Buffer.from(kept));
      heldBytes += kept.length;
      timer ??= setTimeout(() => write(false), WRITE_AFTER_MS).unref();
    },
    end: () => write(true),
  };
}

function rotate(file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size < LARGEST_LOG_BYTES) return;
  renameSync(file, `${file}.1`);
}
