import { lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { removeToolFile, toolFilePath, writeToolFile } from "./write-tool-file.js";

let root: string;
let folder: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "tool-files-"));
  folder = join(root, ".ai", "tools", "mcp");
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

const BYTES = Buffer.from("a\r\nb\n\u0000\u00ff", "latin1");

describe("a tool file", () => {
  it("is written with exactly the given bytes, readable by all, without temporary files", async () => {
    const mask = process.umask(0o077);
    try {
      const path = await writeToolFile(folder, "lib_find", BYTES);
      expect(path).toBe(join(folder, "lib_find.yaml"));
      expect(await readFile(path)).toEqual(BYTES);
      expect((await stat(path)).mode & 0o777).toBe(0o644);
      expect(await readdir(folder)).toEqual(["lib_find.yaml"]);
    } finally {
      process.umask(mask);
    }
  });

  it("replaces a link and not its target", async () => {
    const outside = join(root, "outside");
    await writeFile(outside, "theirs");
    await mkdir(folder, { recursive: true });
    await symlink(outside, join(folder, "lib_find.yaml"));
    await writeToolFile(folder, "lib_find", BYTES);
    expect(await readFile(outside, "utf8")).toBe("theirs");
    expect((await lstat(join(folder, "lib_find.yaml"))).isFile()).toBe(true);
  });

  it.each(["../x", "a/b", "a\\b", "", ".", "..", "A", "con", "a.yaml", "a\0", "a".repeat(81)])(
    "cannot have the id %j",
    async (toolId) => {
      expect(() => toolFilePath(folder, toolId)).toThrow("cannot be the id of a tool file");
      await expect(writeToolFile(folder, toolId, BYTES)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
      await expect(removeToolFile(folder, toolId)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
      expect(await readdir(root)).toEqual([]);
    },
  );

  it("is replaced atomically with concurrent writers", async () => {
    const texts = Array.from({ length: 20 }, (_, n) => Buffer.from(String(n).repeat(50_000)));
    await Promise.all(texts.map((text) => writeToolFile(folder, "lib_find", text)));
    const found = await readFile(join(folder, "lib_find.yaml"));
    expect(texts.some((text) => text.equals(found))).toBe(true);
    expect(await readdir(folder)).toEqual(["lib_find.yaml"]);
  });

  it("can be removed once", async () => {
    await writeToolFile(folder, "lib_find", BYTES);
    expect(await removeToolFile(folder, "lib_find")).toBe(true);
    expect(await removeToolFile(folder, "lib_find")).toBe(false);
    expect(await removeToolFile(join(folder, "none"), "lib_find")).toBe(false);
  });

  it("reports a write error and leaves no temporary file", async () => {
    await mkdir(join(folder, "lib_find.yaml", "x"), { recursive: true });
    const failure = { code: "CONFIGURATION_ERROR", message: expect.stringContaining(join(folder, "lib_find.yaml")) };
    await expect(writeToolFile(folder, "lib_find", BYTES)).rejects.toMatchObject(failure);
    await expect(removeToolFile(folder, "lib_find")).rejects.toMatchObject(failure);
    expect(await readdir(folder)).toEqual(["lib_find.yaml"]);
    await writeFile(join(root, "file"), "");
    await expect(writeToolFile(join(root, "file"), "x", BYTES)).rejects.toMatchObject({ code: "CONFIGURATION_ERROR" });
  });
});
