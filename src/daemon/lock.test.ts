import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterEach, beforeEach, expect, it } from "vitest";
import { startTimeOf } from "../util/start-time.js";
import { tryLock } from "./lock.js";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "anygpt-lock-"));
  file = join(folder, "a.lock");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const hold = (holder: unknown): string => {
  const held = `${file}.0123456789ab`;
  writeFileSync(held, typeof holder === "string" ? holder : JSON.stringify(holder));
  return held;
};
const parent = () => ({ pid: process.ppid, startTime: startTimeOf(process.ppid) });

it("gives the lock to one process at a time, and again after its release", () => {
  const release = tryLock(file);
  expect(release).toBeTypeOf("function");
  expect(tryLock(file)).toBeUndefined();
  release?.();
  expect(readdirSync(folder)).toEqual([]);
  expect(tryLock(file)).toBeTypeOf("function");
});

it("does not take the lock from a running process", () => {
  hold(parent());
  expect(tryLock(file)).toBeUndefined();
});

it.each<[string, () => unknown]>([
  ["a process that has exited", () => ({ pid: spawnSync(process.execPath, ["-e", ""]).pid, startTime: "1" })],
  ["another process with the same id", () => ({ pid: process.ppid, startTime: "1" })],
  ["an empty file", () => ""],
])("takes the lock from %s", (_name, holder) => {
  const held = hold(holder());
  expect(tryLock(file)).toBeTypeOf("function");
  expect(existsSync(held)).toBe(false);
});

it("takes a lock that is older than any start can last", () => {
  const old = new Date(Date.now() - 120_000);
  utimesSync(hold(parent()), old, old);
  expect(tryLock(file)).toBeTypeOf("function");
});

it("ignores a file that another program wrote under the name of the lock", () => {
  writeFileSync(file, "1");
  expect(tryLock(file)).toBeTypeOf("function");
});

it.skipIf(process.getuid?.() === 0)("throws and leaves no file if the folder is not writable", () => {
  chmodSync(folder, 0o500);
  expect(() => tryLock(file)).toThrow("EACCES");
  chmodSync(folder, 0o700);
  expect(readdirSync(folder)).toEqual([]);
});

it("gives the lock to one of many processes at a time, even if holders are killed", async () => {
  const program = join(folder, "holder.mjs");
  const source = fileURLToPath(new URL("./lock.ts", import.meta.url));
  await build({
    stdin: {
      contents: `import { tryLock } from ${JSON.stringify(source)};
import { appendFileSync } from "node:fs";
const [, , file, log] = process.argv;
for (let round = 0; round < 5; ) {
  const release = tryLock(file);
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 10));
  if (release === undefined) continue;
  appendFileSync(log, "in " + process.pid + "\\n");
  await new Promise((resolve) => setTimeout(resolve, 3));
  if (process.pid % 3 === 0 && round === 1) process.kill(process.pid, "SIGKILL");
  appendFileSync(log, "out " + process.pid + "\\n");
  release();
  round += 1;
}`,
      resolveDir: folder,
    },
    outfile: program,
    bundle: true,
    platform: "node",
    format: "esm",
  });
  const log = join(folder, "log");
  const holders = Array.from({ length: 6 }, () => spawn(process.execPath, [program, file, log], { stdio: "inherit" }));
  await Promise.all(holders.map((holder) => once(holder, "exit")));
  const killed = new Set(holders.filter(({ signalCode }) => signalCode !== null).map(({ pid }) => String(pid)));
  const overlaps: string[] = [];
  let holder: string | undefined;
  for (const line of readFileSync(log, "utf8").trim().split("\n")) {
    const [what, pid = ""] = line.split(" ");
    const isFree = holder === undefined || killed.has(holder);
    if (what === "in" ? !isFree : pid !== holder) overlaps.push(`${line} while ${holder} holds it`);
    holder = what === "in" ? pid : undefined;
  }
  expect(overlaps).toEqual([]);
});
