// A command line comes in, a supervised process goes out: lines, exit and an orderly end. It knows nothing of MCP.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { type Installation, LONGEST_INSTALL_MS } from "../install/installations.js";
import { createLineReader, type Overflow } from "../../util/line-reader.js";
import type { ProcessExit } from "./exit.js";
import { signalGroup } from "./group.js";
import { type InstallationNote, type Reaper, unrefPipe } from "./reap-client.js";
import type { StderrRing } from "./stderr-ring.js";
import { windowsCommandLine } from "./windows-command.js";

const EOF_GRACE_MS = 1_000;
const TERM_GRACE_MS = 2_000;
// Whoever holds the pipe after the group was killed has left the group; what it says is not waited for.
const DRAIN_MS = 100;
const STALL_MS = 250;
/** So much Linux takes in one go or not at all, if nothing waits before it. */
const LARGEST_WHOLE = 32_768;

export interface ProcessParts {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly maxLineBytes: number;
  readonly writeTimeoutMs: number;
  readonly stderr: StderrRing;
  readonly reaper: Reaper;
  /** For a command that may install its package first. Until `settled` it is never ended, only let go. */
  readonly installation?: Installation | undefined;
  readonly onLine: (line: Buffer) => void;
  readonly onOverflow: (overflow: Overflow) => void;
  /** Called once: when the process is gone and its last lines have been delivered, or when it has been let go. */
  readonly onExit: (exit: ProcessExit) => void;
}

/**
 * `unread`: it did not read its input in time and is being killed. `closed`: it does not take input any more, and may have
 * taken a part of this. `refused`: nor has it taken anything of this.
 */
export type Written = "sent" | "unread" | "closed" | "refused";

export interface SupervisedProcess {
  readonly pid: number | undefined;
  /** Resolves when it runs; rejects with the system's error when it cannot be started. */
  readonly started: Promise<void>;
  /** True when it has left something unread in its input for a while. */
  readonly stalled: boolean;
  /** Resolves when the text has left for the process, or can never do so. */
  write(text: string): Promise<Written>;
  /** The server has answered: nothing is being installed any more. */
  settled(): void;
  /**
   * Ends it and everything it started: end of input, then SIGTERM, then SIGKILL. A process that may be installing gets the
   * end of its input and goes on alone, with the reaper to look after it.
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

  let movedAt = 0;
  let outbox: string[] = [];
  let leaving: Promise<Written> | undefined;
  let exit: ProcessExit | undefined;
  let stopping: Promise<void> | undefined;
  let markGone: () => void = () => undefined;
  const gone = new Promise<void>((resolve) => {
    markGone = resolve;
  });

  const reader = createLineReader({ maxBytes: parts.maxLineBytes, onLine: parts.onLine, onOverflow: parts.onOverflow });
  // Without descriptors for its pipes a process has no streams at all, whatever the types say.
  readInTurns(child.stdout ?? undefined, (chunk) => reader.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => parts.stderr.push(chunk));
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on("error", () => undefined);

  // `exit`, not `close`: a grandchild that holds the pipes must not hide that the process is gone.
  child.once("exit", (code, signal) => void bury({ kind: "exited", code, signal }));
  child.once("error", (error) => void bury({ kind: "not-started", error }));
  // A server that closes its output will never answer again.
  child.stdout?.once("end", () => void endUnanswering());

  async function bury(how: ProcessExit): Promise<void> {
    if (exit !== undefined && exit.kind !== "let-go") return;
    const isNews = exit === undefined;
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
    if (isNews) parts.onExit(how);
  }

  function settled(): void {
    if (installation === undefined || exit !== undefined) return;
    installation.finished();
    installation = undefined;
    if (pid !== undefined) parts.reaper.watch(pid);
  }

  /** Nothing of it keeps this process running. Its output is still read, so that it does not wait for a reader. */
  function letGo(installing: Installation): void {
    if (exit !== undefined) return;
    installing.letGo();
    exit = { kind: "let-go", log: installing.log?.file };
    if (child.stdin?.writable === true) void empty(child.stdin);
    child.stdin?.end();
    if (pid !== undefined) parts.reaper.letGo(pid);
    child.unref();
    for (const pipe of [child.stdin, child.stdout, child.stderr]) unrefPipe(pipe);
    markGone();
    parts.onExit(exit);
  }

  async function endGently(): Promise<void> {
    if (child.stdin?.writable === true) void empty(child.stdin);
    child.stdin?.end();
    if (await within(gone, EOF_GRACE_MS)) return;
    if (pid !== undefined) signalGroup(pid, "SIGTERM");
    if (await within(gone, TERM_GRACE_MS)) return;
    kill();
    await gone;
  }

  /** Its output ends a moment before a process does; a failed installer must be seen to exit, not let go. */
  async function endUnanswering(): Promise<void> {
    if (installation === undefined || !(await within(gone, EOF_GRACE_MS))) await stop();
  }

  function stop(): Promise<void> {
    if (installation !== undefined) letGo(installation);
    stopping ??= exit === undefined ? endGently() : gone;
    return stopping;
  }

  function kill(): void {
    if (installation !== undefined) letGo(installation);
    if (pid !== undefined && exit === undefined) signalGroup(pid, "SIGKILL");
  }

  /** What is written in one turn of the event loop leaves in one system call, and shares its fate. */
  function write(text: string): Promise<Written> {
    const { stdin } = child;
    if (exit !== undefined || stdin === null || !stdin.writable) return Promise.resolve("refused");
    if (stdin.writableLength === 0) movedAt = performance.now();
    outbox.push(text);
    leaving ??= new Promise<Written>((resolve) => process.nextTick(() => resolve(empty(stdin))));
    return leaving;
  }

  function empty(stdin: Writable): Promise<Written> {
    const text = outbox.length === 1 ? (outbox[0] ?? "") : outbox.join("");
    outbox = [];
    leaving = undefined;
    // It went out with the end of the input.
    if (text === "") return Promise.resolve("sent");
    const isWhole = stdin.writableLength === 0 && Buffer.byteLength(text) <= LARGEST_WHOLE;
    return new Promise<Written>((resolve) => {
      const deadline = setTimeout(() => {
        resolve("unread");
        kill();
      }, parts.writeTimeoutMs);
      stdin.write(text, (error) => {
        clearTimeout(deadline);
        movedAt = performance.now();
        resolve(error ? howRefused(error, isWhole) : "sent");
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
      return (child.stdin?.writableLength ?? 0) > 0 && performance.now() - movedAt > STALL_MS;
    },
    write,
    settled,
    stop,
    kill,
  };
}

/** The other end was closed before all of it was taken: a part may have been, unless it goes as a whole. */
function howRefused({ code }: NodeJS.ErrnoException, isWhole: boolean): Written {
  return code === "EPIPE" && isWhole && process.platform === "linux" ? "refused" : "closed";
}

/** So much is read of one process before the others have their turn: Node would take up to 2 MiB at once. */
const MOST_PER_TURN = 131_072;

function readInTurns(stream: Readable | undefined, onChunk: (chunk: Buffer) => void): void {
  let taken = 0;
  const nextTurn = (): void => {
    if (taken >= MOST_PER_TURN) stream?.resume();
    taken = 0;
  };
  stream?.on("data", (chunk: Buffer) => {
    if (taken === 0) setImmediate(nextTurn);
    taken += chunk.length;
    if (taken >= MOST_PER_TURN) stream.pause();
    onChunk(chunk);
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
    // Its own process group, so that what it starts can be ended with it.
    detached: !windows,
    windowsHide: true,
    windowsVerbatimArguments: line.verbatim,
  });
}

function noteOf({ npxFolder }: Installation): InstallationNote {
  return { beganAt: Date.now(), limitMs: LONGEST_INSTALL_MS, ...(npxFolder === undefined ? {} : { npxFolder }) };
}

/** All that was written before the end has been read; whoever still holds the pipes is not waited for long. */
function outputEnds(child: ChildProcess): Promise<boolean> {
  return within(new Promise<void>((resolve) => child.once("close", () => resolve())), DRAIN_MS);
}

/** True when the event came in time. */
async function within(event: Promise<void>, limitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), limitMs);
  });
  const inTime = await Promise.race([event.then(() => true as const), late]);
  clearTimeout(timer);
  return inTime;
}
