// The log file for an installer's standard error. A pipe would break when the gateway exits, and npm fails if it cannot
// write a warning.
import { randomBytes } from "node:crypto";
import { closeSync, constants, fstatSync, ftruncateSync, mkdirSync, openSync, readSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { StderrRing } from "../process/stderr-ring.js";

/** Maximum size of an installation log. A larger log is emptied. */
export const MAX_INSTALL_LOG_BYTES = 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;
const IDLE_POLL_MS = 250;
const BUSY_POLL_MS = 25;
const NEWLINE = 10;

export interface InstallLog {
  readonly file: string;
  /**
   * The file descriptor for the installer's standard error. It is opened for appending, so writing continues at the end
   * after the file is truncated.
   */
  readonly fd: number;
  /** Copies the output that was written since the previous call to the standard error ring buffer. */
  pull(): void;
  /**
   * Copies the remaining output and stops following the file. With "keep", the file is not removed, because a process still
   * writes to it.
   */
  close(mode: "keep" | "remove"): void;
}

export function openInstallLog(folder: string, key: string, stderr: StderrRing): InstallLog {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${key}.${randomBytes(4).toString("hex")}.log`);
  const { O_RDWR, O_APPEND, O_CREAT, O_EXCL } = constants;
  const fd = openSync(file, O_RDWR | O_APPEND | O_CREAT | O_EXCL, 0o600);
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let position = 0;
  let isMidLine = false;
  let isClosed = false;

  /**
   * Copies complete lines only, except at the end, because redaction would not recognize a part of a secret. If the
   * unread output exceeds the size limit, only its end is read, so that a flood of output does not block the event
   * loop.
   */
  function pull(isEnd: boolean): number {
    const { size } = fstatSync(fd);
    const start = position;
    if (size - position > MAX_INSTALL_LOG_BYTES) {
      position = size - CHUNK_BYTES;
      isMidLine = true;
    }
    while (position < size) {
      const read = readSync(fd, chunk, 0, Math.min(chunk.length, size - position), position);
      const lineEnd = chunk.lastIndexOf(NEWLINE, read - 1) + 1;
      const taken = lineEnd > 0 ? lineEnd : read === chunk.length || isEnd ? read : 0;
      if (taken === 0) break;
      copy(chunk.subarray(0, taken));
      position += taken;
    }
    if (size > MAX_INSTALL_LOG_BYTES) truncate();
    return size - start;
  }

  function copy(bytes: Buffer): void {
    const from = isMidLine ? bytes.indexOf(NEWLINE) + 1 : 0;
    if (isMidLine && from === 0) return;
    isMidLine = false;
    stderr.push(bytes.subarray(from));
  }

  /** Empties the file. Output written since the last read is lost, possibly with the beginning of the next line. */
  function truncate(): void {
    ftruncateSync(fd, 0);
    position = 0;
    isMidLine = true;
  }

  let timer: NodeJS.Timeout;
  const follow = (): void => {
    const read = pull(false);
    timer = setTimeout(follow, read > CHUNK_BYTES ? BUSY_POLL_MS : IDLE_POLL_MS).unref();
  };
  timer = setTimeout(follow, IDLE_POLL_MS).unref();

  return {
    file,
    fd,
    pull() {
      if (!isClosed) pull(true);
    },
    close(mode) {
      if (isClosed) return;
      pull(true);
      isClosed = true;
      clearTimeout(timer);
      closeSync(fd);
      if (mode === "remove") rmSync(file, { force: true });
    },
  };
}
