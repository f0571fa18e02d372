import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTestKey, NOW } from "../../../test/support/signed-files.js";
import { createKeyPair, isSignedBy, keyIdOf, parseKeyBytes, publicKeyOf } from "./ed25519.js";
import { SKEW_MS, standingOf } from "./known-key.js";
import { type OfferedKey, openKeys, OVERLAP_MS } from "./open-keys.js";

let root: string;
let folder: string;
let now: number;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "keys-"));
  folder = join(root, "state", "keys");
  now = NOW;
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});
const open = () => openKeys(folder, () => now);
const MESSAGE = Buffer.from("message");
const DAY_MS = 86_400_000;

describe("the keys", () => {
  it("write nothing before a key is created", async () => {
    const keys = open();
    expect(await keys.active()).toBeUndefined();
    expect(await keys.list()).toEqual({ keys: [], problems: [] });
    await expect(stat(folder)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("are readable by their owner only, and the private key is only in its own file", async () => {
    const { keyId, publicKey } = await open().create({ name: "ann" });
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    const names = (await readdir(folder)).sort();
    expect(names).toEqual([`${keyId}.private.json`, `${keyId}.public.json`]);
    for (const name of names) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
    const secret = (JSON.parse(await readFile(join(folder, names[0]!), "utf8")) as { privateKey: string }).privateKey;
    expect(publicKeyOf(secret)).toBe(publicKey);
    const keys = open();
    const shown = [await keys.list(), await keys.find(keyId), await keys.active(), await keys.exportLine(keyId)];
    expect(JSON.stringify(shown)).not.toContain(secret);
    expect(await readFile(join(folder, names[1]!), "utf8")).not.toContain(secret);
  });

  it("sign with the newest valid key, and others can verify it", async () => {
    const { keyId, publicKey } = await open().create({ name: "ann" });
    const active = await open().active();
    expect(active).toMatchObject({ keyId, name: "ann" });
    expect(isSignedBy(publicKey, MESSAGE, active!.sign(MESSAGE))).toBe(true);
    expect(keyIdOf(parseKeyBytes(publicKey)!)).toBe(keyId);
    expect(await open().find(keyId)).toEqual({
      keyId,
      publicKey,
      name: "ann",
      trustedAt: new Date(NOW).toISOString(),
      isOwn: true,
      canSign: true,
    });
  });

  it("rotate: the new key signs, the previous one stays valid for the overlap only", async () => {
    const keys = open();
    const first = await keys.create({ name: "first" });
    now += DAY_MS;
    const second = await keys.create({ name: "second" });
    expect((await keys.active())?.keyId).toBe(second.keyId);
    const old = await keys.find(first.keyId);
    const end = NOW + DAY_MS + OVERLAP_MS;
    expect(old?.notAfter).toBe(new Date(end).toISOString());
    expect([end, end + SKEW_MS, end + SKEW_MS + 1].map((time) => standingOf(old!, time))).toEqual([
      "good",
      "good",
      "expired",
    ]);
    expect(standingOf((await keys.find(second.keyId))!, end + 10 * OVERLAP_MS)).toBe("good");
  });

  it("rotate at once without an overlap, and no later key extends an earlier one", async () => {
    const keys = open();
    const first = await keys.create({ name: "first" });
    now += DAY_MS;
    await keys.create({ name: "second", overlapMs: 0 });
    now += DAY_MS;
    await keys.create({ name: "third", overlapMs: 100 * DAY_MS });
    expect((await keys.find(first.keyId))?.notAfter).toBe(new Date(NOW + DAY_MS).toISOString());
    await expect(keys.create({ name: "x", overlapMs: -1 })).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  });

  it("fall back to the previous key if the newest is revoked, with the same expiry", async () => {
    const keys = open();
    const first = await keys.create({ name: "first" });
    now += DAY_MS;
    const second = await keys.create({ name: "second" });
    await keys.revoke(second.keyId);
    expect((await keys.active())?.keyId).toBe(first.keyId);
    now += OVERLAP_MS + SKEW_MS + 1;
    expect(await keys.active()).toBeUndefined();
  });

  it("still expire the previous key, and stay trusted, if the newest private key was removed", async () => {
    const keys = open();
    const first = await keys.create({ name: "first" });
    now += DAY_MS;
    const second = await keys.create({ name: "second" });
    await rm(join(folder, `${second.keyId}.private.json`));
    expect(await keys.find(second.keyId)).toMatchObject({ isOwn: true, canSign: false });
    expect((await keys.find(first.keyId))?.notAfter).toBeDefined();
    await rm(join(folder, `${first.keyId}.public.json`));
    expect(await keys.find(first.keyId)).toMatchObject({ isOwn: true, canSign: true });
  });
});

describe("trust", () => {
  const { known: bob } = createTestKey("bob the second");
  const line = `anygpt-ed25519 ${bob.publicKey} bob the second`;

  it("accepts an exported line", async () => {
    const keys = open();
    const trusted = await keys.trust(`${line}\n`);
    expect(trusted).toEqual({ ...bob, trustedAt: new Date(NOW).toISOString() });
    expect(await keys.exportLine(bob.keyId)).toBe(line);
    expect(await keys.active()).toBeUndefined();
  });

  it("accepts an object with an expiry", async () => {
    const notAfter = new Date(NOW + DAY_MS).toISOString();
    const given = { keyId: bob.keyId, publicKey: bob.publicKey, name: "bob", notAfter };
    expect(await open().trust(given)).toMatchObject({ keyId: bob.keyId, notAfter, isOwn: false });
  });

  it.each<[string, string | OfferedKey]>([
    ["nothing", ""],
    ["a line without a name", `anygpt-ed25519 ${bob.publicKey}`],
    ["another algorithm", line.replace("ed25519", "rsa")],
    ["padding", line.replace(bob.publicKey, `${bob.publicKey}=`)],
    ["too few bytes", line.replace(bob.publicKey, bob.publicKey.slice(4))],
    ["two lines", `${line}\n${line}`],
    ["a space before it", ` ${line}`],
    ["a name that changes the writing direction", `${line}\u202Etxt`],
    ["a name with an escape sequence", `${line}\u001B[2J`],
    ["a name of 81 characters", `anygpt-ed25519 ${bob.publicKey} ${"x".repeat(81)}`],
    ["an id that is not that of the bytes", { keyId: "0".repeat(32), publicKey: bob.publicKey, name: "bob" }],
    ["an additional private key", { publicKey: bob.publicKey, name: "b", privateKey: bob.publicKey } as OfferedKey],
    ["the mark of an own key", { publicKey: bob.publicKey, name: "b", overlapMs: 0 } as OfferedKey],
  ])("rejects %s", async (_, given) => {
    await expect(open().trust(given)).rejects.toMatchObject({ code: "INVALID_REQUEST", hint: expect.any(String) });
    expect((await open().list()).keys).toEqual([]);
  });

  it("does not change an own key", async () => {
    const keys = open();
    const own = await keys.create({ name: "ann" });
    expect(await keys.trust({ publicKey: own.publicKey, name: "mallory" })).toEqual(own);
  });

  it("ends permanently when the key is revoked", async () => {
    const keys = open();
    await keys.trust(line);
    now += 1000;
    const revoked = await keys.revoke(bob.keyId);
    expect(revoked.revokedAt).toBe(new Date(NOW + 1000).toISOString());
    now += 1000;
    expect(await keys.revoke(bob.keyId)).toEqual(revoked);
    await expect(keys.trust(line)).rejects.toThrow("was revoked on this machine, which is permanent");
    await rm(join(folder, `${bob.keyId}.public.json`));
    await expect(keys.trust(line)).rejects.toThrow("was revoked on this machine, which is permanent");
    expect(await keys.find(bob.keyId)).toMatchObject({ revokedAt: expect.any(String) });
  });

  it("stays revoked if the revocation file is damaged", async () => {
    const keys = open();
    await keys.trust(line);
    await keys.revoke(bob.keyId);
    await writeFile(join(folder, `${bob.keyId}.revoked.json`), "");
    expect(standingOf((await keys.find(bob.keyId))!, now)).toBe("revoked");
    expect((await keys.list()).problems).toHaveLength(1);
  });

  it.each(["revoke", "exportLine"] as const)("%s reports an unknown key", async (method) => {
    await expect(open()[method]("0".repeat(32))).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      hint: expect.stringContaining("keys list"),
    });
  });
});

describe("a key file", () => {
  const mallory = createKeyPair();
  const edit = (path: string, changes: object) => async () => {
    const record = JSON.parse(await readFile(path, "utf8")) as object;
    await writeFile(path, JSON.stringify({ ...record, ...changes }));
  };

  it.each<[string, (path: string) => Promise<unknown>, string]>([
    ["that others can read", (path) => chmod(path, 0o640), "other users can read or write it"],
    ["that others can write", (path) => chmod(path, 0o602), "other users can read or write it"],
    ["that is not JSON", (path) => writeFile(path, "{ half"), "its content is invalid"],
    ["that is too large", (path) => writeFile(path, " ".repeat(20_000)), "too large"],
    [
      "with another key's bytes",
      (path) => edit(path, { publicKey: mallory.publicKey })(),
      "it contains a key whose id differs",
    ],
    ["with another id", (path) => edit(path, { keyId: "0".repeat(32) })(), "it contains a key whose id differs"],
    ["with a member too many", (path) => edit(path, { trusted: true })(), "its content is invalid"],
    ["with a name of two lines", (path) => edit(path, { name: "a\nb" })(), "its name is invalid"],
    [
      "that is a link",
      async (path) => {
        await rename(path, join(root, "elsewhere"));
        await symlink(join(root, "elsewhere"), path);
      },
      "cannot be used (ELOOP)",
    ],
    [
      "that is a folder",
      async (path) => {
        await rm(path);
        await mkdir(path, { mode: 0o700 });
      },
      "it is not a regular file",
    ],
  ])("%s is reported and not used", async (_, spoil, reason) => {
    const keys = open();
    const { known } = createTestKey();
    await keys.trust({ publicKey: known.publicKey, name: "bob" });
    const file = join(folder, `${known.keyId}.public.json`);
    await spoil(file);
    expect(await keys.list()).toEqual({
      keys: [],
      problems: [{ file, keyId: known.keyId, reason: expect.stringContaining(reason) }],
    });
  });

  it("with a wrong private key, or one that others can read, does not sign, and the error does not quote it", async () => {
    const keys = open();
    const { keyId } = await keys.create({ name: "ann" });
    const file = join(folder, `${keyId}.private.json`);
    await chmod(file, 0o644);
    expect(await keys.active()).toBeUndefined();
    await chmod(file, 0o600);
    expect(await keys.active()).toBeDefined();
    await edit(file, { privateKey: mallory.privateKey })();
    expect(await keys.active()).toBeUndefined();
    expect((await keys.list()).problems).toEqual([
      { file, keyId, reason: "its private key and public key do not match" },
    ]);
    expect(JSON.stringify(await keys.list())).not.toContain(mallory.privateKey);
  });

  it("in a folder that others can write to is neither used nor written", async () => {
    const keys = open();
    await keys.create({ name: "ann" });
    await chmod(folder, 0o770);
    expect(await keys.list()).toEqual({
      keys: [],
      problems: [{ file: folder, reason: expect.stringContaining("other users can write to it") }],
    });
    await expect(keys.create({ name: "more" })).rejects.toMatchObject({ code: "CONFIGURATION_ERROR" });
    expect(await readdir(folder)).toHaveLength(2);
  });

  it("with another name is ignored", async () => {
    const keys = open();
    const { keyId } = await keys.create({ name: "ann" });
    for (const name of ["note.txt", `${keyId}.private.json.1.ab.tmp`, `${keyId.toUpperCase()}.public.json`]) {
      await writeFile(join(folder, name), "{");
    }
    expect((await keys.list()).problems).toEqual([]);
  });
});

describe("several processes", () => {
  it("create, trust and revoke concurrently without losing a change", async () => {
    const program = join(root, "process.mjs");
    await build({
      stdin: {
        contents: `
          import { openKeys } from "./open-keys.js";
          process.on("message", async ({ folder, now, name, trust, revoke }) => {
            const keys = openKeys(folder, () => now);
            const made = [];
            for (let n = 0; n < 5; n += 1) {
              made.push((await keys.create({ name: name + n })).keyId);
              for (const line of trust) await keys.trust(line).catch(() => undefined);
              for (const keyId of revoke) await keys.revoke(keyId);
            }
            process.send(made);
            process.disconnect();
          });`,
        resolveDir: fileURLToPath(new URL(".", import.meta.url)),
        loader: "ts",
      },
      outfile: program,
      bundle: true,
      platform: "node",
      format: "esm",
      logLevel: "warning",
    });
    const others = [createTestKey("one"), createTestKey("two")].map(({ known }) => known);
    const lines = others.map(({ publicKey, name }) => `anygpt-ed25519 ${publicKey} ${name}`);
    for (const line of lines) await open().trust(line);
    const children: ChildProcess[] = ["a", "b", "c"].map((name) => {
      const child = fork(program, { execArgv: [] });
      child.send({ folder, now, name, trust: lines, revoke: name === "a" ? [others[0]!.keyId] : [] });
      return child;
    });
    const made = (
      await Promise.all(children.map(async (child) => (await once(child, "message"))[0] as string[]))
    ).flat();
    const { keys, problems } = await open().list();
    expect(problems).toEqual([]);
    expect(
      keys
        .filter(({ isOwn }) => isOwn)
        .map(({ keyId }) => keyId)
        .sort(),
    ).toEqual(made.sort());
    expect(keys.filter(({ isOwn, notAfter }) => isOwn && notAfter === undefined)).toHaveLength(1);
    expect(await open().find(others[0]!.keyId)).toMatchObject({ revokedAt: expect.any(String) });
    expect(await open().find(others[1]!.keyId)).not.toHaveProperty("revokedAt");
  });
});
