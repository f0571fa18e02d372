import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type DiscoveryEngine } from "../engine.js";
import { openEngine } from "../engine.js";
import type { Reload } from "./lifecycle.js";

let folder: string;
let engine: DiscoveryEngine;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lifecycle-"));
  await writeFile(join(folder, "config.json"), JSON.stringify({ servers: { a: { command: "${ONE}${TWO:-}" } } }));
  engine = openEngine({
    cwd: folder,
    env: { HOME: folder, PATH: process.env["PATH"] },
    stateFolder: join(folder, "state"),
    configPath: join(folder, "config.json"),
  });
});
afterEach(async () => {
  await engine.close();
  await rm(folder, { recursive: true, force: true });
});

/** The servers that a reload reports as changed, after the server failed once. */
async function changedAfter(change: () => Promise<void>): Promise<readonly string[]> {
  const outcomes: Reload[] = [];
  const reload = engine.watch((outcome) => void outcomes.push(outcome));
  await engine.listTools("a").catch(() => undefined);
  await change();
  await reload();
  const last = outcomes.at(-1);
  return last?.kind === "done" ? last.difference.changed : ["failed"];
}

const write = (command: string) =>
  writeFile(join(folder, "config.json"), JSON.stringify({ servers: { a: { command } } }));

it.each<[string, () => Promise<void>, string[]]>([
  ["unchanged if nothing changes", async () => undefined, []],
  ["changed if its command changes", () => write("${ONE}-x"), ["a"]],
  ["changed if another variable is missing", () => write("${OTHER}"), ["a"]],
  ["changed if the variable is set", () => writeFile(join(folder, ".env"), "ONE=/nowhere/program\n"), ["a"]],
])("reports a server with a missing variable as %s", async (_, change, expected) => {
  expect(await changedAfter(change)).toEqual(expected);
});

it("reports a server as changed when its variable is removed, and as unchanged after that", async () => {
  await writeFile(join(folder, ".env"), "ONE=/nowhere/program\n");
  expect(await changedAfter(() => rm(join(folder, ".env")))).toEqual(["a"]);
  expect(await changedAfter(async () => undefined)).toEqual([]);
});
