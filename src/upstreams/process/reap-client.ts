import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";

/** Ends what we started if we are killed without a chance to do so. */
export interface Reaper {
  /** Watches a server, or with a note a command that may be installing. A second call replaces the first. */
  watch(pid: number, installation?: InstallationNote): void;
  /** Hands an installation over: the reaper ends its group once it is complete or too old. */
  letGo(pid: number): void;
  forget(pid: number): void;
  close(): void;
}

/** What the reaper has to know to leave an installation alone. */
export interface InstallationNote {
  /** When the process was started (time of day). */
  readonly beganAt: number;
  readonly limitMs: number;
  /** Where npx installs: the state of this folder tells when it is done. */
  readonly npxFolder?: string;
}

export interface ReaperParts {
  /** The reaper's program; see `reaper.ts`. */
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
  readonly log: (message: string) => void;
}

/** Starts the reaper with the first process to watch, not before. */
export function createReaper(parts: ReaperParts): Reaper {
  const watched = new Map<number, InstallationNote | undefined>();
  const handedOver = new Set<number>();
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
    unrefPipe(started.stdin);
    for (const [pid, installation] of watched) tell(registration(pid, installation));
    for (const pid of handedOver) tell(`!${pid}\n`);
  }

  return {
    watch(pid, installation) {
      if (child === undefined) start();
      watched.set(pid, installation);
      tell(registration(pid, installation));
    },
    letGo(pid) {
      handedOver.add(pid);
      tell(`!${pid}\n`);
    },
    forget(pid) {
      watched.delete(pid);
      handedOver.delete(pid);
      tell(`-${pid}\n`);
    },
    close() {
      closed = true;
      child?.stdin?.end();
      child = undefined;
    },
  };
}

function registration(pid: number, installation: InstallationNote | undefined): string {
  return installation === undefined ? `+${pid}\n` : `~${pid} ${JSON.stringify(installation)}\n`;
}

/** Lets this process end while the pipe is open. A pipe to a child is a socket underneath; its type does not say so. */
export function unrefPipe(pipe: unknown): void {
  if (typeof pipe === "object" && pipe !== null && "unref" in pipe && typeof pipe.unref === "function") pipe.unref();
}
