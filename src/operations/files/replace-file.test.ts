import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { replaceFile } from "./replace-file.js";

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "replace-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const bytes = (text: string): Uint8Array => Buffer.from(text);
const at = (name: string): string => join(folder, name);
const write = (name: string, text: string, mode = 0o644): string => {
  writeFileSync(at(name), text);
  chmodSync(at(name), mode);
  return at(name);
};

it("replaces a file, keeps its mode and leaves nothing beside it", async () => {
  const path = write("a", "old", 0o664);
  await replaceFile({ path, expected: bytes("old"), bytes: bytes("new") });
  expect([readFileSync(path, "utf8"), statSync(path).mode & 0o777, readdirSync(folder)]).toEqual(["new", 0o664, ["a"]]);
});

it("follows a link and keeps it", async () => {
  write("real", "old");
  symlinkSync("real", at("link"));
  await replaceFile({ path: at("link"), expected: bytes("old"), bytes: bytes("new"), mode: 0o600 });
  expect([
    lstatSync(at("link")).isSymbolicLink(),
    readFileSync(at("real"), "utf8"),
    statSync(at("real")).mode & 0o777,
  ]).toEqual([true, "new", 0o600]);
});

it("creates a file and its folder for their owner alone", async () => {
  await replaceFile({ path: at("sub/a"), expected: undefined, bytes: bytes("new") });
  expect([
    readFileSync(at("sub/a"), "utf8"),
    statSync(at("sub/a")).mode & 0o777,
    statSync(at("sub")).mode & 0o777,
  ]).toEqual(["new", 0o600, 0o700]);
});

it("removes a file, and does nothing where there is none and shall be none", async () => {
  const path = write("a", "old");
  await replaceFile({ path, expected: bytes("old"), bytes: undefined });
  await replaceFile({ path, expected: undefined, bytes: undefined });
  expect(readdirSync(folder)).toEqual([]);
});

it.each([
  ["has changed", "other", "old", /changed by somebody else/],
  ["has appeared", "other", undefined, /changed by somebody else/],
  ["has vanished", undefined, "old", /changed by somebody else/],
])("leaves a file alone that %s", async (_name, content, expected, message) => {
  if (content !== undefined) write("a", content);
  const replacing = replaceFile({
    path: at("a"),
    expected: expected === undefined ? undefined : bytes(expected),
    bytes: bytes("new"),
  });
  await expect(replacing).rejects.toMatchObject({
    code: "CONFIGURATION_ERROR",
    message: expect.stringMatching(message) as string,
  });
  expect(readdirSync(folder).map((name) => readFileSync(at(name), "utf8"))).toEqual(
    content === undefined ? [] : [content],
  );
});

it("leaves a read-only file alone, and says so", async () => {
  const path = write("a", "old", 0o444);
  await expect(replaceFile({ path, expected: bytes("old"), bytes: bytes("new") })).rejects.toThrow("is read-only");
  expect(readFileSync(path, "utf8")).toBe("old");
});

it("says when a folder stands in the way", async () => {
  write("file", "x");
  await expect(replaceFile({ path: at("file/a"), expected: undefined, bytes: bytes("new") })).rejects.toThrow(
    /could not be written \((?:ENOTDIR|EEXIST)\)|changed by/,
  );
});
