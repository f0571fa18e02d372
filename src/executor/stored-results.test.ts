import { createHash, randomBytes } from "node:crypto";
import { afterEach, describe, expect, it, vi } from "vitest";
import { failure } from "../../test/support/failure.js";
import { DiscoveryError } from "../errors.js";
import type { CallResult } from "../model/call.js";
import { createMemoryResults } from "../store/memory-results.js";
import type { ResultQuotas, ResultRecord, ResultRecords } from "../store/result-records.js";
import { createEncryption } from "./encryption.js";
import { resultOptions } from "./options.js";
import { createStoredResults, type StoredResultsParts } from "./stored-results.js";

const PAGE = 65_536;
const SOURCE = { server: "files", tool: "read" };
const KEY = Buffer.alloc(32, 1);
const toResult = (text: string): CallResult => ({ content: [{ type: "text", text }] });

function setUp(more: Partial<StoredResultsParts> = {}) {
  const clock = { now: Date.UTC(2026, 0, 1) };
  const logged: string[] = [];
  const added: ResultRecord[] = [];
  const memory = createMemoryResults();
  const records: ResultRecords = {
    ...memory,
    add: (record, quotas) => {
      added.push(record);
      return memory.add(record, quotas);
    },
  };
  const results = createStoredResults({
    records: () => records,
    encryption: () => Promise.resolve(createEncryption(KEY)),
    options: () => resultOptions.parse({}),
    now: () => clock.now,
    log: (message) => logged.push(message),
    ...more,
  });
  const store = async (text: string, actor = "ann") => {
    const stored = await results.store(toResult(text), actor, SOURCE);
    if (stored === undefined) throw new Error("The result was not stored.");
    return stored;
  };
  return { results, store, records, added, logged, clock };
}

const refuse = (): Promise<never> =>
  Promise.reject(new DiscoveryError("INTERNAL_ERROR", "The store s could not be used: the disk is full."));

describe("a stored result", () => {
  it.each([
    ["plain text", "x".repeat(3 * PAGE)],
    ["text of other scripts", "дом é ".repeat(PAGE)],
    ["surrogate pairs at the end of a page", "😀".repeat(PAGE)],
    ["lone surrogates", `\ud83d${"y".repeat(PAGE)}\ude00`],
    ["one-byte and two-byte characters", `${"ÿ".repeat(PAGE)}€`],
    ["a short text that compression does not shorten", "q"],
  ])("is returned unchanged: %s", async (_, text) => {
    const { results, store } = setUp();
    const { id, pages, characters, bytes } = await store(text);
    const read = Array.from({ length: pages }, (__, page) => results.page(id, page + 1, "ann"));
    const whole = (await Promise.all(read)).join("");
    expect(whole).toBe(JSON.stringify(toResult(text)));
    expect([characters, bytes]).toEqual([whole.length, Buffer.byteLength(whole)]);
    expect(await results.page(id, pages + 1, "ann")).toBeUndefined();
    expect(await results.read(id, "ann")).toEqual(toResult(text));
  });

  it("has the hash of the bytes that the server sent, and does not contain them", async () => {
    const { store, added } = setUp();
    await store("secret-number-".repeat(100));
    const sent = JSON.stringify(toResult("secret-number-".repeat(100)));
    expect(added[0]).toMatchObject({
      ...SOURCE,
      actor: "ann",
      bytes: sent.length,
      sha256: createHash("sha256").update(sent).digest("hex"),
      expiresAt: Date.UTC(2026, 0, 2),
    });
    expect(Buffer.from(added[0]!.payload).includes("secret-number")).toBe(false);
    expect(added[0]!.payload.byteLength).toBeLessThan(sent.length / 2);
  });

  it.each([0, -1, 2, 1.5, Number.NaN])("has no page %s if it is short", async (page) => {
    const { results, store } = setUp();
    expect(await results.page((await store("short")).id, page, "ann")).toBeUndefined();
  });

  it("is the same unknown id to another actor as an id that never existed", async () => {
    const { results, store } = setUp();
    const { id } = await store("x");
    const { code, message, facts, hint, server } = await failure(results.read(id, "bob"));
    const unknown = await failure(results.read("abcdefghijkl", "bob"));
    expect({ code, message, facts, hint, server }).toEqual({
      code: "RESULT_NOT_FOUND",
      message: unknown.message.replace("abcdefghijkl", id),
      facts: unknown.facts,
      hint: unknown.hint,
      server: undefined,
    });
  });

  it("expires, and the error says so and what to do", async () => {
    const { results, store, clock } = setUp({ options: () => resultOptions.parse({ keepMs: 1000 }) });
    const { id } = await store("x");
    clock.now += 999;
    expect(await results.read(id, "ann")).toEqual(toResult("x"));
    clock.now += 1;
    for (const reading of [results.read(id, "ann"), results.page(id, 1, "ann")]) {
      expect(await failure(reading)).toMatchObject({
        code: "RESULT_NOT_FOUND",
        message: `The stored result ${id} of files:read has expired.`,
        hint: "Run the call again to get a new result, unless it must not run twice.",
        facts: { reason: "expired" },
      });
    }
    expect(await failure(results.read(id, "bob"))).toMatchObject({ facts: { reason: "unknown" } });
  });

  it("is reported as dropped if newer results needed its room", async () => {
    const { results, store } = setUp({ options: () => resultOptions.parse({ maxResultsPerActor: 1 }) });
    const { id } = await store("old");
    await store("new");
    expect(await failure(results.read(id, "ann"))).toMatchObject({
      message: `The stored result ${id} of files:read was dropped to make room for newer results.`,
      facts: { reason: "dropped" },
    });
  });

  it("uses the options that are current when it is stored", async () => {
    let quotas: Partial<ResultQuotas> = { maxBytesPerActor: 10 };
    const { results, store } = setUp({ options: () => ({ ...resultOptions.parse({}), ...quotas }) });
    expect(await results.store(toResult("x".repeat(100)), "ann", SOURCE)).toBeUndefined();
    quotas = {};
    expect(await results.read((await store("x")).id, "ann")).toEqual(toResult("x"));
  });
});

describe("a damaged record", () => {
  const damages: [string, (record: ResultRecord) => Partial<ResultRecord>][] = [
    ["a changed payload", ({ payload }) => ({ payload: payload.map((byte, n) => (n === 40 ? byte ^ 1 : byte)) })],
    ["an empty payload", () => ({ payload: new Uint8Array() })],
    ["a changed hash", () => ({ sha256: "0".repeat(64) })],
    ["the id of another result", () => ({ id: "abcdefghijkl" })],
    ["another actor", () => ({ actor: "bob" })],
    [
      "content that does not match the hash",
      ({ id, actor, sha256 }) => {
        const other = Buffer.from(`\0${JSON.stringify(toResult("other"))}`);
        return { payload: createEncryption(KEY).encrypt(other, `result ${id} ${actor} ${sha256}`) };
      },
    ],
    [
      "content that cannot be decompressed",
      ({ id, actor, sha256 }) => ({
        payload: createEncryption(KEY).encrypt(Buffer.from("\u0001junk"), `result ${id} ${actor} ${sha256}`),
      }),
    ],
  ];

  it.each(damages)("with %s is reported and not returned", async (_, damage) => {
    const { store, added, clock } = setUp();
    await store("x".repeat(100));
    const record = { ...added[0]!, ...damage(added[0]!) };
    const found = { ...createMemoryResults(), find: () => Promise.resolve({ kind: "stored" as const, record }) };
    const { results } = setUp({ records: () => found, now: () => clock.now });
    expect(await failure(results.read(record.id, record.actor))).toMatchObject({
      code: "RESULT_NOT_FOUND",
      message: expect.stringContaining("is damaged: its content does not match its hash"),
      facts: { reason: "damaged" },
    });
  });
});

describe("without a usable store", () => {
  const broken = { ...createMemoryResults(), add: refuse, find: refuse };

  it.each([
    ["the store cannot be written", { records: () => broken }],
    ["the key cannot be read", { encryption: refuse }],
  ])("keeps results in memory if %s", async (_, more) => {
    const { results, store, logged } = setUp(more);
    const { id } = await store("x".repeat(2 * PAGE));
    expect(await results.read(id, "ann")).toEqual(toResult("x".repeat(2 * PAGE)));
    expect(await results.page(id, 3, "ann")).toMatch(/^x+"\}\]\}$/);
    expect(await failure(results.read(id, "bob"))).toBeInstanceOf(DiscoveryError);
    expect(logged[0]).toContain("kept in memory only, because it could not be stored. The store s could not be used");
  });

  it("holds at most 64 MiB in memory", async () => {
    const { results } = setUp({ records: () => broken });
    const store = (actor: string) =>
      results.store(toResult(randomBytes(33 * 1024 * 1024).toString("base64")), actor, SOURCE);
    const first = await store("ann");
    const second = await store("bob");
    expect(await failure(results.page(first!.id, 1, "ann"))).toMatchObject({ facts: { reason: "dropped" } });
    expect(await results.page(second!.id, 1, "bob")).toHaveLength(PAGE);
  });
});

describe("expired results", () => {
  afterEach(() => void vi.useRealTimers());

  it("are removed in the background until none is left, and no longer after closing", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const removals: number[] = [];
    const memory = createMemoryResults();
    const records = {
      ...memory,
      removeExpired: (now: number) => memory.removeExpired(now).then(() => void removals.push(now)),
    };
    const { results, store, clock } = setUp({
      records: () => records,
      options: () => resultOptions.parse({ keepMs: 900_000 }),
    });
    const from = clock.now;
    const pass = async (): Promise<void> => {
      clock.now += 600_000;
      await vi.advanceTimersByTimeAsync(600_000);
    };
    await store("x");
    await pass();
    await pass();
    await pass();
    expect(removals).toEqual([from + 600_000, from + 1_200_000]);
    await store("y");
    results.close();
    await pass();
    expect(removals).toHaveLength(2);
  });
});
