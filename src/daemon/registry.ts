// All daemons of a state folder: a small file beside each socket says which one it belongs to.
import { readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { writePrivateFile } from "../util/private-files.js";
import { type ChannelPlace, openChannel } from "./channel.js";
import { isAlive } from "./lock.js";
import { type DaemonPlace, runFolder } from "./paths.js";
import type { DaemonStatus } from "./requests.js";

/** What the file says. */
export interface DaemonInfo extends ChannelPlace {
  readonly key: string;
  readonly pid: number;
  readonly cwd: string;
  readonly config: string | null;
}

/** A daemon that answers, and what it said. */
export interface RunningDaemon {
  readonly info: DaemonInfo;
  readonly status: DaemonStatus;
}

/** Logs of daemons that are gone are kept for so long. */
const OLDEST_LOG_MS = 7 * 24 * 60 * 60 * 1000;

export async function registerDaemon(place: DaemonPlace): Promise<void> {
  const { key, cwd, config = null, socket, socketFolder, keyFile, infoFile } = place;
  const info: DaemonInfo = { key, pid: process.pid, cwd, config, socket, socketFolder, keyFile };
  await writePrivateFile(infoFile, JSON.stringify(info));
}

/** Another daemon may have taken the place meanwhile: its file stays. */
export async function unregisterDaemon({ infoFile }: DaemonPlace): Promise<void> {
  const info = await readInfo(infoFile);
  if (info?.pid === process.pid) await rm(infoFile, { force: true });
}

/** Those that run, the one that was used last first. Files of daemons that are gone are removed. */
export async function listDaemons(stateFolder: string): Promise<RunningDaemon[]> {
  const folder = runFolder(stateFolder);
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".json"));
  const found = await Promise.all(names.map((name) => look(join(folder, name))));
  return found
    .filter((daemon) => daemon !== undefined)
    .sort((one, other) => one.status.idleSeconds - other.status.idleSeconds);
}

async function look(file: string): Promise<RunningDaemon | undefined> {
  const info = await readInfo(file);
  if (info === undefined) return undefined;
  const status = await askDaemon(info, "status").catch(() => undefined);
  if (status !== undefined) return { info, status };
  if (!isAlive(info.pid)) await rm(file, { force: true });
  return undefined;
}

/** Throws when no daemon answers. */
export async function askDaemon(place: ChannelPlace, kind: "status" | "stop"): Promise<DaemonStatus> {
  const channel = await openChannel(place);
  try {
    return (await channel.ask({ kind })) as DaemonStatus;
  } finally {
    channel.close();
  }
}

async function readInfo(file: string): Promise<DaemonInfo | undefined> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as DaemonInfo;
  } catch {
    return undefined;
  }
}

/** At most so many run at once: each holds memory and server processes. */
const MOST_DAEMONS = 4;

/** Asks those that were idle for longest to end. One that runs a command is never asked. */
export async function stopSurplus({ stateFolder, key }: DaemonPlace): Promise<void> {
  const others = (await listDaemons(stateFolder)).filter(({ info, status }) => info.key !== key && !status.isLeaving);
  const surplus = others.slice(MOST_DAEMONS - 1).filter(({ status }) => status.running === 0);
  await Promise.all(surplus.map(({ info }) => askDaemon(info, "stop").catch(() => undefined)));
}

export async function removeOldLogs({ folder, key }: DaemonPlace): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const file = join(folder, name);
    const isLog = /\.log(?:\.1)?$/.test(name) && !name.startsWith(key);
    const { mtimeMs } = isLog ? await stat(file).catch(() => ({ mtimeMs: Infinity })) : { mtimeMs: Infinity };
    if (Date.now() - mtimeMs > OLDEST_LOG_MS) await rm(file, { force: true });
  }
}
