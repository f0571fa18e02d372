// All daemons of a state folder. A small file next to each socket describes its daemon.
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { isSameProcess, startTimeOf } from "../util/start-time.js";
import { writePrivateFile } from "../util/private-files.js";
import { readRegularText } from "../util/regular-file.js";
import { type ChannelPaths, openChannel, SilentError } from "./channel.js";
import { type DaemonPaths, runFolder } from "./paths.js";
import type { DaemonStatus } from "./requests.js";

/** The content of the file that describes a daemon. */
export interface DaemonInfo extends ChannelPaths {
  readonly key: string;
  readonly pid: number;
  readonly startTime?: string | undefined;
  readonly cwd: string;
  readonly config: string | null;
}

/** A daemon that responds, with its status. */
export interface RunningDaemon {
  readonly info: DaemonInfo;
  readonly status: DaemonStatus;
}

/** A daemon whose process runs but does not respond. */
export interface SilentDaemon {
  readonly info: DaemonInfo;
  readonly status?: undefined;
}

/** How long logs of exited daemons are kept. */
const LOG_RETENTION_MS = 7 * 24 * 60 * 60 * 1000;

export async function registerDaemon(paths: DaemonPaths): Promise<void> {
  const { key, cwd, config = null, socket, socketFolder, keyFile, infoFile } = paths;
  const { pid } = process;
  const info: DaemonInfo = { key, pid, startTime: startTimeOf(pid), cwd, config, socket, socketFolder, keyFile };
  await writePrivateFile(infoFile, JSON.stringify(info));
}

/** Removes the daemon's file, unless another daemon has replaced the file in the meantime. */
export async function unregisterDaemon({ infoFile }: DaemonPaths): Promise<void> {
  const info = await readInfo(infoFile);
  if (info?.pid === process.pid) await rm(infoFile, { force: true });
}

/** Running daemons, the most recently used first. Files of exited daemons are removed. */
export async function listDaemons(stateFolder: string): Promise<RunningDaemon[]> {
  return (await findProcesses(stateFolder))
    .filter((daemon): daemon is RunningDaemon => daemon.status !== undefined)
    .sort((one, other) => one.status.idleSeconds - other.status.idleSeconds);
}

/** Running daemons, including unresponsive ones. */
export async function findProcesses(stateFolder: string): Promise<(RunningDaemon | SilentDaemon)[]> {
  const folder = runFolder(stateFolder);
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".json"));
  const found = await Promise.all(names.map((name) => inspectDaemon(join(folder, name))));
  return found.filter((daemon) => daemon !== undefined);
}

async function inspectDaemon(file: string): Promise<RunningDaemon | SilentDaemon | undefined> {
  const info = await readInfo(file);
  if (info === undefined) return undefined;
  try {
    return { info, status: await askDaemon(info, "status") };
  } catch (error) {
    const isRunning = isSameProcess(info.pid, info.startTime);
    if (!isRunning) await rm(file, { force: true });
    return isRunning && error instanceof SilentError ? { info } : undefined;
  }
}

/** A daemon updates the modification time of its file at this interval. */
export const HEARTBEAT_MS = 5_000;
/** A daemon whose file has not been updated for this long hangs; even a slow machine would have updated it by then. */
const HUNG_MS = 4 * HEARTBEAT_MS;

/**
 * Kills the daemon if it hangs; the daemon's reaper process then stops its servers. Returns false if the daemon was not
 * killed, because it has exited or may only be slow.
 */
export async function killIfHung({ infoFile }: Pick<DaemonPaths, "infoFile">): Promise<boolean> {
  const info = await readInfo(infoFile);
  const { mtimeMs } = await stat(infoFile).catch(() => ({ mtimeMs: Infinity }));
  if (info === undefined || Date.now() - mtimeMs < HUNG_MS || !isSameProcess(info.pid, info.startTime)) return false;
  process.kill(info.pid, "SIGKILL");
  return true;
}

/** Sends a request to the daemon. Throws if no daemon responds. */
export async function askDaemon(paths: ChannelPaths, kind: "status" | "stop"): Promise<DaemonStatus> {
  const channel = await openChannel(paths);
  try {
    return (await channel.ask({ kind })) as DaemonStatus;
  } finally {
    channel.close();
  }
}

async function readInfo(file: string): Promise<DaemonInfo | undefined> {
  try {
    return JSON.parse(await readRegularText(file)) as DaemonInfo;
  } catch {
    return undefined;
  }
}

/** The maximum number of running daemons: each uses memory and server processes. */
const MAX_DAEMONS = 4;

/** Stops the daemons that have been idle for longest if too many are running. Never stops one that runs a command. */
export async function stopSurplus({ stateFolder, key }: DaemonPaths): Promise<void> {
  const others = (await listDaemons(stateFolder)).filter(({ info, status }) => info.key !== key && !status.isLeaving);
  const surplus = others.slice(MAX_DAEMONS - 1).filter(({ status }) => status.running === 0);
  await Promise.all(surplus.map(({ info }) => askDaemon(info, "stop").catch(() => undefined)));
}

export async function removeOldLogs({ folder, key }: DaemonPaths): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const file = join(folder, name);
    const isLog = /\.log(?:\.1)?$/.test(name) && !name.startsWith(key);
    const { mtimeMs } = isLog ? await stat(file).catch(() => ({ mtimeMs: Infinity })) : { mtimeMs: Infinity };
    if (Date.now() - mtimeMs > LOG_RETENTION_MS) await rm(file, { force: true });
  }
}
