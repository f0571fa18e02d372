import { existsSync, renameSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createStore } from "./create-store.js";
import { examineStore } from "./repair.js";
import { driver } from "./sqlite/driver.js";
import { migrate, MIGRATIONS } from "./sqlite/schema.js";
import type { Store } from "./store.js";

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "store-"));
  file = join(folder, "state", "store.db");
});
const opened: Store[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
  await rm(folder, { recursive: true, force: true });
});
const open = (inline = true, path = file): Store => {
  const store = createStore({ file: path, inline });
  opened.push(store);
  return store;
};

const BODY = { kind: "outcome", request_id: "r", timestamp: "2026-01-01T00:00:00.000Z" } as const;
const SCOPE = { actor: "a", tool: "s:t", key: "k" };

async function damage(from = 0): Promise<void> {
  const store = createStore({ file });
  for (let n = 0; n < 50; n += 1) await store.audit.append([{ ...BODY, request_id: `r${n}`, filler: "x".repeat(500) }]);
  await store.close();
  const bytes = await readFile(file);
  bytes.fill(0x5a, from);
  await writeFile(file, bytes);
}

describe("createStore", () => {
  it("creates no file before the first write", async () => {
    const store = open(false);
    expect(await store.keys.find(SCOPE, 1)).toBeUndefined();
    expect(await store.audit.read({})).toEqual([]);
    expect(existsSync(join(folder, "state"))).toBe(false);
    await store.close();
    expect(existsSync(join(folder, "state"))).toBe(false);
  });

  it("creates files that only their owner can read", async () => {
    const store = open();
    await store.audit.append([BODY]);
    const modes = await Promise.all(
      ["", "-wal", "-shm"].map(async (ending) => (await stat(file + ending)).mode & 0o777),
    );
    expect(modes).toEqual([0o600, 0o600, 0o600]);
    expect((await stat(join(folder, "state"))).mode & 0o777).toBe(0o700);
  });

  it("leaves only the database file when every process has closed the store", async () => {
    const store = open(false);
    await store.audit.append([BODY]);
    await store.close();
    expect([existsSync(file), existsSync(`${file}-wal`), existsSync(`${file}-shm`)]).toEqual([true, false, false]);
  });

  it.each([true, false])(
    "fails while a folder has the name of its file, and works again without a restart (inline: %s)",
    async (inline) => {
      await mkdir(file, { recursive: true });
      const store = open(inline);
      await expect(store.prepare()).rejects.toMatchObject({ code: "AUDIT_UNAVAILABLE", hint: expect.any(String) });
      await expect(store.audit.append([BODY])).rejects.toMatchObject({ code: "AUDIT_UNAVAILABLE" });
      await expect(store.pins.list({})).rejects.toMatchObject({ code: "INTERNAL_ERROR" });
      await rmdir(file);
      await store.prepare();
      await store.audit.append([BODY]);
      expect(await store.audit.read({})).toHaveLength(1);
    },
  );

  it.each([true, false])(
    "migrates a file of the previous format and keeps its content (inline: %s)",
    async (inline) => {
      await mkdir(join(folder, "state"));
      const before = new (driver().DatabaseSync)(file);
      migrate(before, MIGRATIONS.slice(0, 1));
      before.exec("INSERT INTO catalog VALUES ('s', 'f', 1, 'text')");
      before.close();
      const store = open(inline);
      const seen = { folder: "/f", toolId: "t", version: "1.0.0", validatedAt: "2026-01-01T00:00:00Z", rank: "1" };
      expect(await store.toolFiles.list("/f")).toEqual([]);
      expect(await store.toolFiles.note([seen])).toEqual([seen]);
      expect(await store.catalog.read([{ server: "s", fingerprint: "f" }])).toEqual(["text"]);
      await store.audit.append([BODY]);
      expect(examineStore(file)).toEqual({ kind: "healthy" });
    },
  );

  it("reports that its folder cannot be created", async () => {
    await writeFile(join(folder, "not-a-folder"), "");
    const store = open(true, join(folder, "not-a-folder", "store.db"));
    await expect(store.keys.find(SCOPE, 1)).rejects.toMatchObject({ code: "AUDIT_UNAVAILABLE" });
    await expect(store.audit.append([BODY])).rejects.toMatchObject({
      code: "AUDIT_UNAVAILABLE",
      message: expect.stringMatching(/the folder cannot be used \((ENOTDIR|EEXIST)\)/),
    });
  });

  it("reads an empty file as an empty store, and does not change it", async () => {
    await mkdir(join(folder, "state"));
    await writeFile(file, "");
    expect(await open().audit.head()).toMatchObject({ seq: 0 });
    expect((await stat(file)).size).toBe(0);
  });

  it("creates a new file when its file was removed", async () => {
    const store = open();
    await store.audit.append([BODY]);
    renameSync(file, `${file}.moved`);
    await store.audit.append([BODY]);
    // The records of the removed file are missing in the new one, which its first record says.
    const kinds = (await store.audit.read({})).map(({ body }) => (JSON.parse(body) as { kind: string }).kind);
    expect(kinds).toEqual(["gap", "outcome"]);
  });

  it("rejects a file with a newer format and does not change it", async () => {
    await open().audit.append([BODY]);
    await opened.pop()?.close();
    const database = new (driver().DatabaseSync)(file);
    database.exec("PRAGMA user_version = 99");
    database.close();
    await expect(open().audit.append([BODY])).rejects.toMatchObject({
      message: expect.stringContaining("the file has format 99"),
      hint: expect.stringContaining("Update"),
    });
    await expect(open().catalog.read([])).rejects.toMatchObject({ code: "INTERNAL_ERROR" });
  });

  it("rejects a database of another program and does not change it", async () => {
    await mkdir(join(folder, "state"));
    const database = new (driver().DatabaseSync)(file);
    database.exec("CREATE TABLE theirs (x)");
    database.close();
    const before = await readFile(file);
    await expect(open().audit.append([BODY])).rejects.toMatchObject({
      hint: expect.stringContaining("Move the database file away"),
    });
    expect(await readFile(file)).toEqual(before);
  });

  it.each([
    ["a text file", async () => writeFile(file, "this is no database, and long enough to be read as one".repeat(50))],
    ["a damaged database", () => damage(4096)],
  ])(
    "rejects %s as a database, never replaces it, and creates a new one after the user removed it",
    async (_name, make) => {
      await mkdir(join(folder, "state"), { recursive: true });
      await make();
      const before = await readFile(file);
      const failure = await (async () => {
        const store = open();
        await store.audit.append([BODY]);
        for (let n = 0; n < 50; n += 1) await store.audit.append([{ ...BODY, request_id: `r${n}` }]);
        return await store.audit.read({});
      })().catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: "AUDIT_UNAVAILABLE" });
      expect(examineStore(file)).toMatchObject({ kind: "damaged" });
      await opened.pop()?.close();
      expect((await readFile(file)).length).toBeGreaterThanOrEqual(before.length);
      for (const ending of ["", "-wal", "-shm"]) await rm(file + ending, { force: true });
      expect(examineStore(file)).toEqual({ kind: "missing" });
      await open().audit.append([BODY]);
      expect(examineStore(file)).toEqual({ kind: "healthy" });
    },
  );

  it("rejects every request after close", async () => {
    const store = open(false);
    await store.audit.append([BODY]);
    await store.close();
    await expect(store.audit.append([BODY])).rejects.toMatchObject({ code: "AUDIT_UNAVAILABLE" });
  });
});
