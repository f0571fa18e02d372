// Starts a daemon, once however many commands want one, and waits until it listens.
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { DiscoveryError } from "../errors.js";
import { AbsentError, type Channel, openChannel } from "./channel.js";
import { DAEMON_WORD } from "./commands.js";
import { isAlive, tryLock } from "./lock.js";
import { type DaemonPlace, daemonProgram } from "./paths.js";
import { openPrivateFolder } from "./private-folder.js";

export interface StartParts {
  readonly place: DaemonPlace;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

const LONGEST_START_MS = 20_000;
const LOOK_AGAIN_MS = 15;

/** A connection to the daemon of this place, which is started where there is none. Throws why there is none. */
export async function startDaemon(parts: StartParts): Promise<Channel> {
  const { place, signal } = parts;
  openPrivateFolder(place.folder);
  openPrivateFolder(place.socketFolder);
  const until = performance.now() + LONGEST_START_MS;
  let hasWaited = false;
  while (performance.now() < until && !signal.aborted) {
    const running = await openIfPresent(place);
    if (running !== undefined) return running;
    const unlock = tryLock(place.lockFile);
    if (unlock === undefined) {
      hasWaited = true;
      await sleep(LOOK_AGAIN_MS);
      continue;
    }
    try {
      // Between the look and the lock another process may have started one. One that failed to is not imitated.
      const other = await openIfPresent(place);
      if (other !== undefined) return other;
      if (hasWaited) throw unavailable("The attempt of another command to start it has failed.", place);
      return await launch(parts, until);
    } finally {
      unlock();
    }
  }
  throw unavailable("It was not ready in time.", place);
}

async function launch({ place, env, signal }: StartParts, until: number): Promise<Channel> {
  const child = spawnDaemon(place, env);
  const end: { reason?: string } = {};
  child.once("error", (error) => (end.reason = error.message));
  child.once("exit", (code, name) => (end.reason = `It ended with ${name ?? `code ${code}`}.`));
  while (performance.now() < until && !signal.aborted && end.reason === undefined) {
    const channel = await openIfPresent(place);
    if (channel !== undefined) return channel;
    await sleep(LOOK_AGAIN_MS);
  }
  if (end.reason === undefined && !signal.aborted) child.kill();
  throw unavailable(end.reason ?? "It was not ready in time.", place);
}

/** The daemon is in a session of its own: no signal of the terminal reaches it, and it outlives this process. */
function spawnDaemon(place: DaemonPlace, env: StartParts["env"]): ChildProcess {
  const log = openSync(place.logFile, "a", 0o600);
  try {
    const words = place.configOption === undefined ? [] : ["--config", place.configOption];
    const child = spawn(process.execPath, [...process.execArgv, daemonProgram(), DAEMON_WORD, ...words], {
      cwd: place.cwd,
      env,
      detached: true,
      windowsHide: true,
      stdio: ["ignore", log, log],
    });
    child.unref();
    return child;
  } finally {
    closeSync(log);
  }
}

async function openIfPresent(place: DaemonPlace): Promise<Channel | undefined> {
  try {
    return await openChannel(place);
  } catch (error) {
    if (error instanceof AbsentError) return undefined;
    throw error;
  }
}

/** Waits until a daemon's process is gone. False when it is still there after so long. */
export async function whenGone(pid: number, longestMs: number): Promise<boolean> {
  const until = performance.now() + longestMs;
  while (isAlive(pid)) {
    if (performance.now() > until) return false;
    await sleep(LOOK_AGAIN_MS);
  }
  return true;
}

function unavailable(why: string, { logFile }: DaemonPlace): DiscoveryError {
  return new DiscoveryError("INTERNAL_ERROR", `The background gateway could not be started. ${why}`, {
    hint: `Read ${logFile}, or run the command with --no-daemon.`,
  });
}
