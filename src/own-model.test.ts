import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadModel, loadOwnModel } from "./own-model.js";

const own = fileURLToPath(new URL("../model/tools.bin", import.meta.url));
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "own-model-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the model of this package", () => {
  it("is found, and read once", async () => {
    const log: string[] = [];
    const meaning = await loadOwnModel((message) => log.push(message));
    expect(meaning?.dims).toBe(256);
    expect(await loadOwnModel((message) => log.push(message))).toBe(meaning);
    expect(log).toEqual([]);
  });

  it.each([
    ["missing", undefined],
    ["empty", Buffer.alloc(0)],
    ["cut off", readFileSync(own).subarray(0, 1_000_000)],
    ["something else", Buffer.alloc(5_000, "x")],
  ])("leaves search to the words when it is %s, and says so", async (name, bytes) => {
    const file = join(folder, name);
    if (bytes !== undefined) writeFileSync(file, bytes);
    const log: string[] = [];
    expect(await loadModel([file], (message) => log.push(message))).toBeUndefined();
    expect(log).toEqual([expect.stringMatching(/^Search goes by words alone: .*Install it again\.$/u)]);
  });

  it("is taken from the first place that has it", async () => {
    expect((await loadModel([join(folder, "nowhere"), own], () => undefined))?.dims).toBe(256);
  });
});
