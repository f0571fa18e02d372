// Starts and supervises a process: reads its output line by line, reports its exit, and ends it gracefully if possible.
// This module does not know MCP.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { type Installation, MAX_INSTALL_MS } from "../install/installations.js";
import { createLineReader, type Overflow } from "../../util/line-reader.js";
import type { ProcessExit } from "./exit.js";
import { signalGroup } from "./group.js";
import { type InstallationNote, type Reaper, unrefPipe } from "./reap-client.js";
import type { StderrRing } from "./stderr-ring.js";
import { windowsCommandLine } from "./windows-command.js";

const EOF_GRACE_MS = 1_000;
const TERM_GRACE_MS = 2_000;
// How long the gateway waits for remaining output after the process group was killed. A process that still holds the
// pipe has left the group, and its output is not needed.
const DRAIN_MS = 100;
const STALL_MS = 250;
/** Linux writes this many bytes to an empty pipe either completely or not at all. */
const MAX_ATOMIC_WRITE_BYTES = 32_768;

export interface ProcessParts {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly maxLineBytes: number;
  readonly writeTimeoutMs: number;
  readonly stderr: StderrRing;
  readonly reaper: Reaper;
  /**
   * Set for a command that may install its package first. Until `settled` is called, the process is never killed, only
   * detached.
   */
  readonly installation?: Installation | undefined;
  readonly onLine: (line: Buffer) => void;
  readonly onOverflow: (overflow: Overflow) => void;
  /** How long to read nothing from the process, in milliseconds, after `spentMs` were spent on its lines. */
  readonly pauseMs?: ((spentMs: number) => number) | undefined;
  /**
   * Called once: when the process has exited and its last lines have been delivered, or when it has been detached.
   */
  readonly onExit: (exit: ProcessExit) => void;
}

/**
 * The outcome of a write. `unread`: the process did not read its input in time and is being killed. `closed`: the
 * process no longer accepts input and may have received a part of this text. `refused`: the process no longer accepts
 * input and has received nothing of this text.
 */
export type WriteOutcome = "sent" | "unread" | "closed" | "refused";

export interface SupervisedProcess {
  readonly pid: number | undefined;
  /**
   * Resolves when the process runs. Rejects with the error of the operating system if the process cannot be started.
   */
  readonly started: Promise<void>;
  /** True if the process has not read its pending input for 250 ms. */
  readonly stalled: boolean;
  /** Resolves when the text has been written to the process, or can no longer be written. */
  write(text: string): Promise<WriteOutcome>;
  /** Call this when the server has responded, which shows that the installation is complete. */
  settled(): void;
  /**
   * Ends the process and its descendants: closes its standard input, then sends SIGTERM, then SIGKILL. If the process
   * may still be installing its package, only closes its standard input and leaves it running in the background,
   * supervised by the reaper.
   */
  stop(): Promise<void>;
  kill(): void;
}

export function superviseProcess(parts: ProcessParts): SupervisedProcess {
  const child = launch(parts);
  const { pid } = child;
  let { installation } = parts;
  if (pid !== undefined) {
    parts.reaper.watch(pid, installation && noteOf(installation));
    installation?.started(pid);
  }

  let lastProgressAt = 0;
  let outbox: string[] = [];
  let flushing: Promise<WriteOutcome> | undefined;
  let exit: ProcessExit | undefined;
  let stopping: Promise<void> | undefined;
  let afterOutputEnd: Promise<void> | undefined;
  let markGone: () => void = () => undefined;
  const gone = new Promise<void>((resolve) => {
    markGone = resolve;
  });

  const reader = createLineReader({ maxBytes: parts.maxLineBytes, onLine: parts.onLine, onOverflow: parts.onOverflow });
  // If no file descriptors are left for the pipes, the child has no streams, contrary to its type.
  readInTurns(child.stdout ?? undefined, (chunk) => reader.push(chunk), parts.pauseMs);
  child.stderr?.on("data", (chunk: Buffer) => parts.stderr.push(chunk));
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on("error", () => undefined);

  // `exit` instead of `close`: a grandchild that holds the pipes must not delay the report that the process has
  // exited.
  child.once("exit", (code, signal) => void recordExit({ kind: "exited", code, signal }));
  child.once("error", (error) => void recordExit({ kind: "not-started", error }));
  // A server that closes its standard output can no longer respond, so its process is ended.
  child.stdout?.once("end", () => void endAfterOutput());

  async function recordExit(how: ProcessExit): Promise<void> {
    if (exit !== undefined && exit.kind !== "detached") return;
    const isFirstReport = exit === undefined;
    exit = how;
    if (pid !== undefined) {
      signalGroup(pid, "SIGKILL");
      await outputEnds(child);
      parts.reaper.forget(pid);
    }
    parts.installation?.ended();
    reader.end();
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
    parts.stderr.end();
    markGone();
    if (isFirstReport) parts.onExit(how);
  }

  function settled(): void {
    if (installation === undefined || exit !== undefined) return;
    installation.finished();
    installation = undefined;
    if (pid !== undefined) parts.reaper.watch(pid);
  }

  /**
   * Detaches from the process, so that it does not keep this process running. Its output is still read, because a
   * full pipe would block it.
   */
  function detach(installing: Installation): void {
    if (exit !== undefined) return;
    installing.detach();
    exit = { kind: "detached", log: installing.log?.file };
    if (child.stdin?.writable === true) void flush(child.stdin);
    child.stdin?.end();
    if (pid !== undefined) parts.reaper.detach(pid);
    child.unref();
    for (const pipe of [child.stdin, child.stdout, child.stderr]) unrefPipe(pipe);
    markGone();
    parts.onExit(exit);
  }

  async function endInOrder(): Promise<void> {
    if (child.stdin?.writable === true) void flush(child.stdin);
    child.stdin?.end();
    if (await within(gone, EOF_GRACE_MS)) return;
    if (pid !== undefined) signalGroup(pid, "SIGTERM");
    if (await within(gone, TERM_GRACE_MS)) return;
    kill();
    await gone;
  }

  /**
   * Ends or detaches a process that has closed its output or input. A process closes both shortly before it exits, so a
   * short wait lets a failed installer count as exited, not as detached.
   */
  function endAfterOutput(): Promise<void> {
    afterOutputEnd ??= within(gone, installation === undefined ? 0 : EOF_GRACE_MS).then((isGone) =>
      isGone ? undefined : endOrDetach(),
    );
    return afterOutputEnd;
  }

  function endOrDetach(): Promise<void> {
    if (installation !== undefined) detach(installation);
    stopping ??= exit === undefined ? endInOrder() : gone;
    return stopping;
  }

  function stop(): Promise<void> {
    return installation !== undefined && afterOutputEnd !== undefined ? afterOutputEnd : endOrDetach();
  }

  function kill(): void {
    if (installation !== undefined) void endAfterOutput();
    else if (pid !== undefined && exit === undefined) signalGroup(pid, "SIGKILL");
  }

  /** Strings written in one turn of the event loop are sent in one system call and share one outcome. */
  function write(text: string): Promise<WriteOutcome> {
    const { stdin } = child;
    if (exit !== undefined || stdin === null || !stdin.writable) return Promise.resolve("refused");
    if (stdin.writableLength === 0) lastProgressAt = performance.now();
    outbox.push(text);
    flushing ??= new Promise<WriteOutcome>((resolve) => process.nextTick(() => resolve(flush(stdin))));
    return flushing;
  }

  function flush(stdin: Writable): Promise<WriteOutcome> {
    const text = outbox.length === 1 ? (outbox[0] ?? "") : outbox.join("");
    outbox = [];
    flushing = undefined;
    // The outbox is empty if `endInOrder` or `detach` has already flushed it.
    if (text === "") return Promise.resolve("sent");
    const isAtomic = stdin.writableLength === 0 && Buffer.byteLength(text) <= MAX_ATOMIC_WRITE_BYTES;
    return new Promise<WriteOutcome>((resolve) => {
      const deadline = setTimeout(() => {
        resolve("unread");
        kill();
      }, parts.writeTimeoutMs);
      stdin.write(text, (error) => {
        clearTimeout(deadline);
        lastProgressAt = performance.now();
        resolve(error ? outcomeOf(error, isAtomic) : "sent");
      });
    });
  }

  return {
    pid,
    started: new Promise((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", reject);
    }),
    get stalled() {
      return (child.stdin?.writableLength ?? 0) > 0 && performance.now() - lastProgressAt > STALL_MS;
    },
    write,
    settled,
    stop,
    kill,
  };
}

/**
 * The outcome of a failed write: the process closed its input before it received all of the text. It may have received
 * a part, unless the write was atomic.
 */
function outcomeOf({ code }: NodeJS.ErrnoException, isAtomic: boolean): WriteOutcome {
  return code === "EPIPE" && isAtomic && process.platform === "linux" ? "refused" : "closed";
}

/**
 * Limit of bytes read from one process before the other processes get a turn. Node would read up to 2 MiB at once.
 */
const MAX_BYTES_PER_TURN = 131_072;

/** The time for smaller chunks, usually one message, is not measured: to read the clock would cost more. */
const MIN_MEASURED_BYTES = 4_096;

function readInTurns(
  stream: Readable | undefined,
  onChunk: (chunk: Buffer) => void,
  pauseMs: (spentMs: number) => number = () => 0,
): void {
  let taken = 0;
  let spentMs = 0;
  const resume = (): void => void stream?.resume();
  const nextTurn = (): void => {
    const ms = pauseMs(spentMs);
    if (ms > 0) {
      stream?.pause();
      setTimeout(resume, ms);
    } else if (taken >= MAX_BYTES_PER_TURN) resume();
    taken = 0;
    spentMs = 0;
  };
  stream?.on("data", (chunk: Buffer) => {
    if (taken === 0) setImmediate(nextTurn);
    taken += chunk.length;
    if (taken >= MAX_BYTES_PER_TURN) stream.pause();
    if (chunk.length < MIN_MEASURED_BYTES) return onChunk(chunk);
    const from = performance.now();
    onChunk(chunk);
    spentMs += performance.now() - from;
  });
}

function launch(parts: ProcessParts): ChildProcess {
  const windows = process.platform === "win32";
  const line = windows
    ? windowsCommandLine(parts.command, parts.args, {
        env: parts.env,
        cwd: parts.cwd ?? process.cwd(),
        exists: existsSync,
      })
    : { file: parts.command, args: parts.args, verbatim: false };
  return spawn(line.file, [...line.args], {
    env: parts.env,
    ...(parts.cwd === undefined ? {} : { cwd: parts.cwd }),
    stdio: ["pipe", "pipe", parts.installation?.log?.fd ?? "pipe"],
    shell: false,
    // A separate process group, so that its descendants can be ended with it.
    detached: !windows,
    windowsHide: true,
    windowsVerbatimArguments: line.verbatim,
  });
}

function noteOf({ npx, log }: Installation): InstallationNote {
  return { beganAt: Date.now(), limitMs: MAX_INSTALL_MS, npx, log: log?.file };
}

/** Resolves when all output has been read. If another process still holds the pipes, resolves after at most 100 ms. */
function outputEnds(child: ChildProcess): Promise<boolean> {
  return within(new Promise<void>((resolve) => child.once("close", () => resolve())), DRAIN_MS);
}

/** Resolves to true if the event occurred within the time limit. */
async function within(event: Promise<void>, limitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), limitMs);
  });
  const inTime = await Promise.race([event.then(() => true as const), late]);
  clearTimeout(timer);
  return inTime;
}
