import { describe, expect, it } from "vitest";
import { eventually } from "../../test/support/eventually.js";
import { DiscoveryError } from "../errors.js";
import type { ServerDefinition, ServerListing } from "../model/server.js";
import { createCatalog } from "./catalog.js";
import { createFailures, type FailureStore } from "./failures.js";
import { createLookup } from "./lookup.js";
import { fingerprintOf } from "./record.js";
import { createRefresh } from "./refresh.js";

const definition = (name: string): ServerDefinition => ({
  name,
  connection: { kind: "stdio", command: name, args: [], env: {} },
  manifest: [],
  origin: "inline",
});
const LISTING: ServerListing = {
  tools: [{ name: "t", inputSchema: { type: "object" } }],
  dropped: [],
  truncated: false,
  era: "legacy",
};

/** Servers that answer when the test says so. */
function setUp(
  names: string[],
  {
    ttlMs = 3_600_000,
    remembers = true,
    fixed = [] as ServerDefinition[],
    patienceMs = 60_000,
    idle = 0,
    still = [] as string[],
    stirring = [] as string[],
    installing = [] as string[],
    store = undefined as FailureStore | undefined,
    clock = { now: 1_000_000, elapsed: 0 },
  } = {},
) {
  const asked: string[] = [];
  let reading = 0;
  const open = new Map<string, { answer: () => void; fail: () => void }>();
  const catalog = createCatalog({
    definitions: [...names.map(definition), ...fixed],
    decide: () => ({ enabled: true, tags: [] }),
    disk: undefined,
    failures: store === undefined ? undefined : createFailures(store, () => undefined),
    now: () => clock.now,
    log: () => undefined,
  });
  const refresh = createRefresh({
    catalog,
    list: (server) => {
      asked.push(server);
      return new Promise((resolve, reject) => {
        open.set(server, {
          answer: () => resolve(LISTING),
          fail: () => reject(new DiscoveryError("SERVER_CONNECTION_ERROR", "no.")),
        });
      });
    },
    ttlMs,
    now: () => clock.now,
    elapsed: () => clock.elapsed,
    log: () => undefined,
    patienceMs,
    processorTime: () => {
      reading += 1;
      return { idle: idle * reading, all: reading };
    },
    isStirring: (server) => (still.includes(server) ? false : stirring.includes(server) ? true : undefined),
    isInstalling: (server) => installing.includes(server),
  });
  const lookup = createLookup({ catalog, refresh, remembers, ttlMs, now: () => clock.now });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return { catalog, refresh, lookup, asked, open, clock, settled };
}

describe("refresh", () => {
  it("asks first-time servers four at a time", async () => {
    const { refresh, asked, open, settled } = setUp(["a", "b", "c", "d", "e", "f"]);
    refresh.start();
    expect(asked).toEqual(["a", "b", "c", "d"]);
    open.get("b")?.answer();
    await settled();
    expect(asked).toEqual(["a", "b", "c", "d", "e"]);
    await refresh.close();
  });

  it("waits for nobody who does nothing, however busy the machine is with others", async () => {
    const still = Array.from({ length: 12 }, (_, number) => `still${number}`);
    const { refresh, asked, open } = setUp([...still, "a"], { still });
    refresh.start();
    await eventually(() => asked.length > still.length);
    expect(asked).toEqual([...still, "a"]);
    open.get("a")?.answer();
    await refresh.close();
  });

  it("lets nobody wait for servers that do not answer, up to a number of them", async () => {
    const silent = Array.from({ length: 28 }, (_, number) => `silent${number}`);
    const { refresh, asked, open, settled } = setUp([...silent, "a", "b"], { patienceMs: 1 });
    refresh.start();
    await eventually(() => asked.length === 28);
    await settled();
    expect(asked).toEqual(silent);
    open.get("silent27")?.fail();
    await settled();
    expect(asked).toEqual([...silent, "a"]);
    open.get("a")?.answer();
    await settled();
    expect(refresh.pending()).toEqual([...silent.slice(0, -1), "b"]);
    for (const one of [...silent, "b"]) open.get(one)?.answer();
    await settled();
    expect(refresh.pending()).toEqual([]);
    await refresh.close();
  });

  it("waits for a server that starts, and hardly for one that hangs while the machine idles", async () => {
    const names = ["a", "b", "c", "d", "e"];
    const idle = setUp(names, { idle: 0.3 });
    const busy = setUp(names, { idle: 0.29 });
    busy.refresh.start();
    idle.refresh.start();
    await eventually(() => idle.asked.length === 5);
    expect(busy.asked).toEqual(["a", "b", "c", "d"]);
    await idle.refresh.close();
    await busy.refresh.close();
  });

  it("names the servers that have not answered yet, and lets a waiter go when the last one has", async () => {
    const { refresh, open, settled } = setUp(["a", "b"]);
    refresh.start();
    expect(refresh.pending()).toEqual(["a", "b"]);
    const known = refresh.whenKnown(60_000);
    open.get("a")?.answer();
    await settled();
    expect(refresh.pending()).toEqual(["b"]);
    open.get("b")?.fail();
    await known;
    expect(refresh.pending()).toEqual([]);
    await refresh.close();
  });

  it("gives up waiting after the given time", async () => {
    const { refresh } = setUp(["a"]);
    refresh.start();
    await refresh.whenKnown(1);
    expect(refresh.pending()).toEqual(["a"]);
    await refresh.close();
  });

  it("starts nothing when everything known is fresh", async () => {
    const { refresh, catalog, asked } = setUp(["a"]);
    await catalog.learn("a", LISTING);
    refresh.start();
    expect(asked).toEqual([]);
    await refresh.close();
  });

  it("asks stale servers one by one, after the unknown ones", async () => {
    const { refresh, catalog, asked, open, clock, settled } = setUp(["a", "b", "c"], { ttlMs: 1000 });
    await catalog.learn("a", LISTING);
    await catalog.learn("b", LISTING);
    clock.now += 2000;
    refresh.start();
    expect(asked).toEqual(["c"]);
    open.get("c")?.answer();
    await settled();
    expect(asked).toEqual(["c", "a"]);
    open.get("a")?.answer();
    await settled();
    expect(asked).toEqual(["c", "a", "b"]);
    await refresh.close();
  });

  it("shares one question between all who want the same server", async () => {
    const { refresh, asked, open } = setUp(["a"]);
    const both = [refresh.refresh("a"), refresh.refresh("a")];
    open.get("a")?.answer();
    await Promise.all(both);
    expect(asked).toEqual(["a"]);
    await refresh.close();
  });

  it("asks once more when a server changes its tools while it is being asked", async () => {
    const { refresh, asked, open, settled } = setUp(["a"]);
    const first = refresh.refresh("a");
    const changed = refresh.changed("a");
    open.get("a")?.answer();
    await first;
    await settled();
    expect(asked).toEqual(["a", "a"]);
    open.get("a")?.answer();
    await changed;
    await refresh.close();
  });

  it("tells who waits that it was closed under them", async () => {
    const { refresh, open } = setUp(["a"]);
    const waiting = refresh.refresh("a");
    await refresh.close();
    open.get("a")?.fail();
    await expect(waiting).rejects.toMatchObject({ code: "SERVER_CONNECTION_ERROR" });
  });

  it("asks a failed server again after 30 s, then after twice as long each time, up to 10 minutes", async () => {
    const { refresh, asked, open, clock, settled } = setUp(["a"]);
    const pauses = [30, 60, 120, 240, 480, 600, 600].map((seconds) => seconds * 1000);
    for (const [index, pause] of pauses.entries()) {
      refresh.start();
      expect(asked).toHaveLength(index + 1);
      open.get("a")?.fail();
      await settled();
      clock.now += pause - 1;
      refresh.start();
      expect(asked).toHaveLength(index + 1);
      clock.now += 1;
    }
    await refresh.close();
  });

  it("asks a failed server again at once when the clock was set back", async () => {
    const { refresh, asked, open, clock, settled } = setUp(["a"]);
    refresh.start();
    open.get("a")?.fail();
    await settled();
    clock.now -= 86_400_000;
    refresh.start();
    expect(asked).toEqual(["a", "a"]);
    await refresh.close();
  });

  it("asks a failed server at once when it is requested, and begins the pauses anew", async () => {
    const { refresh, catalog, asked, open, clock, settled } = setUp(["a"]);
    for (const pause of [30_000, 60_000]) {
      refresh.start();
      open.get("a")?.fail();
      await settled();
      clock.now += pause;
    }
    const requested = refresh.refresh("a").catch(() => undefined);
    expect(asked).toHaveLength(3);
    open.get("a")?.fail();
    await requested;
    expect(catalog.snapshot().servers.get("a")?.retry).toMatchObject({ count: 1, at: clock.now + 30_000 });
    await refresh.close();
  });

  it("takes a list from the future for stale", async () => {
    const { refresh, catalog, asked, clock } = setUp(["a"]);
    await catalog.learn("a", LISTING);
    clock.now -= 1000;
    refresh.start();
    expect(asked).toEqual(["a"]);
    await refresh.close();
  });

  it("keeps the reason of a failure and leaves the others alone", async () => {
    const { refresh, catalog, open, settled } = setUp(["a", "b"]);
    refresh.start();
    open.get("a")?.fail();
    open.get("b")?.answer();
    await settled();
    expect(catalog.snapshot().servers.get("a")?.failure?.message).toBe("no.");
    expect(catalog.snapshot().tools.has("b:t")).toBe(true);
    await refresh.close();
  });
});

/** A store of failures that several "processes" share. */
function memoryStore(): FailureStore & { texts: () => string[] } {
  const entries = new Map<string, Parameters<FailureStore["write"]>[0]>();
  return {
    texts: () => [...entries.values()].map(({ text }) => text),
    list: async () => [...entries.values()],
    write: async (entry) => void entries.set(`${entry.server} ${entry.fingerprint}`, entry),
    remove: async ({ server, fingerprint }) => void entries.delete(`${server} ${fingerprint}`),
  };
}

describe("failures that processes share", () => {
  const failOnce = async (store: FailureStore, clock: { now: number; elapsed: number }) => {
    const { catalog, refresh, open, settled } = setUp(["a"], { store, clock });
    await catalog.load();
    refresh.start();
    open.get("a")?.fail();
    await settled();
    await refresh.close();
  };

  it("keep the next process from asking before the pause is over, and tell it why", async () => {
    const [store, clock] = [memoryStore(), { now: 1_000_000, elapsed: 0 }];
    await failOnce(store, clock);
    const next = setUp(["a"], { store, clock });
    await next.catalog.load();
    clock.now += 29_999;
    expect(next.refresh.hasUnknown()).toBe(false);
    next.refresh.start();
    expect(next.asked).toEqual([]);
    expect(next.catalog.snapshot().servers.get("a")).toMatchObject({
      failure: { code: "SERVER_CONNECTION_ERROR", message: "no." },
      retry: { count: 1, failedAt: 1_000_000, at: 1_030_000 },
    });
    clock.now += 1;
    expect(next.refresh.hasUnknown()).toBe(true);
    await next.refresh.close();
  });

  it("add up, and are forgotten when the server answers", async () => {
    const [store, clock] = [memoryStore(), { now: 1_000_000, elapsed: 0 }];
    await failOnce(store, clock);
    clock.now += 30_000;
    await failOnce(store, clock);
    const next = setUp(["a"], { store, clock });
    await next.catalog.load();
    expect(next.catalog.snapshot().servers.get("a")?.retry).toMatchObject({ count: 2, at: clock.now + 60_000 });
    await next.catalog.learn("a", LISTING);
    expect(next.catalog.snapshot().servers.get("a")?.retry).toBeUndefined();
    expect(store.texts()).toEqual([]);
  });

  it("do not concern a server of the same name with another connection, nor a clock that was set back", async () => {
    const [store, clock] = [memoryStore(), { now: 1_000_000, elapsed: 0 }];
    await failOnce(store, clock);
    const changed = { ...definition("a"), connection: { kind: "stdio", command: "b", args: [], env: {} } as const };
    const other = setUp([], { store, clock, fixed: [changed] });
    await other.catalog.load();
    expect(other.refresh.hasUnknown()).toBe(true);
    const earlier = setUp(["a"], { store, clock: { now: 999_999, elapsed: 0 } });
    await earlier.catalog.load();
    expect(earlier.refresh.hasUnknown()).toBe(true);
  });

  it.each([
    ["a configuration that lacks something", new DiscoveryError("CONFIGURATION_ERROR", "TOKEN is not set.")],
    ["a missing sign-in", new DiscoveryError("UPSTREAM_UNAUTHORIZED", "no.", { facts: { signIn: "a" } })],
    ["a defect of ours", new DiscoveryError("INTERNAL_ERROR", "no.")],
  ])("do not include %s", async (_, error) => {
    const store = memoryStore();
    const { catalog } = setUp(["a"], { store });
    await catalog.fail("a", error, 1);
    expect(catalog.snapshot().servers.get("a")?.failure).toBe(error);
    expect(store.texts()).toEqual([]);
  });

  it("include a server that did nothing for 10 s when the process ends, and none that works or installs", async () => {
    const names = ["idle", "busy", "installing"];
    const store = memoryStore();
    const { refresh, clock } = setUp(names, { store, stirring: ["busy"], installing: ["installing"] });
    refresh.start();
    clock.elapsed += 12_000;
    await refresh.close();
    expect(store.texts().map((text) => JSON.parse(text) as unknown)).toMatchObject([
      { server: "idle", message: "idle did not answer within 12 s and was doing nothing.", count: 1 },
    ]);
  });

  it("are read around entries of another version", async () => {
    const store = memoryStore();
    const connection = definition("a").connection;
    for (const text of ["{", "7", '{"format":2}', '{"format":1,"code":"NONE","message":"m","count":1}']) {
      await store.write({ server: "a", fingerprint: fingerprintOf(connection), failedAt: 1, text, forgetBefore: 0 });
      const { catalog } = setUp(["a"], { store });
      await catalog.load();
      expect(catalog.snapshot().servers.get("a")?.failure).toBeUndefined();
    }
  });
});

describe("whenSettled", () => {
  /** Whether it is over by now. */
  const isOver = async (wait: Promise<void>): Promise<boolean> =>
    await Promise.race([wait.then(() => true), new Promise<false>((resolve) => setImmediate(() => resolve(false)))]);

  it("waits for a young start, for an installation and for a busy process, and not for one that hangs", async () => {
    const names = ["idle", "busy", "installing"];
    const setUpAt = (elapsed: number, options: Parameters<typeof setUp>[1]) => {
      const made = setUp(names, options);
      made.refresh.start();
      made.clock.elapsed += elapsed;
      return made.refresh;
    };
    const over = async (elapsed: number, options: Parameters<typeof setUp>[1] = {}) => {
      const refresh = setUpAt(elapsed, options);
      const result = await isOver(refresh.whenSettled(60_000));
      await refresh.close();
      return result;
    };
    expect(await over(9_999)).toBe(false);
    expect(await over(10_000)).toBe(true);
    expect(await over(59_999, { stirring: ["busy"] })).toBe(false);
    expect(await over(60_000, { stirring: ["busy"] })).toBe(true);
    expect(await over(600_000, { installing: ["installing"] })).toBe(false);
  });

  it("ends when the last server answers, with the signal, and for one server when that one answers", async () => {
    const { refresh, open, settled } = setUp(["a", "b"]);
    refresh.start();
    const [all, one] = [refresh.whenSettled(60_000), refresh.whenSettled(60_000, { server: "a" })];
    const stop = new AbortController();
    const stopped = refresh.whenSettled(60_000, { signal: stop.signal });
    stop.abort();
    await stopped;
    open.get("a")?.answer();
    await one;
    await settled();
    expect(await isOver(all)).toBe(false);
    open.get("b")?.fail();
    await all;
    await refresh.close();
  });

  it("waits for servers whose turn comes when the first ones have answered", async () => {
    const { refresh, open, settled } = setUp(["a", "b", "c", "d", "e"]);
    refresh.start();
    const all = refresh.whenSettled(60_000);
    for (const name of ["a", "b", "c", "d"]) open.get(name)?.answer();
    await settled();
    expect(await isOver(all)).toBe(false);
    open.get("e")?.answer();
    await all;
    await refresh.close();
  });

  it("tells how far each server is", async () => {
    const names = ["a", "b", "c", "d", "e"];
    const { refresh, clock } = setUp(names, { installing: ["b"] });
    refresh.start();
    clock.elapsed += 12_000;
    expect(refresh.starts().map(({ name, phase, forMs }) => [name, phase, forMs])).toEqual([
      ["a", "starting", 12_000],
      ["b", "installing", 12_000],
      ["c", "starting", 12_000],
      ["d", "starting", 12_000],
      ["e", "queued", 0],
    ]);
    await refresh.close();
  });
});

describe("lookup", () => {
  it("answers from the catalog without asking, and counts it", async () => {
    const { lookup, catalog, asked } = setUp(["a"]);
    await catalog.learn("a", LISTING);
    expect((await lookup.server("a"))?.tools).toHaveLength(1);
    expect(asked).toEqual([]);
    expect(lookup.counts()).toEqual({ hits: 1, misses: 0 });
  });

  it("asks a server that is not known yet", async () => {
    const { lookup, open } = setUp(["a"]);
    const found = lookup.server("a");
    open.get("a")?.answer();
    expect((await found)?.tools).toHaveLength(1);
    expect(lookup.counts()).toEqual({ hits: 0, misses: 1 });
  });

  it("asks for a list each time when the cache is switched off, but not for what it knows of one tool", async () => {
    const { lookup, catalog, asked, open } = setUp(["a"], { remembers: false });
    await catalog.learn("a", LISTING);
    await lookup.server("a");
    expect(asked).toEqual([]);
    const found = lookup.list("a");
    open.get("a")?.answer();
    await found;
    expect(asked).toEqual(["a"]);
    expect(await lookup.list("b")).toBeUndefined();
  });

  it("passes on why the server could not be asked", async () => {
    const { lookup, open } = setUp(["a"]);
    const found = lookup.server("a");
    open.get("a")?.fail();
    await expect(found).rejects.toMatchObject({ code: "SERVER_CONNECTION_ERROR" });
  });

  it("asks anew for a list that is older than the TTL, and keeps the known one if that fails", async () => {
    const { lookup, catalog, asked, open, clock, settled } = setUp(["a"], { ttlMs: 1000 });
    await catalog.learn("a", LISTING);
    await lookup.list("a");
    expect(asked).toEqual([]);
    clock.now += 2000;
    await lookup.server("a");
    expect(asked).toEqual([]);
    const stale = lookup.list("a");
    await settled();
    open.get("a")?.fail();
    expect((await stale)?.tools).toHaveLength(1);
    expect(asked).toEqual(["a"]);
  });

  it("waits no longer than whoever asks", async () => {
    const { lookup } = setUp(["a"]);
    await expect(lookup.server("a", { waitMs: 1 })).rejects.toMatchObject({ code: "UPSTREAM_STARTING" });
    const installing = setUp(["a"], { installing: ["a"] });
    await expect(installing.lookup.server("a", { waitMs: 1 })).rejects.toMatchObject({
      code: "UPSTREAM_STARTING",
      message: "a is still installing; its tools are not known yet.",
      hint: "Call again in 5 s. The start continues in the background.",
      facts: { retry_after_seconds: 5 },
    });
    const abort = new AbortController();
    const found = lookup.server("a", { signal: abort.signal });
    abort.abort();
    await expect(found).rejects.toMatchObject({ code: "CANCELLED" });
  });

  it("knows no server of another name", async () => {
    expect(await setUp(["a"]).lookup.server("b")).toBeUndefined();
  });
});

it("asks a server that files speak of before any of its tools is used", async () => {
  const tool = { name: "t", inputSchema: { type: "object" } };
  const filed: ServerDefinition = {
    ...definition("live"),
    manifest: [tool],
    files: [{ id: "live_t", definition: tool }],
  };
  const { lookup, asked, open, settled } = setUp([], { fixed: [filed] });
  const found = lookup.server("live");
  await settled();
  expect(asked).toEqual(["live"]);
  open.get("live")?.answer();
  expect((await found)?.tools.map(({ id }) => id)).toEqual(["live:t"]);
  await lookup.server("live");
  expect(asked).toEqual(["live"]);
});

describe("a server whose tools are fixed", () => {
  const fixed: ServerDefinition = { ...definition("files"), isFixed: true, manifest: LISTING.tools };

  it.each([true, false])("is never asked for them, whether lists are remembered (%s) or not", async (remembers) => {
    const { lookup, refresh, asked, clock } = setUp([], { ttlMs: 1000, remembers, fixed: [fixed] });
    refresh.start();
    expect(refresh.pending()).toEqual([]);
    clock.now += 1_000_000;
    clock.elapsed += 1_000_000;
    refresh.start();
    await refresh.refresh("files");
    await refresh.changed("files");
    for (const look of [lookup.server, lookup.list, lookup.refreshed]) {
      expect((await look("files"))?.tools.map(({ id }) => id)).toEqual(["files:t"]);
    }
    expect(asked).toEqual([]);
  });
});
