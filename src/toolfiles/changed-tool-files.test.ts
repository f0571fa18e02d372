import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { countOf } from "../../test/support/counts.js";
import { createTestKey, hashed, NOW, sampleFile, signed } from "../../test/support/signed-files.js";
import { createStore } from "../store/create-store.js";
import type { Store } from "../store/store.js";
import { parseToolFile } from "./format/parse-tool-file.js";
import type { ToolFile } from "./format/tool-file.js";
import { type KnownKey, type SigningKey } from "./keys/known-key.js";
import { type ReadToolFilesParts, readToolFiles } from "./read-tool-files.js";
import { bodyOf } from "./signing/envelope.js";
import { createSigningKeyring } from "./signing/keyring.js";
import { verifyToolFile } from "./signing/verify.js";
import { rankOf, toRecordedVersion } from "./version-history.js";

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

describe("an older version", () => {
  it.each([
    ["1.0.0", NOW, "1.0.1", NOW],
    ["1.9.0", NOW, "1.10.0", NOW - 1000],
    ["9.9.9", NOW, "10.0.0", NOW - 1000],
    ["1.0.0", NOW - 1000, "1.0.0", NOW],
    ["0.999999999.0", NOW, "1.0.0", NOW],
  ])("%s of %i is rejected after %s of %i, also in another process, until the user accepts it", async (...given) => {
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
    await versions.accept(toRecordedVersion({ toolId: "lib_find", version: older, validatedAt }, project));
    expect((await summary()).files).toEqual([`lib_find ${older}`]);
  });

  it("is detected separately for each folder and each tool", async () => {
    await put(named("lib_find", "2.0.0"));
    await put(named("lib_other", "1.0.0"));
    await put(named("lib_find", "1.0.0"), { folder: home });
    expect(await summary({ folders: [home] })).toEqual({ files: ["lib_find 1.0.0"], refused: [] });
    expect((await summary({ folders: [project] })).files).toEqual(["lib_find 2.0.0", "lib_other 1.0.0"]);
  });

  it("is rejected if another process records a newer one at the same time", async () => {
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

  it("is rejected if the recorded versions cannot be read or written", async () => {
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

describe("a file that became invalid", () => {
  const path = () => join(project, "lib_find.yaml");
  const invalidate = () => writeFile(path(), "tool_id: lib_find\n");

  it("keeps its previous version while the current keys verify it", async () => {
    await put(sampleFile());
    const { files: previous } = await read();
    await invalidate();
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

  it("keeps the newer version after a rollback", async () => {
    await put(named("lib_find", "2.0.0"));
    const { files: previous } = await read();
    await put(named("lib_find", "1.0.0"));
    expect(await summary({ previous })).toEqual({
      files: ["lib_find 2.0.0"],
      refused: ["project/lib_find.yaml rolled-back"],
    });
  });

  it("does not keep a version that is older than a recorded one", async () => {
    await put(named("lib_find", "1.0.0"));
    const { files: previous } = await read();
    await put(named("lib_find", "2.0.0"));
    await read({ versions: openStore().toolFiles });
    await invalidate();
    expect((await summary({ previous })).files).toEqual([]);
  });

  it("does not keep an unsigned version", async () => {
    await writeFile(path(), hashed(sampleFile()));
    const { files: previous } = await read({ signatures: "hash" });
    expect(previous).toHaveLength(1);
    await invalidate();
    expect((await summary({ previous, signatures: "hash" })).files).toEqual([]);
  });

  it("is removed with the file, and is used again once it is valid", async () => {
    await put(sampleFile());
    const { files: previous } = await read();
    await put(named("lib_find", "1.1.0"));
    expect(await summary({ previous })).toEqual({ files: ["lib_find 1.1.0"], refused: [] });
    await rm(path());
    expect(await summary({ previous })).toEqual({ files: [], refused: [] });
  });

  it("keeps the files of a folder that became unreadable", async () => {
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

  it("is rejected after its key was revoked, even if its bytes are unchanged", async () => {
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

  it("is always parsed from the verified bytes", async () => {
    const good = ["One.", "Two."].map((description) => signed(sampleFile({ description }), ann.signing));
    const evil = good.map((bytes) => Buffer.from(bytes.toString("utf8").replace("lib.example", "mal.example")));
    for (const [n, bytes] of good.entries()) await writeFile(join(root, `good-${n + 1}`), bytes);
    for (const [n, bytes] of evil.entries()) await writeFile(join(root, `evil-${n + 1}`), bytes);
    const target = join(project, "lib_find.yaml");
    await writeFile(target, good[0]!);
    const swapper = spawn(process.execPath, ["-e", SWAPPER, root, target], { stdio: ["ignore", "pipe", "inherit"] });
    await once(swapper.stdout, "data");
    const versions = { list: async () => [], note: async <T>(given: T) => given };
    const keyring = createSigningKeyring({ keys: [ann.known], problems: [] });
    const met = new Map<string, number>();
    try {
      for (let n = 0; n < countOf(1000, 250); n += 1) {
        const { files, refused } = await read({ versions });
        for (const { reason } of refused) met.set(reason, (met.get(reason) ?? 0) + 1);
        for (const { file, bytes } of files) {
          met.set(file.tool.description!, (met.get(file.tool.description!) ?? 0) + 1);
          expect(good.some((each) => each.equals(bytes))).toBe(true);
          expect(verifyToolFile(bytes, { file: "", keys: keyring, signatures: "required", now: NOW }).kind).toBe(
            "intact",
          );
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
