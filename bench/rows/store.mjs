import { mkdirSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { bundleInside } from "../support/bundle-inside.mjs";
import { runFork } from "../support/fork.mjs";
import { ROOT } from "../support/places.mjs";
import { median, quantile, spreadOf, sum, timeEach } from "../support/statistics.mjs";
import { timeSyncedWrites } from "../support/synced-writes.mjs";

const CHILD = join(ROOT, "bench/children/store.mjs");
const OPERATIONS = ["audit record", "guarded call", "key reserved", "rate take", "key look-up"];
const PROCESSES = 4;
const WIDTH = 100;
const SERVERS = 1000;

/** The embedded store, compared with one synced write of the size of a record. */
export const store = {
  name: "store",
  about: "time of the store operations of a call, alone and together, from one process and from four",
  seconds: { usual: 30, quick: 12 },
  async run(context) {
    const address = await bundleInside("src/store/create-store.ts");
    const synced = await timeSyncedWrites(context);
    const lines = [];
    for (const operation of OPERATIONS) {
      const measure = createMeasure(context, { address, operation });
      lines.push(await measureAlone(measure, operation, synced));
      for (const processes of [1, PROCESSES])
        lines.push(await measureTogether(measure, { operation, processes, synced, repeats: context.rounds(3, 1) }));
    }
    return [...lines, await measureFirstUse(context, { address, synced }), await measureCatalog(context, address)];
  },
};

let places = 0;
function newPlace({ folder }) {
  const place = join(folder, `store-${places++}`);
  mkdirSync(place);
  return join(place, "store.db");
}

/** Runs several processes on one new store. Each runs its share of the rounds, a fixed number at a time. */
function createMeasure(context, { address, operation }) {
  return async ({ processes, width, rounds }) => {
    const file = newPlace(context);
    const forks = Array.from({ length: processes }, (_, n) =>
      runFork(CHILD, { address, file, operation, rounds, width, name: `p${n}` }),
    );
    return await Promise.all(forks);
  };
}

async function measureAlone(measure, operation, synced) {
  const [{ times }] = await measure({ processes: 1, width: 1, rounds: 500 });
  return {
    what: `store: ${operation}, alone`,
    value: median(times) * 1000,
    unit: "µs",
    spread: inMicroseconds(spreadOf(times)),
    baseline: { name: "µs, one synced write", value: median(synced) * 1000 },
    ratio: median(times) / median(synced),
    note: `p99 ${(quantile(times, 0.99) * 1000).toFixed(0)} µs`,
    ...(operation === "audit record" ? { budget: { most: 1000 } } : {}),
  };
}

/** Operations in flight wait for each other, so the result is the throughput and not the latency. */
async function measureTogether(measure, { operation, processes, synced, repeats }) {
  const each = [];
  const times = [];
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    const results = await measure({ processes, width: WIDTH, rounds: 1000 });
    const done = sum(results.map((result) => result.times.length));
    each.push((Math.max(...results.map((result) => result.wall)) / done) * 1000);
    times.push(...results.flatMap((result) => result.times));
  }
  const from = processes === 1 ? "one process" : `each of ${processes} processes`;
  return {
    what: `store: ${operation}, ${WIDTH} at a time from ${from}`,
    value: median(each),
    unit: "µs",
    spread: spreadOf(each),
    baseline: { name: "µs, one synced write", value: median(synced) * 1000 },
    ratio: median(each) / (median(synced) * 1000),
    note: `each waited ${median(times).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms; ${Math.round(1e6 / median(each))} a second`,
  };
}

async function measureFirstUse(context, { address, synced }) {
  const { createStore } = await import(address);
  const times = [];
  for (let round = 0; round < context.rounds(9, 3); round += 1) {
    const opened = createStore({ file: newPlace(context) });
    times.push(...(await timeEach(1, () => opened.prepare())));
    await opened.close();
  }
  return {
    what: "store: first write, thread and file included",
    value: median(times),
    unit: "ms",
    spread: spreadOf(times),
    baseline: { name: "ms, one synced write", value: median(synced) },
    ratio: median(times) / median(synced),
  };
}

/** Reading the catalog of 1,000 known servers at start, compared with one file per server. */
async function measureCatalog(context, address) {
  const { createStore } = await import(address);
  const { internals, folder, rounds } = context;
  const files = join(folder, "catalog-files");
  mkdirSync(files);
  const file = newPlace(context);
  const writing = createStore({ file });
  const keys = Array.from({ length: SERVERS }, (_, n) => ({ server: `server-${n}`, fingerprint: "f" }));
  const tools = context.data.manyTools(SERVERS * 10);
  const disk = internals.createCatalogDisk(writing.catalog, () => undefined);
  for (const [n, key] of keys.entries()) {
    const record = { ...key, listedAt: 1, era: "legacy", truncated: false, dropped: [], changes: [] };
    const whole = { ...record, tools: tools.slice(n * 10, n * 10 + 10) };
    writeFileSync(join(files, key.server), JSON.stringify({ format: 1, record: whole }));
    await disk.write(whole);
  }
  await writing.close();
  const fromFiles = await timeEach(rounds(9, 3), () =>
    Promise.all(keys.map(async ({ server }) => JSON.parse(await readFile(join(files, server), "utf8")))),
  );
  const fromStore = await timeEach(rounds(9, 3), async () => {
    const reading = createStore({ file });
    const opened = internals.createCatalogDisk(reading.catalog, () => undefined);
    await Promise.all(keys.map(({ server, fingerprint }) => opened.read(server, fingerprint)));
    await reading.close();
  });
  return {
    what: `store: catalog of ${SERVERS} servers, opened, read and parsed`,
    value: median(fromStore),
    unit: "ms",
    spread: spreadOf(fromStore),
    baseline: { name: "ms, one file a server", value: median(fromFiles) },
    ratio: median(fromStore) / median(fromFiles),
    budget: { most: 1, of: "ratio" },
  };
}

const inMicroseconds = ({ low, high }) => ({ low: low * 1000, high: high * 1000 });
