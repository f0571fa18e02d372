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

describe("the local key", () => {
  it("is made once, for its owner alone, and read from then on", async () => {
    const key = await createLocalKey(file)();
    expect(key).toHaveLength(32);
    expect(await createLocalKey(file)()).toEqual(key);
    expect(await readLocalKey(file)).toEqual(key);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(folder, "state"))).toEqual(["audit.key"]);
  });

  it("is the same for all that start at once", async () => {
    const keys = await Promise.all(Array.from({ length: 16 }, () => createLocalKey(file)()));
    expect(new Set(keys.map((key) => key.toString("hex"))).size).toBe(1);
  });

  it("makes nothing before it is used or when it is only read", async () => {
    createLocalKey(file);
    expect(await readLocalKey(file)).toBeUndefined();
    await expect(stat(join(folder, "state"))).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("is refused when it is too short, and left as it is", async () => {
    await mkdir(join(folder, "state"));
    await writeFile(file, "short");
    await expect(createLocalKey(file)()).rejects.toMatchObject({
      code: "AUDIT_UNAVAILABLE",
      message: `The key file ${file} holds 5 bytes and no key.`,
    });
    expect(await readFile(file, "utf8")).toBe("short");
  });

  it("is there without a restart once what was in its way is gone", async () => {
    await mkdir(file, { recursive: true });
    const key = createLocalKey(file);
    await expect(key()).rejects.toMatchObject({
      code: "AUDIT_UNAVAILABLE",
      message: expect.stringContaining("EISDIR"),
    });
    await rmdir(file);
    expect(await key()).toHaveLength(32);
  });

  it("is closed to others when they could read it, and says so once", async () => {
    const key = await createLocalKey(file)();
    await chmod(file, 0o644);
    const warnings: string[] = [];
    expect(await createLocalKey(file, (message) => warnings.push(message))()).toEqual(key);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await createLocalKey(file, (message) => warnings.push(message))();
    expect(warnings).toEqual([expect.stringContaining(`${file} holds a key and could be read by other users`)]);
  });

  it("gives each purpose a key of its own, and that one always", () => {
    const key = Buffer.alloc(32, 1);
    expect(deriveKey(key, "a")).toEqual(deriveKey(key, "a"));
    expect(deriveKey(key, "a")).not.toEqual(deriveKey(key, "b"));
    expect(deriveKey(key, "a").toString("hex")).toBe(
      "c61f48dd14941832e8f6c368e48db6d6e28dcac0dc8dcbd7bfa8b873097fb607",
    );
  });
});
