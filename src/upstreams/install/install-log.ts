// The standard error of an installer: a file, because a pipe breaks when the gateway ends, and npm fails at its next warning.
import { randomBytes } from "node:crypto";
import { closeSync, constants, fstatSync, ftruncateSync, mkdirSync, openSync, readSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { StderrRing } from "../process/stderr-ring.js";

const MOST_BYTES = 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;
const CALM_MS = 1_000;
const BUSY_MS = 50;
const NEWLINE = 10;

export interface InstallLog {
  readonly file: string;
  /** The descriptor that the process gets. Appending goes on at the end after the file was cut. */
  readonly fd: number;
  /** Copies what was written since the last time. */
  pull(): void;
  /** Copies the rest and follows the file no longer. The file stays for a process that still writes to it. */
  close(keeps: "keep" | "remove"): void;
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

  /** Half a line may be half a secret, which nothing would recognise: before the end only whole lines are copied. */
  function pull(isEnd: boolean): number {
    const { size } = fstatSync(fd);
    const before = position;
    while (position < size) {
      const read = readSync(fd, chunk, 0, Math.min(chunk.length, size - position), position);
      const lineEnd = chunk.lastIndexOf(NEWLINE, read - 1) + 1;
      const taken = lineEnd > 0 ? lineEnd : read === chunk.length || isEnd ? read : 0;
      if (taken === 0) break;
      copy(chunk.subarray(0, taken));
      position += taken;
    }
    if (size > MOST_BYTES) cut();
    return position - before;
  }

  function copy(bytes: Buffer): void {
    const from = isMidLine ? bytes.indexOf(NEWLINE) + 1 : 0;
    if (isMidLine && from === 0) return;
    isMidLine = false;
    stderr.push(bytes.subarray(from));
  }

  /** What is written between the last read and this is lost, and perhaps the begin of the next line with it. */
  function cut(): void {
    ftruncateSync(fd, 0);
    position = 0;
    isMidLine = true;
  }

  let timer: NodeJS.Timeout;
  const follow = (): void => {
    const read = pull(false);
    timer = setTimeout(follow, read > CHUNK_BYTES ? BUSY_MS : CALM_MS).unref();
  };
  timer = setTimeout(follow, CALM_MS).unref();

  return {
    file,
    fd,
    pull() {
      if (!isClosed) pull(true);
    },
    close(keeps) {
      if (isClosed) return;
      pull(true);
      isClosed = true;
      clearTimeout(timer);
      closeSync(fd);
      if (keeps === "remove") rmSync(file, { force: true });
    },
  };
}
