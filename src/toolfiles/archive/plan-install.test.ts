import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTestKey, hashed, NOW, sampleFile, signed, stdioFile } from "../../../test/support/signed-files.js";
import type { KnownKey } from "../keys/known-key.js";
import { type SeenVersion, toSeen } from "../version-book.js";
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
  readonly seen?: readonly SeenVersion[];
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
  it("tells which keys are new and what becomes of each file", async () => {
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

  it("tells of a new key that is called like one that is here", async () => {
    const namesake = createTestKey(ANN.known.name).known;
    const { newKeys } = await plan(ONE, { keys: [namesake] });
    expect(newKeys).toEqual([{ ...offered(ANN), namesake: namesake.keyId }]);
  });

  it("trusts nobody anew who is trusted here", async () => {
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
    ["an ended key", ONE, { keys: [{ ...ANN.known, notAfter: new Date(0).toISOString() }] }, "expired-key"],
    ["a mere hash", { files: [{ toolId: "lib_find", bytes: hashed(LIB) }], keys: [] }, {}, "hash-only"],
    ["another tool's file", { ...ONE, files: [{ ...bundled(), toolId: "lib_other" }] }, {}, "wrong-name"],
    ["a file of tomorrow", { ...ONE, files: [bundled(LIB, ANN, NOW + 86_400_000)] }, {}, "future"],
  ])("refuses %s", async (_name, bundle, here, reason) => {
    expect(await refusedFor(bundle, here)).toEqual([reason]);
  });

  it("refuses what is older than what was here", async () => {
    const seen = [toSeen({ toolId: "lib_find", version: "1.0.1", validatedAt: "2026-01-01T00:00:00Z" }, folder)];
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

  it("does not overwrite what was signed here, but what the same or another trusted key signed before", async () => {
    put(bundled(LIB, BOB, NOW - 60_000));
    expect(await refusedFor(ONE, { keys: [{ ...BOB.known, isOwn: true }] })).toEqual(["edited"]);
    expect(await refusedFor(ONE, { keys: [BOB.known] })).toBeUndefined();
  });

  it("does not take what is no file for one", async () => {
    mkdirSync(join(folder, "lib_find.yaml"), { recursive: true });
    expect(await refusedFor(ONE)).toEqual(["in-the-way"]);
  });

  it("refuses all for one, and names each", async () => {
    const files = [bundled(), bundled(FS, BOB), { toolId: "lib_x", bytes: hashed(LIB) }];
    await expect(plan({ files, keys: [offered(ANN)] })).rejects.toMatchObject({
      code: "SIGNATURE_INVALID",
      message: expect.stringMatching(
        /^2 of 3 tool files of set\.tgz cannot be installed, so none was: fs_find/,
      ) as string,
    });
  });

  it("refuses a key that signs nothing", async () => {
    await expect(plan({ ...ONE, keys: [offered(ANN), offered(BOB)] })).rejects.toThrow(
      `none of its files is signed with its key ${BOB.known.keyId}`,
    );
  });
});

describe("an installation", () => {
  const content = (toolId: string) => readFileSync(join(folder, `${toolId}.yaml`));
  const none = async (): Promise<void> => undefined;

  it("writes every byte as it was signed", async () => {
    await installFiles(await plan(ONE), none);
    expect(content("lib_find").equals(ONE.files[0]!.bytes)).toBe(true);
  });

  it("leaves everything as it was when the key cannot be trusted in the end", async () => {
    const before = bundled(LIB, ANN, NOW - 60_000);
    put(before);
    const both = { files: [bundled(), bundled(FS)], keys: [offered(ANN)] };
    const fail = async (): Promise<void> => Promise.reject(new Error("no"));
    await expect(installFiles(await plan(both), fail)).rejects.toThrow("no");
    expect(content("lib_find").equals(before.bytes)).toBe(true);
    expect(existsSync(join(folder, "fs_find.yaml"))).toBe(false);
  });

  it("leaves everything as it was when a file was changed meanwhile", async () => {
    const files = [bundled(), bundled(FS)];
    const planned = await plan({ files, keys: [offered(ANN)] });
    put({ toolId: "fs_find", bytes: Buffer.from("mine") });
    await expect(installFiles(planned, none)).rejects.toThrow("was changed meanwhile, so nothing was installed");
    expect(existsSync(join(folder, "lib_find.yaml"))).toBe(false);
    expect(content("fs_find").toString()).toBe("mine");
  });
});
