import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadModel, loadBundledModel } from "./bundled-model.js";

const bundled = fileURLToPath(new URL("../../../model/tools.bin", import.meta.url));
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "bundled-model-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("loadBundledModel", () => {
  it("finds the model and reads it once", async () => {
    const log: string[] = [];
    const meaning = await loadBundledModel((message) => log.push(message));
    expect(meaning?.dims).toBe(256);
    expect(await loadBundledModel((message) => log.push(message))).toBe(meaning);
    expect(log).toEqual([]);
  });

  it.each([
    ["missing", undefined],
    ["empty", Buffer.alloc(0)],
    ["truncated", readFileSync(bundled).subarray(0, 1_000_000)],
    ["another file", Buffer.alloc(5_000, "x")],
  ])("searches by words only if the model file is %s, and reports it", async (name, bytes) => {
    const file = join(folder, name);
    if (bytes !== undefined) writeFileSync(file, bytes);
    const log: string[] = [];
    expect(await loadModel(file, (message) => log.push(message))).toBeUndefined();
    expect(log).toEqual([expect.stringMatching(/^Search matches words only, because .*Reinstall the package\.$/u)]);
  });
});
