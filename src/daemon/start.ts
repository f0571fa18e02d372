// Starts a daemon, once for any number of concurrent commands, and waits until it listens.
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { DiscoveryError } from "../errors.js";
import { AbsentError, type DaemonChannel, openChannel } from "./channel.js";
import { DAEMON_WORD } from "./commands.js";
import { isAlive } from "../util/start-time.js";
import { tryLock } from "./lock.js";
import { type DaemonPlace, daemonProgram } from "./paths.js";
import { openPrivateFolder } from "./private-folder.js";

export interface StartDaemonParts {
  readonly place: DaemonPlace;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

const LONGEST_START_MS = 20_000;
const LOOK_AGAIN_MS = 15;
/** Two commands that request the lock at the same time both retry within this time; a failed start takes longer. */
const TIE_MS = 500;

/** Connects to the daemon, and starts it if none runs. Throws the reason if that fails. */
export async function startDaemon(parts: StartDaemonParts): Promise<DaemonChannel> {
  const { place, signal } = parts;
  openPrivateFolder(place.folder);
  openPrivateFolder(place.socketFolder);
  const until = performance.now() + LONGEST_START_MS;
  let heldSince: number | undefined;
  while (performance.now() < until && !signal.aborted) {
    const running = await openIfPresent(place);
    if (running !== undefined) return running;
    const unlock = tryLock(place.lockFile);
    if (unlock === undefined) {
      heldSince ??= performance.now();
      await sleep(LOOK_AGAIN_MS * (0.5 + Math.random()));
      continue;
    }
    try {
      // Another process may have started a daemon before this one got the lock. If its start failed, do not repeat it.
      const other = await openIfPresent(place);
      if (other !== undefined) return other;
      if (heldSince !== undefined && performance.now() - heldSince > TIE_MS)
        throw unavailable("The attempt of another command to start it has failed.", place);
      return await launch(parts, until);
    } finally {
      unlock();
    }
  }
  throw unavailable("It was not ready in time.", place);
}

async function launch({ place, env, signal }: StartDaemonParts, until: number): Promise<DaemonChannel> {
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

/** The daemon gets its own session: signals of the terminal do not reach it, and it outlives this process. */
function spawnDaemon(place: DaemonPlace, env: StartDaemonParts["env"]): ChildProcess {
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

async function openIfPresent(place: DaemonPlace): Promise<DaemonChannel | undefined> {
  try {
    return await openChannel(place);
  } catch (error) {
    if (error instanceof AbsentError) return undefined;
    throw error;
  }
}

/** Waits until a daemon's process has exited. Returns false if it still runs after the time limit. */
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
    hint: [
      { action: "edit-file", path: logFile, change: "read" },
      "To run without the background gateway, add --no-daemon.",
    ],
  });
}
