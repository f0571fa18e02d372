import { execFileSync } from "node:child_process";
import { linkSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTestKey, hashed, NOW, sampleFile, signed, stdioFile } from "../../test/support/signed-files.js";
import { createStore } from "../store/create-store.js";
import type { Store } from "../store/store.js";
import type { ToolFile } from "./format/tool-file.js";
import { type KnownKey, type SigningKey, SKEW_MS } from "./keys/known-key.js";
import { openKeys } from "./keys/open-keys.js";
import { MAX_FILES_IN_FOLDER, type ReadToolFilesParts, readToolFiles } from "./read-tool-files.js";

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

function read(parts: Partial<ReadToolFilesParts> = {}) {
  return readToolFiles({
    folders: [project, home],
    keys: trusting(ann.known, bob.known),
    versions: store.toolFiles,
    signatures: "required",
    now: NOW,
    ...parts,
  });
}

async function summary(parts: Partial<ReadToolFilesParts> = {}) {
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
  it("returns each file with its key and the verified bytes", async () => {
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

  it("treats a missing folder as empty", async () => {
    expect(await summary({ folders: [join(root, "none")] })).toEqual({ files: [], refused: [] });
  });

  it("rejects invalid files, each with its reason, and returns the others", async () => {
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

  it("reports the problem and a hint, with one of two codes", async () => {
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

  it.runIf(process.platform !== "win32")("does not block on a pipe, and follows a link to a file", async () => {
    execFileSync("mkfifo", [join(project, "lib_pipe.yaml")]);
    await put(named("lib_linked"), { folder: root });
    await symlink(join(root, "lib_linked.yaml"), join(project, "lib_linked.yaml"));
    await symlink("/dev/zero", join(project, "lib_zero.yaml"));
    expect(await summary()).toEqual({
      files: ["lib_linked 1.0.0"],
      refused: ["project/lib_pipe.yaml unreadable", "project/lib_zero.yaml unreadable"],
    });
  });

  it("limits the number of files, and reports it", async () => {
    const names = Array.from({ length: MAX_FILES_IN_FOLDER + 5 }, (_, n) => `x${String(n).padStart(5, "0")}.yaml`);
    await writeFile(join(root, "empty"), "");
    for (const name of names) linkSync(join(root, "empty"), join(home, name));
    await put(named("a_first"), { folder: home });
    const { files, refused } = await read();
    expect(files).toHaveLength(1);
    expect(refused).toHaveLength(MAX_FILES_IN_FOLDER);
    expect(refused[0]).toMatchObject({ path: home, reason: "too-large" });
  });

  it("uses the first folder with a tool's id, and reports the other only if it differs", async () => {
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

  it("prefers a signed file to one with only a hash, in any folder", async () => {
    await writeFile(join(project, "lib_find.yaml"), hashed(sampleFile({ version: "9.0.0" })));
    await put(sampleFile(), { folder: home });
    expect(await summary({ signatures: "hash" })).toEqual({
      files: ["lib_find 1.0.0"],
      refused: ["project/lib_find.yaml shadowed"],
    });
  });

  it("reads a folder that is listed twice only once", async () => {
    await put(sampleFile());
    await writeFile(join(project, "lib_bad.yaml"), "");
    await symlink(project, join(root, "link"));
    expect(await summary({ folders: [project, join(root, "link"), project] })).toEqual({
      files: ["lib_find 1.0.0"],
      refused: ["project/lib_bad.yaml unsigned"],
    });
  });
});

describe("keys in the state folder", () => {
  const DAY_MS = 86_400_000;

  it("verify files of the old and the new key during the overlap, and only of the new key afterwards", async () => {
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

  it("are not used while other users can write to the folder, and the refusal reports it", async () => {
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

describe("with signatures: hash", () => {
  it("accepts files with a hash, and none that starts a program", async () => {
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

  it("does not let an unsigned version number block the signed file", async () => {
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
