import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { startTimeOf } from "../util/start-time.js";
import { findDaemons, stopDaemons } from "./manage.js";
import { type DaemonPaths, daemonPaths } from "./paths.js";
import { killIfHung, listDaemons } from "./registry.js";

let folder: string;
let paths: DaemonPaths;
let daemon: ChildProcess;

/** A process that listens at the daemon's socket and answers nothing, not even SIGTERM. */
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "anygpt-hung-"));
  paths = daemonPaths({ cwd: folder, env: { HOME: folder, ANYGPT_HOME: join(folder, "state") } });
  mkdirSync(paths.folder, { recursive: true, mode: 0o700 });
  writeFileSync(paths.keyFile, "k".repeat(32), { mode: 0o600 });
  const program = `process.umask(0o077); process.on("SIGTERM", () => {});
    require("node:net").createServer(() => {}).listen(process.argv[1], () => console.log("listening"))`;
  daemon = spawn(process.execPath, ["-e", program, paths.socket], { stdio: ["ignore", "pipe", "inherit"] });
  await once(daemon.stdout!, "data");
  const { key, cwd, socket, socketFolder, keyFile } = paths;
  const [pid, startTime] = [daemon.pid, startTimeOf(daemon.pid!)];
  const info = { key, pid, startTime, cwd, config: null, socket, socketFolder, keyFile };
  writeFileSync(paths.infoFile, JSON.stringify(info), { mode: 0o600 });
});
afterEach(() => {
  daemon.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

it("finds and stops a daemon that does not answer", async () => {
  expect(await listDaemons(paths.stateFolder)).toEqual([]);
  const found = await findDaemons(paths);
  expect(found).toMatchObject([{ info: { pid: daemon.pid } }]);
  const exited = once(daemon, "exit");
  expect(await stopDaemons(found)).toEqual([{ pid: daemon.pid, cwd: paths.cwd, isLate: false }]);
  expect(await exited).toEqual([null, "SIGKILL"]);
});

it("kills a daemon without a recent heartbeat, but not one that is only slow", async () => {
  expect(await killIfHung(paths)).toBe(false);
  const old = new Date(Date.now() - 25_000);
  utimesSync(paths.infoFile, old, old);
  const exited = once(daemon, "exit");
  expect(await killIfHung(paths)).toBe(true);
  expect(await exited).toEqual([null, "SIGKILL"]);
});

it("does not kill another process with the same id", async () => {
  writeFileSync(paths.infoFile, JSON.stringify({ pid: daemon.pid, startTime: "1" }));
  const old = new Date(Date.now() - 25_000);
  utimesSync(paths.infoFile, old, old);
  expect(await killIfHung(paths)).toBe(false);
  expect(daemon.exitCode).toBeNull();
});
