import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { expandPattern, readWholeFile } from "./files.js";

let root: string;
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), "files-"))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

const system = () => ({ platform: "linux", home: root, cwd: root, env: {} });

describe("a file", () => {
  it("has the hash of exactly its bytes", async () => {
    const path = join(root, "a.json");
    writeFileSync(path, "\uFEFF{}");
    const content = await readWholeFile(path);
    const hash = createHash("sha256").update("\uFEFF{}").digest("hex");
    expect(content).toMatchObject({ kind: "text", text: "{}", file: { path, hash } });
    expect(content.kind === "text" && content.file.bytes.length).toBe(5);
  });

  it.each<[string, (path: string) => void, object]>([
    ["does not exist", () => undefined, { kind: "missing" }],
    ["is a folder", (path) => mkdirSync(path), { kind: "unreadable", reason: "is not a regular file" }],
    [
      "is a symbolic link to itself",
      (path) => symlinkSync(path, path),
      { kind: "unreadable", reason: "could not be read (ELOOP)" },
    ],
    ["is UTF-16", (path) => writeFileSync(path, "{}", "utf16le"), { kind: "unreadable" }],
    [
      "is huge",
      (path) => {
        writeFileSync(path, "");
        truncateSync(path, 11 * 1024 * 1024);
      },
      { kind: "unreadable", reason: "is larger than 10 MiB" },
    ],
  ])("that %s is reported as such", async (_, make, expected) => {
    const path = join(root, "x");
    make(path);
    expect(await readWholeFile(path)).toMatchObject(expected);
  });
});

describe("a pattern", () => {
  it("expands to all matching paths, sorted", () => {
    for (const name of ["b", "a"]) mkdirSync(join(root, "profiles", name), { recursive: true });
    writeFileSync(join(root, "profiles", "x.yaml"), "");
    const expand = (pattern: string) => expandPattern(join(root, pattern), system());
    expect(expand("profiles/*/mcp.json")).toEqual(
      ["a", "b", "x.yaml"].map((name) => join(root, "profiles", name, "mcp.json")),
    );
    expect(expand("profiles/*.yaml")).toEqual([join(root, "profiles", "x.yaml")]);
    expect(expand("nowhere/*.yaml")).toEqual([]);
    expect(expand("plain.json")).toEqual([join(root, "plain.json")]);
  });
});
