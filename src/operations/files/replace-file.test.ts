import { spawnSync } from "node:child_process";
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
import { withFileLock } from "./file-lock.js";
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

it("replaces a file, keeps its mode and leaves no other file", async () => {
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

it("creates a file and its folder that only the owner can read", async () => {
  await replaceFile({ path: at("sub/a"), expected: undefined, bytes: bytes("new") });
  expect([
    readFileSync(at("sub/a"), "utf8"),
    statSync(at("sub/a")).mode & 0o777,
    statSync(at("sub")).mode & 0o777,
  ]).toEqual(["new", 0o600, 0o700]);
});

it("removes a file, and does nothing if there is none to remove", async () => {
  const path = write("a", "old");
  await replaceFile({ path, expected: bytes("old"), bytes: undefined });
  await replaceFile({ path, expected: undefined, bytes: undefined });
  expect(readdirSync(folder)).toEqual([]);
});

it.each([
  ["has changed", "other", "old", /changed by another program/],
  ["has appeared", "other", undefined, /changed by another program/],
  ["has vanished", undefined, "old", /changed by another program/],
])("does not replace a file that %s", async (_name, content, expected, message) => {
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

it("rejects the change of a read-only file", async () => {
  const path = write("a", "old", 0o444);
  await expect(replaceFile({ path, expected: bytes("old"), bytes: bytes("new") })).rejects.toThrow("is read-only");
  expect(readFileSync(path, "utf8")).toBe("old");
});

it("rejects a path whose folder is a file", async () => {
  write("file", "x");
  await expect(replaceFile({ path: at("file/a"), expected: undefined, bytes: bytes("new") })).rejects.toThrow(
    /could not be written \((?:ENOTDIR|EEXIST)\)|changed by/,
  );
});

it("lets exactly one of two writers succeed that expect the same content", async () => {
  for (let round = 0; round < 100; round += 1) {
    const path = write("a", "old");
    const written = await Promise.allSettled(
      ["one", "two"].map(async (text) => await replaceFile({ path, expected: bytes("old"), bytes: bytes(text) })),
    );
    expect(written.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  }
  expect(readdirSync(folder)).toEqual(["a"]);
});

it("takes over the lock of a process that has ended", async () => {
  const path = write("a", "old");
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  write(".a.write-lock", `${pid} 0011223344556677`);
  await replaceFile({ path, expected: bytes("old"), bytes: bytes("new") });
  expect([readFileSync(path, "utf8"), readdirSync(folder)]).toEqual(["new", ["a"]]);
});

it("fails after the maximum wait if a running process holds the lock", async () => {
  const path = write("a", "old");
  write(".a.edit-lock", `${process.pid} 0011223344556677`);
  const editing = withFileLock(path, { kind: "edit", maxWaitMs: 50 }, () => Promise.resolve());
  await expect(editing).rejects.toThrow("is being edited by another process");
});
