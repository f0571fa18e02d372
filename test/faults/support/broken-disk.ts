// Disk faults of a running gateway, each of which can be undone.
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

/** Starts the fault; the returned function ends it. */
export type DiskFault = (pid: number) => Promise<() => Promise<void>>;

/** No file of the process can be written: the system returns EFBIG, which SQLite reports as a disk error. */
export const failedWrites: DiskFault = async (pid) => {
  await run("prlimit", ["--pid", String(pid), "--fsize=0:"]);
  return async () => {
    await run("prlimit", ["--pid", String(pid), "--fsize=unlimited:"]);
  };
};

/** Another process locks the store. */
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

/** Whether a process can get its own disk without root privileges. */
export function hasOwnDisks(): boolean {
  return isPossible("unshare", ["-Urm", "mount", "-t", "tmpfs", "-o", "size=64k", "none", "/mnt"]);
}

/**
 * A build that equals the given one, except that its state is on a small in-memory disk that only it sees.
 * The gateway is then the first child of the started process.
 */
export function onOwnDisk(home: FaultHome, dist: string, isReadOnly = false): string {
  const folder = home.path("own-disk");
  mkdirSync(folder, { recursive: true });
  const flags = `size=${DISK_SIZE},mode=700,${isReadOnly ? "ro" : "rw"}`;
  const mount = `mount -t tmpfs -o ${flags} none "${home.state}" && exec "$@"`;
  const words = ["-Urm", "sh", "-c", mount, "sh", process.execPath, LAUNCH, dist, "discovery"];
  writeFileSync(
    join(folder, "main.cjs"),
    `const { spawn } = require("node:child_process");
exports.runDiscovery = () => new Promise((resolve) => {
  const child = spawn("unshare", [...${JSON.stringify(words)}, ...process.argv.slice(2)], { stdio: "inherit" });
  child.once("close", resolve);
});
`,
  );
  mkdirSync(home.state, { recursive: true });
  return folder;
}

/**
 * The same home folder, with the current state on the process's own disk. The process is stopped meanwhile: a gateway that
 * signs during the copy would leave the database and the checkpoint file of different moments.
 */
export function copyOwnDisk(home: FaultHome, pid: number): FaultHome {
  const state = home.path("copied");
  process.kill(pid, "SIGSTOP");
  try {
    cpSync(`/proc/${pid}/root${home.state}`, state, { recursive: true });
  } finally {
    process.kill(pid, "SIGCONT");
  }
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

/** Fills the small disk that a process has mounted at the folder. */
export function fullDisk(folder: string): DiskFault {
  return async (pid) => {
    const filler = `/proc/${pid}/root${folder}/filler`;
    try {
      writeFileSync(filler, Buffer.alloc(64 * 1024 * 1024));
    } catch {
      // All free space is used.
    }
    return async () => rmSync(filler, { force: true });
  };
}

/** Makes a disk writable that was read-only when the process began to use it. */
export async function makeWritable(folder: string, pid: number): Promise<void> {
  const words = ["-t", String(pid), "-U", "-m", "--preserve-credentials", "mount", "-o", "remount,rw", folder];
  await run("nsenter", words);
}
