import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTestKey, hashed, NOW, sampleFile, signed, stdioFile } from "../../../test/support/signed-files.js";
import type { KnownKey } from "../keys/known-key.js";
import { type RecordedVersion, toRecordedVersion } from "../version-history.js";
import type { Bundle, BundledFile } from "./bundle.js";
import { installFiles } from "./install-files.js";
import { planInstall } from "./plan-install.js";

const ANN = createTestKey("ann");
const BOB = createTestKey("bob");
const LIB = sampleFile();
const FS = stdioFile();
const bundled = (file = LIB, key = ANN, now = NOW): BundledFile => ({
  toolId: file.toolId,
  bytes: signed(file, key.signing, now),
});
const offered = ({ known: { keyId, publicKey, name } }: typeof ANN) => ({ keyId, publicKey, name });

let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), "anygpt-install-")), "tools");
});
afterEach(() => rmSync(join(folder, ".."), { recursive: true, force: true }));

interface Here {
  readonly keys?: readonly KnownKey[];
  readonly seen?: readonly RecordedVersion[];
}
const plan = (bundle: Bundle, { keys = [], seen = [] }: Here = {}) =>
  planInstall({
    bundle,
    origin: "set.tgz",
    folder,
    keys: { keys, problems: [] },
    versions: { list: async () => seen, note: async () => [] },
    now: NOW,
  });
const put = ({ toolId, bytes }: BundledFile): void => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${toolId}.yaml`), bytes);
};
const ONE: Bundle = { files: [bundled()], keys: [offered(ANN)] };
const refusedFor = async (bundle: Bundle, here?: Here): Promise<unknown> =>
  await plan(bundle, here).then(
    () => undefined,
    (error: { facts: { refused?: { reason: string }[] } }) => error.facts.refused?.map(({ reason }) => reason),
  );

describe("a plan", () => {
  it("lists new keys and the outcome for each file", async () => {
    put(bundled(FS));
    put(bundled(LIB, ANN, NOW - 60_000));
    const files = [bundled({ ...LIB, version: "1.1.0" }), bundled(FS), bundled(sampleFile({ toolId: "lib_new" }))];
    const { files: planned, newKeys } = await plan({ files, keys: [offered(ANN)] });
    expect(newKeys).toEqual([offered(ANN)]);
    expect(planned.map(({ file, kind, before }) => [file.toolId, kind, before?.version])).toEqual([
      ["lib_find", "replaced", "1.0.0"],
      ["fs_find", "same", undefined],
      ["lib_new", "new", undefined],
    ]);
  });

  it("reports a new key with the name of a known key", async () => {
    const namesake = createTestKey(ANN.known.name).known;
    const { newKeys } = await plan(ONE, { keys: [namesake] });
    expect(newKeys).toEqual([{ ...offered(ANN), namesake: namesake.keyId }]);
  });

  it("lists no key as new that is trusted already", async () => {
    expect((await plan(ONE, { keys: [ANN.known] })).newKeys).toEqual([]);
    expect((await plan({ ...ONE, keys: [] }, { keys: [ANN.known] })).files).toHaveLength(1);
  });

  const changed = Buffer.from(signed(LIB, ANN.signing));
  changed[changed.length - 2] = 0x78;
  it.each([
    ["a changed file", { files: [{ toolId: "lib_find", bytes: changed }], keys: [offered(ANN)] }, {}, "tampered"],
    ["a file without its key", { ...ONE, keys: [] }, {}, "unknown-key"],
    ["a file of another key", { files: [bundled(LIB, BOB)], keys: [offered(ANN)] }, {}, "unknown-key"],
    ["a revoked key", ONE, { keys: [{ ...ANN.known, revokedAt: new Date(0).toISOString() }] }, "revoked-key"],
    ["an expired key", ONE, { keys: [{ ...ANN.known, notAfter: new Date(0).toISOString() }] }, "expired-key"],
    ["a mere hash", { files: [{ toolId: "lib_find", bytes: hashed(LIB) }], keys: [] }, {}, "hash-only"],
    ["another tool's file", { ...ONE, files: [{ ...bundled(), toolId: "lib_other" }] }, {}, "wrong-name"],
    ["a file signed in the future", { ...ONE, files: [bundled(LIB, ANN, NOW + 86_400_000)] }, {}, "future"],
  ])("rejects %s", async (_name, bundle, here, reason) => {
    expect(await refusedFor(bundle, here)).toEqual([reason]);
  });

  it("rejects a version older than the stored one", async () => {
    const seen = [
      toRecordedVersion({ toolId: "lib_find", version: "1.0.1", validatedAt: "2026-01-01T00:00:00Z" }, folder),
    ];
    expect(await refusedFor(ONE, { seen })).toEqual(["rolled-back"]);
    expect(await refusedFor({ ...ONE, files: [bundled({ ...LIB, version: "1.0.2" })] }, { seen })).toBeUndefined();
  });

  it.each([
    ["edited", (bytes: Buffer) => Buffer.concat([bytes, Buffer.from("# mine\n")])],
    ["unsigned", (bytes: Buffer) => bytes.subarray(bytes.indexOf("tool_id"))],
  ])("does not overwrite a file that is %s", async (_name, edit) => {
    put({ toolId: "lib_find", bytes: edit(bundled(LIB, ANN, NOW - 60_000).bytes) });
    expect(await refusedFor(ONE)).toEqual(["edited"]);
  });

  it("does not overwrite a file signed with an own key, but one signed with a trusted key", async () => {
    put(bundled(LIB, BOB, NOW - 60_000));
    expect(await refusedFor(ONE, { keys: [{ ...BOB.known, isOwn: true }] })).toEqual(["edited"]);
    expect(await refusedFor(ONE, { keys: [BOB.known] })).toBeUndefined();
  });

  it("rejects a folder with the name of a file", async () => {
    mkdirSync(join(folder, "lib_find.yaml"), { recursive: true });
    expect(await refusedFor(ONE)).toEqual(["in-the-way"]);
  });

  it("rejects the whole set for one file, and lists each", async () => {
    const files = [bundled(), bundled(FS, BOB), { toolId: "lib_x", bytes: hashed(LIB) }];
    await expect(plan({ files, keys: [offered(ANN)] })).rejects.toMatchObject({
      code: "SIGNATURE_INVALID",
      message: expect.stringMatching(
        /^2 of 3 tool files of set\.tgz cannot be installed, so none was installed: fs_find/,
      ) as string,
    });
  });

  it("rejects a key that signed no file", async () => {
    await expect(plan({ ...ONE, keys: [offered(ANN), offered(BOB)] })).rejects.toThrow(
      `none of its files is signed with its key ${BOB.known.keyId}`,
    );
  });
});

describe("an installation", () => {
  const content = (toolId: string) => readFileSync(join(folder, `${toolId}.yaml`));
  const none = async (): Promise<void> => undefined;

  it("writes exactly the signed bytes", async () => {
    await installFiles(await plan(ONE), none);
    expect(content("lib_find").equals(ONE.files[0]!.bytes)).toBe(true);
  });

  it("restores all files if trusting the key fails", async () => {
    const before = bundled(LIB, ANN, NOW - 60_000);
    put(before);
    const both = { files: [bundled(), bundled(FS)], keys: [offered(ANN)] };
    const fail = async (): Promise<void> => Promise.reject(new Error("no"));
    await expect(installFiles(await plan(both), fail)).rejects.toThrow("no");
    expect(content("lib_find").equals(before.bytes)).toBe(true);
    expect(existsSync(join(folder, "fs_find.yaml"))).toBe(false);
  });

  it("restores all files if another process changed one", async () => {
    const files = [bundled(), bundled(FS)];
    const planned = await plan({ files, keys: [offered(ANN)] });
    put({ toolId: "fs_find", bytes: Buffer.from("mine") });
    await expect(installFiles(planned, none)).rejects.toThrow(
      "was changed by another process, so nothing was installed",
    );
    expect(existsSync(join(folder, "lib_find.yaml"))).toBe(false);
    expect(content("fs_find").toString()).toBe("mine");
  });
});
