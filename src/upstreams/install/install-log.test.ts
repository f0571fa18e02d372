import { appendFileSync, existsSync, mkdtempSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createStderrRing } from "../process/stderr-ring.js";
import { openInstallLog } from "./install-log.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "install-log-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("copies new output and keeps or removes the file", () => {
  const ring = createStderrRing((text) => text);
  const kept = openInstallLog(folder, "key", ring);
  writeSync(kept.fd, "one\ntw");
  kept.pull();
  writeSync(kept.fd, "o\n");
  kept.close("keep");
  expect(ring.lines()).toEqual(["one", "two"]);
  expect(statSync(kept.file).mode & 0o777).toBe(0o600);
  const removed = openInstallLog(folder, "key", ring);
  removed.close("remove");
  expect(existsSync(removed.file)).toBe(false);
});

it("limits the size of the log and continues with a complete line after truncation", () => {
  const ring = createStderrRing((text) => text);
  const log = openInstallLog(folder, "key", ring);
  appendFileSync(log.file, "x".repeat(99).concat("\n").repeat(20_000));
  log.pull();
  expect(statSync(log.file).size).toBe(0);
  appendFileSync(log.file, "half a line\na whole line\n");
  log.close("keep");
  expect(ring.lines().at(-1)).toBe("a whole line");
  expect(ring.lines()).not.toContain("half a line");
});

it("reads only the end of a backlog that is larger than the limit", () => {
  const ring = createStderrRing((text) => text);
  const log = openInstallLog(folder, "key", ring);
  appendFileSync(log.file, "x".repeat(99).concat("\n").repeat(100_000));
  appendFileSync(log.file, "the last line\n");
  log.pull();
  expect(ring.written()).toBeLessThanOrEqual(64 * 1024);
  expect(ring.lines().at(-1)).toBe("the last line");
  expect(statSync(log.file).size).toBe(0);
  log.close("remove");
});
