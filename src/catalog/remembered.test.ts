import { expect, it } from "vitest";
import { collectGarbage } from "../../test/support/garbage.js";
import type { CatalogDisk } from "./disk.js";
import { connectionFingerprint, toRecord } from "./record.js";
import { rememberedDisk } from "./remembered.js";
import { toCatalogServer, toSnapshot } from "./snapshot.js";

const connection = { kind: "http", url: "http://127.0.0.1/", headers: {} } as const;
const fingerprint = connectionFingerprint(connection);
const recordAt = (now: number) =>
  toRecord(
    { tools: [], dropped: [], truncated: false, era: "legacy" },
    { server: "a", fingerprint, previous: undefined, now },
  );
const definition = { name: "a", connection, manifest: [], origin: "inline" };
const earlier = toSnapshot([
  toCatalogServer(definition, { record: recordAt(1), failure: undefined, quarantines: new Map() }, () => ({
    enabled: true,
    tags: [],
  })),
]);

function memoryDisk(): CatalogDisk {
  let kept: ReturnType<typeof recordAt> | undefined;
  return { read: async () => kept, write: async (record) => void (kept = record) };
}

it("returns earlier records of the same connection only", async () => {
  const disk = rememberedDisk(undefined, earlier);
  expect(await disk.read("a", fingerprint)).toEqual(recordAt(1));
  expect(await disk.read("a", "other")).toBeUndefined();
  expect(await disk.read("b", fingerprint)).toBeUndefined();
});

it("prefers the record on disk, and replaces it by a write", async () => {
  const real = memoryDisk();
  const disk = rememberedDisk(real, earlier);
  await real.write(recordAt(2));
  expect(await disk.read("a", fingerprint)).toEqual(recordAt(2));
  await disk.write(recordAt(3));
  expect(await real.read("a", fingerprint)).toEqual(recordAt(3));
  const withoutDisk = rememberedDisk(undefined, earlier);
  await withoutDisk.write(recordAt(3));
  expect(await withoutDisk.read("a", fingerprint)).toBeUndefined();
});

it("keeps only the earlier records that the disk does not have", async () => {
  const real = memoryDisk();
  await real.write(recordAt(2));
  const replace = (): [CatalogDisk, WeakRef<object>[]] => {
    const record = recordAt(1);
    const known = { record, failure: undefined, quarantines: new Map() };
    const before = toSnapshot([toCatalogServer(definition, known, () => ({ enabled: true, tags: [] }))]);
    return [rememberedDisk(real, before), [new WeakRef(before), new WeakRef(record)]];
  };
  const [disk, [snapshot, record]] = replace();
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  expect(snapshot?.deref()).toBeUndefined();
  expect(record?.deref()).toBeDefined();
  await disk.read("a", fingerprint);
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  expect(record?.deref()).toBeUndefined();
});
