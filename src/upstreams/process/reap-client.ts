import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import type { NpxStart } from "../install/npx-progress.js";

/** Ends the processes that the gateway started if the gateway is killed and cannot do so itself. */
export interface Reaper {
  /**
   * Watches a server or, with `installation`, a command that may be installing a package. A second call for the same
   * process replaces the first.
   */
  watch(pid: number, installation?: InstallationNote): void;
  /** Hands an installation over: the reaper ends its process group when it is complete or exceeds its time limit. */
  detach(pid: number): void;
  forget(pid: number): void;
  close(): void;
}

/** The data that the reaper needs to let an installation finish. */
export interface InstallationNote {
  /** When the process was started, as wall-clock time in milliseconds. */
  readonly beganAt: number;
  readonly limitMs: number;
  /** The data that shows when npx has finished. */
  readonly npx?: NpxStart | undefined;
  /** The file that receives the standard error of the process. The reaper limits its size. */
  readonly log?: string | undefined;
}

export interface ReaperParts {
  /** The path of the reaper program, which is built from `reaper.ts`. */
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
  readonly log: (message: string) => void;
}

/** Creates the reaper. Its process is started with the first process to watch. */
export function createReaper(parts: ReaperParts): Reaper {
  const watched = new Map<number, InstallationNote | undefined>();
  const handedOver = new Set<number>();
  let child: ChildProcess | undefined;
  let closed = false;

  function send(line: string): void {
    // Node writes a short line to an idle pipe synchronously, so the reaper knows every running process, even if the
    // gateway is killed immediately afterwards.
    if (child?.stdin?.writable) child.stdin.write(line);
  }

  function start(): void {
    if (child !== undefined || closed) return;
    if (!existsSync(parts.program)) {
      parts.log(
        `The reaper ${parts.program} is missing. Servers will keep running if the gateway is killed with SIGKILL.`,
      );
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
    for (const [pid, installation] of watched) send(registration(pid, installation));
    for (const pid of handedOver) send(`!${pid}\n`);
  }

  return {
    watch(pid, installation) {
      if (child === undefined) start();
      watched.set(pid, installation);
      send(registration(pid, installation));
    },
    detach(pid) {
      handedOver.add(pid);
      send(`!${pid}\n`);
    },
    forget(pid) {
      watched.delete(pid);
      handedOver.delete(pid);
      send(`-${pid}\n`);
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

/**
 * Lets this process exit while the pipe is open. A pipe to a child is a socket, but its type does not declare
 * `unref`.
 */
export function unrefPipe(pipe: unknown): void {
  if (typeof pipe === "object" && pipe !== null && "unref" in pipe && typeof pipe.unref === "function") pipe.unref();
}
