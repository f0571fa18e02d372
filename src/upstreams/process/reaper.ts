// Process groups come in on standard input, nothing goes out. When the input ends, whatever way the gateway ended, every
// group still registered is ended; only an installation is left alone until it is complete. A program of its own, built to
// `dist/reaper.js`; Node's own modules only.
//
// `+PID`: a server. `~PID {json}`: a command that may be installing. `!PID`: the gateway has let that one go. `-PID`: gone.
import { spawnSync } from "node:child_process";
import { createInterface } from "node:readline";
import { npxStateOf } from "../install/npx-cache.js";
import { startTimeOf } from "./start-time.js";
import type { InstallationNote } from "./reap-client.js";

const TERM_GRACE_MS = 700;
const POLL_MS = 25;
const CARE_MS = 250;
/** A server whose installation is complete reads the end of its input and ends by itself within this time. */
const SETTLE_MS = 5_000;
/** npm undoes a half installation when it gets SIGTERM, which takes its time. */
const UNDO_MS = 30_000;

interface Group {
  readonly startTime: string | undefined;
  installation: InstallationNote | undefined;
}

const registered = new Map<number, Group>();
const caredFor = new Set<number>();

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const [, kind, digits, json] = /^([-+~!])(\d+)(?: (.*))?$/.exec(line) ?? [];
    const pid = Number(digits);
    // 0 and 1 as a group would mean "my own" and "everybody".
    if (!Number.isInteger(pid) || pid < 2) return;
    if (kind === "-") registered.delete(pid);
    else if (kind === "!") void care(pid);
    else register(pid, json === undefined ? undefined : (JSON.parse(json) as InstallationNote));
  })
  .on("close", () => void endAll());

function register(pid: number, installation: InstallationNote | undefined): void {
  const startTime = registered.get(pid)?.startTime ?? startTimeOf(pid);
  registered.set(pid, { startTime, installation });
}

async function endAll(): Promise<void> {
  const ours = [...registered].filter(([pid]) => isStillOurs(pid));
  for (const [pid, { installation }] of ours) if (installation !== undefined) void care(pid);
  await endGroups(ours.filter(([, { installation }]) => installation === undefined).map(([pid]) => pid));
}

async function endGroups(groups: readonly number[]): Promise<void> {
  for (const pid of groups) terminate(pid);
  await ends(groups, TERM_GRACE_MS);
  for (const pid of groups) signal(pid, "SIGKILL");
}

/** Leaves an installation alone until it is complete or too old, then ends what is left of the group. */
async function care(pid: number): Promise<void> {
  const note = registered.get(pid)?.installation;
  if (note === undefined || caredFor.has(pid)) return;
  caredFor.add(pid);
  let completeSince: number | undefined;
  while (isRunning(pid) && isStillOurs(pid)) {
    const now = Date.now();
    if (now - note.beganAt >= note.limitMs) return await endInstallation(pid, () => false, UNDO_MS);
    const isComplete = note.npxFolder !== undefined && npxStateOf(note.npxFolder, Date.now) === "complete";
    completeSince = isComplete ? (completeSince ?? now) : undefined;
    if (completeSince !== undefined && now - completeSince >= SETTLE_MS) {
      await endInstallation(pid, () => npxStateOf(note.npxFolder ?? "", Date.now) === "installing", TERM_GRACE_MS);
      completeSince = undefined;
    }
    await pause(CARE_MS);
  }
  registered.delete(pid);
}

async function endInstallation(pid: number, isInstalling: () => boolean, graceMs: number): Promise<void> {
  if (isInstalling()) return;
  terminate(pid);
  await ends([pid], graceMs);
  if (!isInstalling()) signal(pid, "SIGKILL");
}

async function ends(groups: readonly number[], limitMs: number): Promise<void> {
  const deadline = Date.now() + limitMs;
  while (Date.now() < deadline && groups.some(isRunning)) await pause(POLL_MS);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * A process id can have been given to a stranger meanwhile, who then has another start time. A leader that is gone
 * leaves its number to its group alone, so what answers to the group is still ours.
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

/** Windows has no process groups. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(process.platform === "win32" ? pid : -pid, name);
    return true;
  } catch {
    return false;
  }
}
