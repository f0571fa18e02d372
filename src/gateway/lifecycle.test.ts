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

/** What a reload changes after a call to the server was tried. */
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
  ["as it was when nothing changes", async () => undefined, []],
  ["changed when it is written differently", () => write("${ONE}-x"), ["a"]],
  ["changed when it lacks something else", () => write("${OTHER}"), ["a"]],
  ["changed when the variable is set", () => writeFile(join(folder, ".env"), "ONE=/nowhere/program\n"), ["a"]],
])("a server that lacks a variable is %s", async (_, change, expected) => {
  expect(await changedAfter(change)).toEqual(expected);
});

it("a server that loses a variable is changed, and is as it was from then on", async () => {
  await writeFile(join(folder, ".env"), "ONE=/nowhere/program\n");
  expect(await changedAfter(() => rm(join(folder, ".env")))).toEqual(["a"]);
  expect(await changedAfter(async () => undefined)).toEqual([]);
});
