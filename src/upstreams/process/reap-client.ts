import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";

/** Ends what we started if we are killed without a chance to do so. */
export interface Reaper {
  watch(pid: number): void;
  forget(pid: number): void;
  close(): void;
}

export interface ReaperParts {
  /** The reaper's program; see `reaper.ts`. */
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
  readonly log: (message: string) => void;
}

/** Starts the reaper with the first process to watch, not before. */
export function createReaper(parts: ReaperParts): Reaper {
  const watched = new Set<number>();
  let child: ChildProcess | undefined;
  let closed = false;

  function tell(line: string): void {
    // Node writes a short line to an idle pipe at once, inside the call: no process is alive and unknown to the reaper.
    if (child?.stdin?.writable) child.stdin.write(line);
  }

  function start(): void {
    if (child !== undefined || closed) return;
    if (!existsSync(parts.program)) {
      parts.log(`The reaper ${parts.program} is missing: servers would survive a kill -9 of the gateway.`);
      closed = true;
      return;
    }
    const started = spawn(process.execPath, ["--max-semi-space-size=1", "--single-threaded", parts.program], {
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
      windowsHide: true,
      env: parts.env,
    });
    child = started;
    const lost = (): void => {
      if (child === started) child = undefined;
    };
    started.on("error", lost);
    started.on("exit", lost);
    started.stdin.on("error", lost);
    started.unref();
    unrefPipe(started);
    for (const pid of watched) tell(`+${pid}\n`);
  }

  return {
    watch(pid) {
      if (child === undefined) start();
      watched.add(pid);
      tell(`+${pid}\n`);
    },
    forget(pid) {
      watched.delete(pid);
      tell(`-${pid}\n`);
    },
    close() {
      closed = true;
      child?.stdin?.end();
      child = undefined;
    },
  };
}

// The pipe is a socket underneath; its type does not say so.
function unrefPipe(child: ChildProcess): void {
  const pipe: unknown = child.stdin;
  if (typeof pipe === "object" && pipe !== null && "unref" in pipe && typeof pipe.unref === "function") pipe.unref();
}
