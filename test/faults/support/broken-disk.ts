// Faults of the disk below a running gateway, each of which can be taken back.
import { execFile, execFileSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { storeFile } from "../../../src/store/create-store.js";
import { driver } from "../../../src/store/sqlite/driver.js";
import type { FaultHome } from "./home.js";

const LAUNCH = fileURLToPath(new URL("./launch.mjs", import.meta.url));
const DISK_SIZE = "8m";
const run = promisify(execFile);

/** Begins the fault; what it gives ends it. */
export type DiskFault = (pid: number) => Promise<() => Promise<void>>;

/** No file of the process can be written any more: the system answers EFBIG, which SQLite takes for a failed disk. */
export const failedWrites: DiskFault = async (pid) => {
  await run("prlimit", ["--pid", String(pid), "--fsize=0:"]);
  return async () => {
    await run("prlimit", ["--pid", String(pid), "--fsize=unlimited:"]);
  };
};

/** Somebody else holds the store. */
export function holdStore(home: FaultHome): () => void {
  const database = new (driver().DatabaseSync)(storeFile(home.state));
  database.exec("BEGIN IMMEDIATE");
  return () => {
    database.exec("ROLLBACK");
    database.close();
  };
}

export function hasLimits(): boolean {
  return isPossible("prlimit", ["--version"]);
}

/** Whether a process can be given a disk of its own without rights that people do not have. */
export function hasOwnDisks(): boolean {
  return isPossible("unshare", ["-Urm", "mount", "-t", "tmpfs", "-o", "size=64k", "none", "/mnt"]);
}

/**
 * A build that is the given one, but for the disk that its state lies on: a small one in memory that nobody else sees.
 * The gateway is then the first child of the process that was started.
 */
export function onOwnDisk(home: FaultHome, dist: string, isReadOnly = false): string {
  const folder = home.path("own-disk");
  mkdirSync(folder, { recursive: true });
  const flags = `size=${DISK_SIZE},${isReadOnly ? "ro" : "rw"}`;
  const mount = `mount -t tmpfs -o ${flags} none "${home.state}" && exec "$@"`;
  const words = ["-Urm", "sh", "-c", mount, "sh", process.execPath, LAUNCH, dist, "discovery"];
  writeFileSync(
    join(folder, "main.js"),
    `import { spawn } from "node:child_process";
export const runDiscovery = () => new Promise((resolve) => {
  const child = spawn("unshare", [...${JSON.stringify(words)}, ...process.argv.slice(2)], { stdio: "inherit" });
  child.once("close", resolve);
});
`,
  );
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  mkdirSync(home.state, { recursive: true });
  return folder;
}

/** The same home, with the state that the process has on its own disk, as it is now. */
export function copyOwnDisk(home: FaultHome, pid: number): FaultHome {
  const state = home.path("copied");
  cpSync(`/proc/${pid}/root${home.state}`, state, { recursive: true });
  return { ...home, state, env: { ...home.env, ANYGPT_HOME: state } };
}

function isPossible(command: string, words: readonly string[]): boolean {
  try {
    execFileSync(command, words, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Of a process that has a small disk of its own mounted at the folder: it is full. */
export function fullDisk(folder: string): DiskFault {
  return async (pid) => {
    const filler = `/proc/${pid}/root${folder}/filler`;
    try {
      writeFileSync(filler, Buffer.alloc(64 * 1024 * 1024));
    } catch {
      // As much as there was room for.
    }
    return async () => rmSync(filler, { force: true });
  };
}

/** The disk that was read-only when the process began to use it can be written to. */
export async function makeWritable(folder: string, pid: number): Promise<void> {
  const words = ["-t", String(pid), "-U", "-m", "--preserve-credentials", "mount", "-o", "remount,rw", folder];
  await run("nsenter", words);
}
