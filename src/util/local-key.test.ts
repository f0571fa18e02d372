import { chmod, mkdir, mkdtemp, readdir, readFile, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLocalKey, deriveKey, readLocalKey } from "./local-key.js";

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "local-key-"));
  file = join(folder, "state", "audit.key");
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe("createLocalKey", () => {
  it("creates the key once, readable only by its owner, and reads it afterwards", async () => {
    const key = await createLocalKey(file)();
    expect(key).toHaveLength(32);
    expect(await createLocalKey(file)()).toEqual(key);
    expect(await readLocalKey(file)).toEqual(key);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(folder, "state"))).toEqual(["audit.key"]);
  });

  it("gives the same key to all processes that start at the same time", async () => {
    const keys = await Promise.all(Array.from({ length: 16 }, () => createLocalKey(file)()));
    expect(new Set(keys.map((key) => key.toString("hex"))).size).toBe(1);
  });

  it("creates nothing before its first use, or if the key is only read", async () => {
    createLocalKey(file);
    expect(await readLocalKey(file)).toBeUndefined();
    await expect(stat(join(folder, "state"))).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("rejects a key that is too short, and does not change it", async () => {
    await mkdir(join(folder, "state"));
    await writeFile(file, "short");
    await expect(createLocalKey(file)()).rejects.toMatchObject({
      code: "AUDIT_UNAVAILABLE",
      message: `The key file ${file} has 5 bytes, which is too short for a key.`,
    });
    expect(await readFile(file, "utf8")).toBe("short");
  });

  it("works without a restart after the cause of a failure is removed", async () => {
    await mkdir(file, { recursive: true });
    const key = createLocalKey(file);
    await expect(key()).rejects.toMatchObject({
      code: "AUDIT_UNAVAILABLE",
      message: expect.stringContaining("EISDIR"),
    });
    await rmdir(file);
    expect(await key()).toHaveLength(32);
  });

  it("removes read permission of other users, and warns once", async () => {
    const key = await createLocalKey(file)();
    await chmod(file, 0o644);
    const warnings: string[] = [];
    expect(await createLocalKey(file, (message) => warnings.push(message))()).toEqual(key);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await createLocalKey(file, (message) => warnings.push(message))();
    expect(warnings).toEqual([expect.stringContaining(`${file} was readable by other users`)]);
  });

  it("derives a different but constant key for each purpose", () => {
    const key = Buffer.alloc(32, 1);
    expect(deriveKey(key, "a")).toEqual(deriveKey(key, "a"));
    expect(deriveKey(key, "a")).not.toEqual(deriveKey(key, "b"));
    expect(deriveKey(key, "a").toString("hex")).toBe(
      "c61f48dd14941832e8f6c368e48db6d6e28dcac0dc8dcbd7bfa8b873097fb607",
    );
  });
});
