import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createLogFile } from "./log-file.js";

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "anygpt-log-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("appends lines with a time to a file that only its owner can read", () => {
  const file = join(folder, "a.log");
  const log = createLogFile(file, () => 0);
  log("one");
  log("two");
  expect(readFileSync(file, "utf8")).toBe("1970-01-01T00:00:00.000Z one\n1970-01-01T00:00:00.000Z two\n");
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it("limits the size of the file and of its predecessor", () => {
  const file = join(folder, "a.log");
  const log = createLogFile(file, () => 0, 1000);
  for (let index = 0; index < 200; index++) log(`line ${index}`);
  expect(statSync(file).size).toBeLessThan(1100);
  expect(statSync(`${file}.1`).size).toBeLessThan(1100);
  expect(readFileSync(file, "utf8")).toContain("line 199");
});

it("does not throw when the file cannot be written", () => {
  expect(() => createLogFile(join(folder, "missing", "a.log"), Date.now)("one")).not.toThrow();
});
