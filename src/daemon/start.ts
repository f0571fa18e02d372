// Starts a daemon, once for any number of concurrent commands, and waits until it listens.
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { DiscoveryError } from "../errors.js";
import { AbsentError, type DaemonChannel, openChannel } from "./channel.js";
import { DAEMON_COMMAND } from "./commands.js";
import { isAlive } from "../util/start-time.js";
import { tryLock } from "./lock.js";
import { type DaemonPaths, daemonProgram } from "./paths.js";
import { openPrivateFolder } from "./private-folder.js";

export interface StartDaemonParts {
  readonly paths: DaemonPaths;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

const MAX_START_MS = 20_000;
const POLL_MS = 15;
/**
 * If two commands request the lock at the same time, both fail and retry within this time. If this command waited
 * longer for the lock and there is still no daemon, another command tried to start the daemon and failed.
 */
const TIE_MS = 500;

/** Connects to the daemon, and starts it if none runs. Throws the reason if that fails. */
export async function startDaemon(parts: StartDaemonParts): Promise<DaemonChannel> {
  const { paths, signal } = parts;
  openPrivateFolder(paths.folder);
  openPrivateFolder(paths.socketFolder);
  const until = performance.now() + MAX_START_MS;
  let heldSince: number | undefined;
  while (performance.now() < until && !signal.aborted) {
    const running = await openIfPresent(paths);
    if (running !== undefined) return running;
    const unlock = tryLock(paths.lockFile);
    if (unlock === undefined) {
      heldSince ??= performance.now();
      await sleep(POLL_MS * (0.5 + Math.random()));
      continue;
    }
    try {
      // Another process may have started the daemon while this process waited for the lock. If that start failed, this
      // process does not try again.
      const other = await openIfPresent(paths);
      if (other !== undefined) return other;
      if (heldSince !== undefined && performance.now() - heldSince > TIE_MS)
        throw unavailable("Another command has already tried to start the background gateway and failed.", paths);
      return await launch(parts, until);
    } finally {
      unlock();
    }
  }
  throw unavailable(`The process was not ready within ${MAX_START_MS / 1000} s.`, paths);
}

async function launch({ paths, env, signal }: StartDaemonParts, until: number): Promise<DaemonChannel> {
  const child = spawnDaemon(paths, env);
  const end: { reason?: string } = {};
  child.once("error", (error) => (end.reason = error.message));
  child.once("exit", (code, name) => (end.reason = `Its process exited with ${name ?? `code ${code}`}.`));
  while (performance.now() < until && !signal.aborted && end.reason === undefined) {
    const channel = await openIfPresent(paths);
    if (channel !== undefined) return channel;
    await sleep(POLL_MS);
  }
  if (end.reason === undefined && !signal.aborted) child.kill();
  throw unavailable(end.reason ?? `The process was not ready within ${MAX_START_MS / 1000} s.`, paths);
}

/** Starts the daemon in its own session, so that terminal signals do not reach it and it outlives this process. */
function spawnDaemon(paths: DaemonPaths, env: StartDaemonParts["env"]): ChildProcess {
  const log = openSync(paths.logFile, "a", 0o600);
  try {
    const words = paths.configOption === undefined ? [] : ["--config", paths.configOption];
    const child = spawn(process.execPath, [...process.execArgv, daemonProgram(), DAEMON_COMMAND, ...words], {
      cwd: paths.cwd,
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

async function openIfPresent(paths: DaemonPaths): Promise<DaemonChannel | undefined> {
  try {
    return await openChannel(paths);
  } catch (error) {
    if (error instanceof AbsentError) return undefined;
    throw error;
  }
}

/** Waits until a daemon's process has exited. Returns false if it still runs after the time limit. */
export async function waitForExit(pid: number, limitMs: number): Promise<boolean> {
  const until = performance.now() + limitMs;
  while (isAlive(pid)) {
    if (performance.now() > until) return false;
    await sleep(POLL_MS);
  }
  return true;
}

function unavailable(why: string, { logFile }: DaemonPaths): DiscoveryError {
  return new DiscoveryError("INTERNAL_ERROR", `The background gateway could not be started. ${why}`, {
    hint: [
      { action: "edit-file", path: logFile, change: "read" },
      "To run without the background gateway, add --no-daemon.",
    ],
  });
}
