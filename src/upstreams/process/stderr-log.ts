// Writes the standard error of a server to a file, for users who look for the reason of a failure later. The file is
// limited in size, readable only by the user, and contains none of the secrets that the server received.
import { appendFileSync, mkdirSync, renameSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { ServerConnection } from "../../model/server.js";
import type { Redact } from "../../util/secrets.js";
import { toOneLine } from "../../util/text.js";

export interface StderrLog {
  push(chunk: Buffer): void;
  /** Writes the buffered bytes after the process has exited. */
  end(): void;
}

export interface StderrLogParts {
  readonly file: string;
  readonly redact: Redact;
  /** Wall-clock time in milliseconds. */
  readonly now: () => number;
}

/** Maximum size of a log file. A full file is renamed to `NAME.log.1` and replaces the previous file of that name. */
export const MAX_STDERR_LOG_BYTES = 1024 * 1024;
const WRITE_AFTER_MS = 250;
/** Maximum number of buffered bytes between two writes. Lines that exceed it are dropped and counted. */
const MAX_BUFFERED_BYTES = 64 * 1024;

/** The log file of a server. Characters that a file name cannot contain are percent-encoded, for example `%3A`. */
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

/** Opens the log of a server. Returns undefined if no log is kept for the server. */
export function openStderrLog(
  { server, options, logFolder: folder }: LoggedServer,
  { kind }: Pick<ServerConnection, "kind">,
  { redact }: { readonly redact: Redact },
): StderrLog | undefined {
  if (kind !== "stdio" || folder === undefined || !options.keepLogs) return undefined;
  return createStderrLog({ file: stderrLogFile(folder, server), redact, now: Date.now });
}

export function createStderrLog({ file, redact, now }: StderrLogParts): StderrLog {
  let buffered: Buffer[] = [];
  let bufferedBytes = 0;
  let droppedBytes = 0;
  let timer: NodeJS.Timeout | undefined;
  let isBegun = false;
  /** True if the buffer ends in the middle of a line whose end was dropped. */
  let isTruncated = false;
  /** True if the next bytes belong to a line whose beginning was dropped. */
  let isInDroppedLine = false;

  /** Writes complete lines only: redaction would not recognize a part of a secret. */
  function write(isLast: boolean): void {
    clearTimeout(timer);
    timer = undefined;
    const all = Buffer.concat(buffered);
    const end = isLast && !isTruncated ? all.length : all.lastIndexOf(0x0a) + 1;
    if (isTruncated) droppedBytes += all.length - end;
    const rest = all.subarray(isTruncated ? all.length : end);
    isTruncated = false;
    buffered = rest.length === 0 ? [] : [Buffer.from(rest)];
    bufferedBytes = rest.length;
    const lines = all.subarray(0, end).toString("utf8").split(/\r?\n/);
    const shown = lines.map((line) => redact(toOneLine(stripVTControlCharacters(line)))).filter((line) => line !== "");
    if (droppedBytes > 0) shown.push(`[${droppedBytes} bytes were dropped: the server wrote too much at once]`);
    droppedBytes = 0;
    if (shown.length > 0) append(shown);
  }

  function append(lines: readonly string[]): void {
    const at = new Date(now()).toISOString();
    const begin = isBegun ? [] : [`${at} [started by process ${process.pid}]`];
    isBegun = true;
    // A failure to write the log is ignored: the server works without it.
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
      const from = isInDroppedLine ? chunk.indexOf(0x0a) + 1 || chunk.length : 0;
      const kept = chunk.subarray(from, from + MAX_BUFFERED_BYTES - bufferedBytes);
      const lost = chunk.length - from - kept.length;
      droppedBytes += from + lost;
      isTruncated ||= lost > 0;
      if (from > 0 || lost > 0) isInDroppedLine = (lost > 0 || kept.length === 0) && chunk.at(-1) !== 0x0a;
      // Copied, because the buffer of the stream may be larger than the chunk.
      if (kept.length > 0) buffered.push(Buffer.from(kept));
      bufferedBytes += kept.length;
      timer ??= setTimeout(() => write(false), WRITE_AFTER_MS).unref();
    },
    end: () => write(true),
  };
}

function rotate(file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size < MAX_STDERR_LOG_BYTES) return;
  renameSync(file, `${file}.1`);
}
