import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { linkSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { countOf } from "../../test/support/counts.js";
import { createTestKey, hashed, NOW, sampleFile, signed, stdioFile } from "../../test/support/signed-files.js";
import { createStore } from "../store/create-store.js";
import type { Store } from "../store/store.js";
import { parseToolFile } from "./format/parse-tool-file.js";
import type { ToolFile } from "./format/tool-file.js";
import { type KnownKey, type SigningKey, SKEW_MS } from "./keys/known-key.js";
import { openKeys } from "./keys/open-keys.js";
import { MOST_FILES, type ReadParts, readToolFiles } from "./read-tool-files.js";
import { bodyOf } from "./signing/envelope.js";
import { createKeyring } from "./signing/keyring.js";
import { verify } from "./signing/verify.js";
import { rankOf, toSeen } from "./version-book.js";

const ann = createTestKey("ann");
const bob = createTestKey("bob");

let root: string;
let project: string;
let home: string;
let store: Store;
const opened: Store[] = [];
const openStore = (): Store => {
  const other = createStore({ file: join(root, "state", "store.db"), inline: true });
  opened.push(other);
  return other;
};
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "tool-files-"));
  [project, home] = [join(root, "project"), join(root, "home")];
  await mkdir(project);
  await mkdir(home);
  store = openStore();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
  await rm(root, { recursive: true, force: true });
});

const trusting = (...keys: KnownKey[]) => ({ list: async () => ({ keys, problems: [] }) });

function read(parts: Partial<ReadParts> = {}) {
  return readToolFiles({
    folders: [project, home],
    keys: trusting(ann.known, bob.known),
    versions: store.toolFiles,
    signatures: "required",
    now: NOW,
    ...parts,
  });
}

async function summary(parts: Partial<ReadParts> = {}) {
  const { files, refused } = await read(parts);
  return {
    files: files.map(({ file }) => `${file.toolId} ${file.version}`),
    refused: refused.map(({ path, reason }) => `${path.slice(root.length + 1)} ${reason}`),
  };
}

interface Put {
  folder?: string;
  key?: { signing: SigningKey };
  now?: number;
}

const put = (file: ToolFile, { folder = project, key = ann, now = NOW }: Put = {}) =>
  writeFile(join(folder, `${file.toolId}.yaml`), signed(file, key.signing, now));
const named = (toolId: string, version = "1.0.0") => sampleFile({ toolId, version });

describe("reading tool files", () => {
  it("gives each with who vouches for it, and the bytes that were verified", async () => {
    await put(sampleFile());
    const { files, refused } = await read();
    expect(refused).toEqual([]);
    expect(files).toEqual([
      {
        file: sampleFile(),
        path: join(project, "lib_find.yaml"),
        bytes: signed(sampleFile(), ann.signing),
        trust: { kind: "signed", keyId: ann.known.keyId, keyName: "ann" },
        validatedAt: "2026-03-01T12:00:00Z",
      },
    ]);
  });

  it("takes a folder that is not there for an empty one", async () => {
    expect(await summary({ folders: [join(root, "none")] })).toEqual({ files: [], refused: [] });
  });

  it("refuses the bad ones, each with its reason, and goes on with the others", async () => {
    const good = signed(named("b_good"), ann.signing);
    const wrong = sampleFile({ toolId: "k_wrong", connection: { kind: "http", url: "ftp://x", headers: {} } });
    await put(named("a_good"));
    await put(named("c_good"), { key: bob });
    await put(wrong);
    await put(named("l_stranger"), { key: createTestKey("eve") });
    await put(named("m_future"), { now: NOW + 3_600_000 });
    await writeFile(join(project, "b_good.yaml"), good);
    await writeFile(join(project, "d_renamed.yaml"), good);
    await writeFile(join(project, "e_hash.yaml"), hashed(named("e_hash")));
    await writeFile(join(project, "f_plain.yaml"), "tool_id: f_plain\n");
    await writeFile(join(project, "g_changed.yaml"), Buffer.concat([good, Buffer.from("#")]));
    await writeFile(join(project, "h_large.yaml"), Buffer.alloc(600 * 1024));
    await mkdir(join(project, "i_folder.yaml"));
    await symlink(join(root, "nowhere"), join(project, "j_dangling.yaml"));
    await writeFile(join(project, "Not An Id.yaml"), good);
    await writeFile(join(project, ".b_good.1.ab.tmp"), "half");
    await writeFile(join(project, ".hidden.yaml"), "half");
    await writeFile(join(project, "readme.md"), "");
    const { files, refused } = await summary();
    expect(files).toEqual(["a_good 1.0.0", "b_good 1.0.0", "c_good 1.0.0"]);
    expect(refused).toEqual([
      "project/Not An Id.yaml wrong-name",
      "project/d_renamed.yaml wrong-name",
      "project/e_hash.yaml hash-only",
      "project/f_plain.yaml unsigned",
      "project/g_changed.yaml tampered",
      "project/h_large.yaml too-large",
      "project/i_folder.yaml unreadable",
      "project/j_dangling.yaml unreadable",
      "project/k_wrong.yaml wrong-content",
      "project/l_stranger.yaml unknown-key",
      "project/m_future.yaml future",
    ]);
  });

  it("tells what is wrong and what to do, under one of two codes", async () => {
    await put(sampleFile({ toolId: "lib_other", connection: { kind: "http", url: "ftp://x", headers: {} } }));
    await writeFile(join(project, "lib_find.yaml"), "tool_id: x\n");
    const { refused } = await read();
    expect(refused.map(({ error }) => error.code)).toEqual(["SIGNATURE_INVALID", "CONFIGURATION_ERROR"]);
    for (const { error, path, reason } of refused) {
      expect(error.message).toMatch(/\.$/);
      expect(error.message.startsWith(path)).toBe(true);
      expect(error.hint).toMatch(/\.$/);
      expect(error.facts).toMatchObject({ file: path, reason });
    }
  });

  it.runIf(process.platform !== "win32")("does not wait for a pipe, and follows a link to a file", async () => {
    execFileSync("mkfifo", [join(project, "lib_pipe.yaml")]);
    await put(named("lib_linked"), { folder: root });
    await symlink(join(root, "lib_linked.yaml"), join(project, "lib_linked.yaml"));
    await symlink("/dev/zero", join(project, "lib_zero.yaml"));
    expect(await summary()).toEqual({
      files: ["lib_linked 1.0.0"],
      refused: ["project/lib_pipe.yaml unreadable", "project/lib_zero.yaml unreadable"],
    });
  });

  it("reads a bounded number of files, and says so", async () => {
    const names = Array.from({ length: MOST_FILES + 5 }, (_, n) => `x${String(n).padStart(5, "0")}.yaml`);
    await writeFile(join(root, "empty"), "");
    for (const name of names) linkSync(join(root, "empty"), join(home, name));
    await put(named("a_first"), { folder: home });
    const { files, refused } = await read();
    expect(files).toHaveLength(1);
    expect(refused).toHaveLength(MOST_FILES);
    expect(refused[0]).toMatchObject({ path: home, reason: "too-large" });
  });

  it("lets the first folder have a tool's id, and tells of the other only where it is different", async () => {
    await put(named("lib_same"));
    await put(named("lib_same"), { folder: home });
    await put(named("lib_find", "1.0.0"));
    await put(named("lib_find", "2.0.0"), { folder: home });
    await put(named("lib_home"), { folder: home });
    expect(await summary()).toEqual({
      files: ["lib_find 1.0.0", "lib_same 1.0.0", "lib_home 1.0.0"],
      refused: ["home/lib_find.yaml shadowed"],
    });
    expect((await summary({ folders: [home, project] })).files).toContain("lib_find 2.0.0");
  });

  it("gives an id to the file that is signed, in whichever folder, before one that only has a hash", async () => {
    await writeFile(join(project, "lib_find.yaml"), hashed(sampleFile({ version: "9.0.0" })));
    await put(sampleFile(), { folder: home });
    expect(await summary({ signatures: "hash" })).toEqual({
      files: ["lib_find 1.0.0"],
      refused: ["project/lib_find.yaml shadowed"],
    });
  });

  it("reads a folder once that is named twice", async () => {
    await put(sampleFile());
    await writeFile(join(project, "lib_bad.yaml"), "");
    await symlink(project, join(root, "link"));
    expect(await summary({ folders: [project, join(root, "link"), project] })).toEqual({
      files: ["lib_find 1.0.0"],
      refused: ["project/lib_bad.yaml unsigned"],
    });
  });
});

describe("keys of a folder of their own", () => {
  const DAY_MS = 86_400_000;

  it("vouch for files of the old and the new one for the overlap, and for those of the new one alone afterwards", async () => {
    let now = NOW;
    const keys = openKeys(join(root, "state", "keys"), () => now);
    await keys.create({ name: "old" });
    await put(named("lib_old"), { key: { signing: (await keys.active())! } });
    now += DAY_MS;
    await keys.create({ name: "new", overlapMs: 7 * DAY_MS });
    await put(named("lib_new"), { key: { signing: (await keys.active())! }, now });
    const end = now + 7 * DAY_MS + SKEW_MS;
    for (const time of [now - SKEW_MS, now, end]) {
      expect((await summary({ keys, now: time })).files).toEqual(["lib_new 1.0.0", "lib_old 1.0.0"]);
    }
    expect(await summary({ keys, now: end + 1 })).toEqual({
      files: ["lib_new 1.0.0"],
      refused: ["project/lib_old.yaml expired-key"],
    });
    await keys.revoke((await keys.active())!.keyId);
    expect((await summary({ keys, now })).refused).toEqual(["project/lib_new.yaml revoked-key"]);
  });

  it("are not used while others can write to it, and the refusal says so", async () => {
    const folder = join(root, "state", "keys");
    const keys = openKeys(folder, () => NOW);
    await keys.create({ name: "ann" });
    await put(sampleFile(), { key: { signing: (await keys.active())! } });
    expect((await summary({ keys })).files).toEqual(["lib_find 1.0.0"]);
    await chmod(folder, 0o777);
    const { refused } = await read({ keys });
    expect(refused).toMatchObject([{ reason: "unknown-key", error: { message: expect.stringContaining(folder) } }]);
  });
});

describe("where a hash is enough", () => {
  it("takes files that carry one, and none that starts a program", async () => {
    await writeFile(join(project, "lib_find.yaml"), hashed(sampleFile()));
    await writeFile(join(project, "fs_find.yaml"), hashed(stdioFile()));
    await put(stdioFile({ toolId: "fs_signed" }));
    const { files, refused } = await read({ signatures: "hash" });
    expect(files.map(({ file, trust }) => [file.toolId, trust.kind])).toEqual([
      ["fs_signed", "signed"],
      ["lib_find", "hash"],
    ]);
    expect(refused).toMatchObject([
      { reason: "hash-only", error: { message: expect.stringContaining("starts a program") } },
    ]);
  });

  it("does not let a number that nobody signed shut out the signed file", async () => {
    await writeFile(join(project, "lib_find.yaml"), hashed(named("lib_find", "999.0.0")));
    expect((await summary({ signatures: "hash" })).files).toEqual(["lib_find 999.0.0"]);
    await put(sampleFile());
    expect((await summary()).files).toEqual(["lib_find 1.0.0"]);
    await put(named("lib_find", "1.1.0"));
    await read();
    await writeFile(join(project, "lib_find.yaml"), hashed(named("lib_find", "1.0.0")));
    expect((await summary({ signatures: "hash" })).refused).toEqual(["project/lib_find.yaml rolled-back"]);
  });
});

describe("an older version", () => {
  it.each([
    ["1.0.0", NOW, "1.0.1", NOW],
    ["1.9.0", NOW, "1.10.0", NOW - 1000],
    ["9.9.9", NOW, "10.0.0", NOW - 1000],
    ["1.0.0", NOW - 1000, "1.0.0", NOW],
    ["0.999999999.0", NOW, "1.0.0", NOW],
  ])("%s of %i is refused after %s of %i, also in another process, until a person takes it", async (...given) => {
    const [older, olderAt, newer, newerAt] = given;
    await put(named("lib_find", newer), { now: newerAt });
    expect((await summary()).files).toEqual([`lib_find ${newer}`]);
    await put(named("lib_find", older), { now: olderAt });
    const versions = openStore().toolFiles;
    const { files, refused } = await read({ versions });
    expect(files).toEqual([]);
    expect(refused).toMatchObject([
      {
        reason: "rolled-back",
        error: {
          code: "SIGNATURE_INVALID",
          hint: expect.stringContaining("anygpt mcp verify lib_find --accept"),
          facts: { version: older, seen: newer },
        },
      },
    ]);
    expect(refused[0]!.error.message).toMatch(new RegExp(`version ${older}.*version ${newer}`));
    const validatedAt = new Date(olderAt).toISOString().replace(".000", "");
    await versions.accept(toSeen({ toolId: "lib_find", version: older, validatedAt }, project));
    expect((await summary()).files).toEqual([`lib_find ${older}`]);
  });

  it("is found out in each folder and for each tool by itself", async () => {
    await put(named("lib_find", "2.0.0"));
    await put(named("lib_other", "1.0.0"));
    await put(named("lib_find", "1.0.0"), { folder: home });
    expect(await summary({ folders: [home] })).toEqual({ files: ["lib_find 1.0.0"], refused: [] });
    expect((await summary({ folders: [project] })).files).toEqual(["lib_find 2.0.0", "lib_other 1.0.0"]);
  });

  it("is refused when another process sees the newer one at the same moment", async () => {
    await put(sampleFile());
    const versions = {
      list: (folder: string) => store.toolFiles.list(folder),
      note: async (given: Parameters<Store["toolFiles"]["note"]>[0]) => {
        await openStore().toolFiles.note(
          given.map((each) => ({ ...each, version: "3.0.0", rank: rankOf("3.0.0", "") })),
        );
        return store.toolFiles.note(given);
      },
    };
    expect((await summary({ versions })).refused).toEqual(["project/lib_find.yaml rolled-back"]);
  });

  it("is not let through because nobody can tell what was seen", async () => {
    await put(sampleFile());
    const failing = async () => {
      throw new Error("no disk");
    };
    const { list } = store.toolFiles;
    for (const versions of [
      { list: failing, note: failing },
      { list, note: failing },
    ]) {
      const { files, refused } = await read({ versions });
      expect(files).toEqual([]);
      expect(refused).toMatchObject([{ reason: "unreadable", error: { hint: expect.stringContaining("store") } }]);
    }
  });
});

describe("a file that turned bad", () => {
  const path = () => join(project, "lib_find.yaml");
  const spoil = () => writeFile(path(), "tool_id: lib_find\n");

  it("is replaced by what it was, as long as the keys of now vouch for that", async () => {
    await put(sampleFile());
    const { files: previous } = await read();
    await spoil();
    const { files, refused } = await read({ previous });
    expect(files).toEqual(previous);
    expect(refused).toMatchObject([{ path: path(), reason: "unsigned", kept: previous[0] }]);
    expect((await read({ previous: files })).files).toEqual(previous);
    const revoked = { ...ann.known, revokedAt: new Date(NOW).toISOString() };
    const expired = { ...ann.known, notAfter: new Date(NOW - 3_600_000).toISOString() };
    for (const keys of [trusting(revoked), trusting(expired), trusting()]) {
      const now = await read({ previous, keys });
      expect(now.files).toEqual([]);
      expect(now.refused[0]).not.toHaveProperty("kept");
    }
  });

  it("is replaced by the newer one that it was rolled back from", async () => {
    await put(named("lib_find", "2.0.0"));
    const { files: previous } = await read();
    await put(named("lib_find", "1.0.0"));
    expect(await summary({ previous })).toEqual({
      files: ["lib_find 2.0.0"],
      refused: ["project/lib_find.yaml rolled-back"],
    });
  });

  it("is not replaced by one that is older than what others have seen", async () => {
    await put(named("lib_find", "1.0.0"));
    const { files: previous } = await read();
    await put(named("lib_find", "2.0.0"));
    await read({ versions: openStore().toolFiles });
    await spoil();
    expect((await summary({ previous })).files).toEqual([]);
  });

  it("is not replaced by what nobody had signed", async () => {
    await writeFile(path(), hashed(sampleFile()));
    const { files: previous } = await read({ signatures: "hash" });
    expect(previous).toHaveLength(1);
    await spoil();
    expect((await summary({ previous, signatures: "hash" })).files).toEqual([]);
  });

  it("is gone when it was removed, and what was put right counts again", async () => {
    await put(sampleFile());
    const { files: previous } = await read();
    await put(named("lib_find", "1.1.0"));
    expect(await summary({ previous })).toEqual({ files: ["lib_find 1.1.0"], refused: [] });
    await rm(path());
    expect(await summary({ previous })).toEqual({ files: [], refused: [] });
  });

  it("keeps its whole folder where that cannot be looked into any more", async () => {
    await put(sampleFile());
    await put(named("lib_other"));
    const { files: previous } = await read();
    await rm(project, { recursive: true });
    await writeFile(project, "");
    expect(await summary({ previous })).toEqual({
      files: ["lib_find 1.0.0", "lib_other 1.0.0"],
      refused: ["project unreadable"],
    });
  });

  it("is kept out by a revoked key even though its bytes are the same", async () => {
    await put(sampleFile());
    const { files: previous } = await read();
    const keys = trusting({ ...ann.known, revokedAt: new Date(NOW).toISOString() });
    expect(await summary({ previous, keys })).toEqual({ files: [], refused: ["project/lib_find.yaml revoked-key"] });
  });
});

describe("a file that is replaced while it is read", () => {
  const SWAPPER = `
    const { readFileSync, writeFileSync, renameSync } = require("node:fs");
    const [folder, target] = process.argv.slice(1);
    const texts = ["good-1", "good-2", "evil-1", "evil-2"].map((name) => readFileSync(folder + "/" + name));
    process.stdout.write("ready");
    for (let n = 0; ; n += 1) {
      const text = texts[n % texts.length];
      if (n % 3 === 0) { writeFileSync(target, text); continue; }
      writeFileSync(target + ".draft", text);
      renameSync(target + ".draft", target);
    }`;

  it("is parsed as it was verified, every time", async () => {
    const good = ["One.", "Two."].map((description) => signed(sampleFile({ description }), ann.signing));
    const evil = good.map((bytes) => Buffer.from(bytes.toString("utf8").replace("lib.example", "mal.example")));
    for (const [n, bytes] of good.entries()) await writeFile(join(root, `good-${n + 1}`), bytes);
    for (const [n, bytes] of evil.entries()) await writeFile(join(root, `evil-${n + 1}`), bytes);
    const target = join(project, "lib_find.yaml");
    await writeFile(target, good[0]!);
    const swapper = spawn(process.execPath, ["-e", SWAPPER, root, target], { stdio: ["ignore", "pipe", "inherit"] });
    await once(swapper.stdout, "data");
    const versions = { list: async () => [], note: async <T>(given: T) => given };
    const keyring = createKeyring({ keys: [ann.known], problems: [] });
    const met = new Map<string, number>();
    try {
      for (let n = 0; n < countOf(1000, 250); n += 1) {
        const { files, refused } = await read({ versions });
        for (const { reason } of refused) met.set(reason, (met.get(reason) ?? 0) + 1);
        for (const { file, bytes } of files) {
          met.set(file.tool.description!, (met.get(file.tool.description!) ?? 0) + 1);
          expect(good.some((each) => each.equals(bytes))).toBe(true);
          expect(verify(bytes, { file: "", keys: keyring, signatures: "required", now: NOW }).kind).toBe("intact");
          expect(parseToolFile(bodyOf(bytes), "lib_find")).toEqual({ kind: "ok", file });
        }
      }
    } finally {
      const ended = once(swapper, "exit");
      swapper.kill("SIGKILL");
      await ended;
    }
    expect([...met.keys()]).toEqual(expect.arrayContaining(["One.", "Two.", "tampered"]));
  });
});
