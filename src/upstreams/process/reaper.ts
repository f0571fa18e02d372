// Reads process group ids from standard input. When the input ends, because the gateway has exited or was killed, it
// ends every group that is still registered; an installation may finish first. This is a separate program, built to
// `dist/reaper.js`, and may only import modules of Node.
//
// Input lines: `+PID` registers a server, `~PID {json}` a command that may be installing. `!PID`: the gateway has
// detached from that installation. `-PID`: the process has exited.
import { spawnSync } from "node:child_process";
import { statSync, truncateSync } from "node:fs";
import { createInterface } from "node:readline";
import { MAX_INSTALL_LOG_BYTES } from "../install/install-log.js";
import { npxStateOf } from "../install/npx-cache.js";
import { isNpxDone } from "../install/npx-progress.js";
import { startTimeOf } from "../../util/start-time.js";
import type { InstallationNote } from "./reap-client.js";

const TERM_GRACE_MS = 700;
const POLL_MS = 25;
const SUPERVISE_MS = 250;
/** How long a server whose installation is complete may take to read the end of its input and exit. */
const SETTLE_MS = 5_000;
/** How long npm may take to roll back a partial installation after SIGTERM. */
const UNDO_MS = 30_000;

interface Group {
  readonly startTime: string | undefined;
  installation: InstallationNote | undefined;
}

const registered = new Map<number, Group>();
const supervised = new Set<number>();

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const [, kind, digits, json] = /^([-+~!])(\d+)(?: (.*))?$/.exec(line) ?? [];
    const pid = Number(digits);
    // A signal to group 0 would reach the caller's own group, and a signal to group 1 every process.
    if (!Number.isInteger(pid) || pid < 2) return;
    if (kind === "-") registered.delete(pid);
    else if (kind === "!") void supervise(pid);
    else register(pid, json === undefined ? undefined : (JSON.parse(json) as InstallationNote));
  })
  .on("close", () => void endAll());

function register(pid: number, installation: InstallationNote | undefined): void {
  const startTime = registered.get(pid)?.startTime ?? startTimeOf(pid);
  registered.set(pid, { startTime, installation });
}

async function endAll(): Promise<void> {
  const ours = [...registered].filter(([pid]) => isStillOurs(pid));
  for (const [pid, { installation }] of ours) if (installation !== undefined) void supervise(pid);
  await endGroups(ours.filter(([, { installation }]) => installation === undefined).map(([pid]) => pid));
}

async function endGroups(groups: readonly number[]): Promise<void> {
  for (const pid of groups) terminate(pid);
  await waitForEnd(groups, TERM_GRACE_MS);
  for (const pid of groups) signal(pid, "SIGKILL");
}

/** Lets an installation continue until it is complete or exceeds its time limit, then ends the rest of its group. */
async function supervise(pid: number): Promise<void> {
  const note = registered.get(pid)?.installation;
  if (note === undefined || supervised.has(pid)) return;
  supervised.add(pid);
  let doneSince: number | undefined;
  while (isRunning(pid) && isStillOurs(pid)) {
    const now = Date.now();
    const isFlood = emptyLargeLog(note.log);
    if (now - note.beganAt >= note.limitMs) return await endInstallation(pid, note, UNDO_MS);
    const isDone = note.npx !== undefined && isNpxDone(note.npx, pid);
    doneSince = isDone ? (doneSince ?? now) : undefined;
    if (doneSince !== undefined && now - doneSince >= SETTLE_MS) await endInstallation(pid, note, TERM_GRACE_MS);
    await pause(isFlood ? POLL_MS : SUPERVISE_MS);
  }
  registered.delete(pid);
}

/**
 * Ends an installation. npm may begin to install just before SIGTERM; SIGKILL is then sent only if the installation
 * exceeds its time limit.
 */
async function endInstallation(pid: number, note: InstallationNote, graceMs: number): Promise<void> {
  const isTooOld = Date.now() - note.beganAt >= note.limitMs;
  const isInstalling = (): boolean =>
    !isTooOld && note.npx !== undefined && npxStateOf(note.npx.npxFolder, Date.now) === "installing";
  if (isInstalling()) return;
  terminate(pid);
  await waitForEnd([pid], graceMs, () => void emptyLargeLog(note.log));
  if (!isInstalling()) signal(pid, "SIGKILL");
}

/**
 * Empties a log that is too large. The process opened the file in append mode, so its next line is written at the
 * beginning of the emptied file.
 */
function emptyLargeLog(file: string | undefined): boolean {
  if (file === undefined) return false;
  try {
    if (statSync(file).size <= MAX_INSTALL_LOG_BYTES) return false;
    truncateSync(file);
    return true;
  } catch {
    // The file was removed, or the folder is no longer accessible.
    return false;
  }
}

async function waitForEnd(groups: readonly number[], limitMs: number, meanwhile?: () => void): Promise<void> {
  const deadline = Date.now() + limitMs;
  while (Date.now() < deadline && groups.some(isRunning)) {
    meanwhile?.();
    await pause(POLL_MS);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * Whether the process group is still the registered one. The operating system can reuse a process id; the new process
 * then has another start time. It does not reuse the id of an exited group leader while the group still has members, so
 * a group without a leader is still the registered one.
 */
function isStillOurs(pid: number): boolean {
  const current = startTimeOf(pid);
  const known = registered.get(pid);
  return known !== undefined && (current === undefined || known.startTime === undefined || current === known.startTime);
}

function terminate(pid: number): void {
  if (process.platform === "win32") spawnSync("taskkill", ["/pid", String(pid), "/T", "/F"], { stdio: "ignore" });
  else signal(pid, "SIGTERM");
}

function isRunning(pid: number): boolean {
  return signal(pid, 0);
}

/** Windows has no process groups, so only the process itself is signalled there. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(process.platform === "win32" ? pid : -pid, name);
    return true;
  } catch {
    return false;
  }
}
