import { describe, expect, it } from "vitest";
import { DiscoveryError } from "../errors.js";
import { type FailureStore } from "./failure-memory.js";
import { connectionFingerprint } from "./record.js";
import { setUp, definition, LISTING, memoryStore } from "../../test/support/refresh.js";

describe("failures shared between processes", () => {
  const failOnce = async (store: FailureStore, clock: { now: number; elapsed: number }) => {
    const { catalog, refresh, open, settled } = setUp(["a"], { store, clock });
    await catalog.load();
    refresh.start();
    open.get("a")?.fail();
    await settled();
    await refresh.close();
  };

  it("keep the next process from contacting the server before the delay is over, and give it the reason", async () => {
    const [store, clock] = [memoryStore(), { now: 1_000_000, elapsed: 0 }];
    await failOnce(store, clock);
    const next = setUp(["a"], { store, clock });
    await next.catalog.load();
    clock.now += 29_999;
    expect(next.refresh.hasUnknown()).toBe(false);
    next.refresh.start();
    expect(next.listed).toEqual([]);
    expect(next.catalog.snapshot().servers.get("a")).toMatchObject({
      failure: { code: "SERVER_CONNECTION_ERROR", message: "no." },
      retry: { count: 1, failedAt: 1_000_000, at: 1_030_000 },
    });
    clock.now += 1;
    expect(next.refresh.hasUnknown()).toBe(true);
    await next.refresh.close();
  });

  it("are counted across processes, and deleted when the server answers", async () => {
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

  it("do not apply to a server with another connection, nor after the clock was set back", async () => {
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
    ["an incomplete configuration", new DiscoveryError("CONFIGURATION_ERROR", "TOKEN is not set.")],
    ["a missing sign-in", new DiscoveryError("UPSTREAM_UNAUTHORIZED", "no.", { facts: { signIn: "a" } })],
    ["an internal error", new DiscoveryError("INTERNAL_ERROR", "no.")],
  ])("do not include %s", async (_, error) => {
    const store = memoryStore();
    const { catalog } = setUp(["a"], { store });
    await catalog.fail("a", error, 1);
    expect(catalog.snapshot().servers.get("a")?.failure).toBe(error);
    expect(store.texts()).toEqual([]);
  });

  it("include a server that a command stopped waiting for, and none that is busy or installing", async () => {
    const names = ["idle", "busy", "installing", "hung"];
    const store = memoryStore();
    const installing = ["installing", "hung"];
    const { refresh, clock } = setUp(names, { store, active: ["busy", "installing"], inactive: ["hung"], installing });
    refresh.start();
    clock.elapsed += 12_000;
    refresh.giveUp();
    clock.elapsed += 5_000;
    await refresh.close();
    expect(store.texts().map((text) => JSON.parse(text) as unknown)).toMatchObject([
      { server: "idle", message: "idle did not answer within 12 s.", count: 1 },
      { server: "hung", message: "hung did not answer within 12 s.", count: 1 },
    ]);
  });

  it("include no server that is still starting when the process ends, nor one that answered late", async () => {
    const store = memoryStore();
    const { refresh, clock, open, settled } = setUp(["late", "idle"], { store });
    refresh.start();
    clock.elapsed += 12_000;
    open.get("late")?.answer();
    await settled();
    await refresh.close();
    expect(store.texts()).toEqual([]);
  });

  it("skip entries of another version", async () => {
    const store = memoryStore();
    const connection = definition("a").connection;
    for (const text of ["{", "7", '{"format":2}', '{"format":1,"code":"NONE","message":"m","count":1}']) {
      await store.write({
        server: "a",
        fingerprint: connectionFingerprint(connection),
        failedAt: 1,
        text,
        forgetBefore: 0,
      });
      const { catalog } = setUp(["a"], { store });
      await catalog.load();
      expect(catalog.snapshot().servers.get("a")?.failure).toBeUndefined();
    }
  });
});
