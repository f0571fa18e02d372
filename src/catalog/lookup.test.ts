import { describe, expect, it } from "vitest";
import type { ServerDefinition } from "../model/server.js";
import { setUp, definition, LISTING } from "../../test/support/refresh.js";

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
      message: "a is installing; its tools are not known yet.",
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
