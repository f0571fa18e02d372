import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { tryLock } from "./lock.js";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "anygpt-lock-"));
  file = join(folder, "a.lock");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("is held by one process at a time and can be taken again after its release", () => {
  const release = tryLock(file);
  expect(release).toBeTypeOf("function");
  expect(tryLock(file)).toBeUndefined();
  release?.();
  expect(existsSync(file)).toBe(false);
  expect(tryLock(file)).toBeTypeOf("function");
});

it("is taken from a process that is dead", () => {
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  writeFileSync(file, String(pid));
  expect(tryLock(file)).toBeTypeOf("function");
});

it("is not taken from a live process, nor while it is being written", () => {
  writeFileSync(file, String(process.ppid));
  expect(tryLock(file)).toBeUndefined();
  writeFileSync(file, "");
  expect(tryLock(file)).toBeUndefined();
});

it("is taken when it is older than any start can last", () => {
  writeFileSync(file, String(process.ppid));
  const old = new Date(Date.now() - 120_000);
  utimesSync(file, old, old);
  expect(tryLock(file)).toBeTypeOf("function");
});

it("does not release a lock that another process has taken since", () => {
  const release = tryLock(file);
  writeFileSync(file, String(process.ppid));
  release?.();
  expect(existsSync(file)).toBe(true);
});
