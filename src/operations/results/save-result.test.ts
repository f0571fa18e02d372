import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { assertSavable, saveResult } from "./save-result.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "anygpt-save-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const part = (text: string) => ({ kind: "image", mimeType: "image/png", bytes: Buffer.from(text) });

it.each([
  ["an existing file", "there.png", /there\.png already exists/, "--force"],
  ["a folder", "inner", /inner is a folder/, "Name a file."],
  ["a file in a folder that does not exist", "none/x.png", /cannot be written \(ENOENT\)/, "a folder that exists"],
])("rejects %s before the call", async (_name, path, message, hint) => {
  writeFileSync(join(folder, "there.png"), "old");
  mkdirSync(join(folder, "inner"));
  await expect(assertSavable({ path: join(folder, path), force: false })).rejects.toMatchObject({
    code: "INVALID_REQUEST",
    message: expect.stringMatching(message) as string,
    hint: expect.stringContaining(hint) as string,
  });
});

it("replaces an existing file if force is true", async () => {
  const path = join(folder, "there.png");
  writeFileSync(path, "old");
  await assertSavable({ path, force: true });
  await saveResult({ text: "", binaries: [part("new")] }, { path, force: true });
  expect(readFileSync(path, "utf8")).toBe("new");
});

it("reports that the tool ran if its result cannot be saved afterwards", async () => {
  const path = join(folder, "gone/x.png");
  const saved = saveResult({ text: "", binaries: [part("a")] }, { path, force: false });
  await expect(saved).rejects.toMatchObject({
    code: "INVALID_REQUEST",
    executed: "yes",
    message: `The tool ran, but its result was not saved in ${path} (ENOENT).`,
  });
});

it("numbers the files of several items and skips existing files", async () => {
  writeFileSync(join(folder, "x-1.png"), "old");
  const result = { text: "t", binaries: [part("a"), part("b")] };
  const saved = await saveResult(result, { path: join(folder, "x.png"), force: false });
  expect(saved.map(({ file }) => file)).toEqual([join(folder, "x-2.png"), join(folder, "x-3.png")]);
  expect(readFileSync(join(folder, "x-1.png"), "utf8")).toBe("old");
  expect(existsSync(join(folder, "x.png"))).toBe(false);
});
