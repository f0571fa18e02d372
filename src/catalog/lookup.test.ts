import { describe, expect, it } from "vitest";
import type { ServerDefinition } from "../model/server.js";
import { setUp, definition, LISTING } from "../../test/support/refresh.js";

describe("createCatalogLookup", () => {
  it("answers from the catalog without contacting the server, and counts a hit", async () => {
    const { lookup, catalog, listed } = setUp(["a"]);
    await catalog.learn("a", LISTING);
    expect((await lookup.server("a"))?.tools).toHaveLength(1);
    expect(listed).toEqual([]);
    expect(lookup.counts()).toEqual({ hits: 1, misses: 0 });
  });

  it("lists a server whose tools are unknown, and counts a miss", async () => {
    const { lookup, open } = setUp(["a"]);
    const found = lookup.server("a");
    open.get("a")?.answer();
    expect((await found)?.tools).toHaveLength(1);
    expect(lookup.counts()).toEqual({ hits: 0, misses: 1 });
  });

  it("lists the server for each list request if the cache is disabled, but not to look up a known tool", async () => {
    const { lookup, catalog, listed, open } = setUp(["a"], { isCacheEnabled: false });
    await catalog.learn("a", LISTING);
    await lookup.server("a");
    expect(listed).toEqual([]);
    const found = lookup.list("a");
    open.get("a")?.answer();
    await found;
    expect(listed).toEqual(["a"]);
    expect(await lookup.list("b")).toBeUndefined();
  });

  it("rejects with the error of a server that cannot be listed", async () => {
    const { lookup, open } = setUp(["a"]);
    const found = lookup.server("a");
    open.get("a")?.fail();
    await expect(found).rejects.toMatchObject({ code: "SERVER_CONNECTION_ERROR" });
  });

  it("lists a server again if its list is older than the TTL, and returns the known list if that fails", async () => {
    const { lookup, catalog, listed, open, clock, settled } = setUp(["a"], { ttlMs: 1000 });
    await catalog.learn("a", LISTING);
    await lookup.list("a");
    expect(listed).toEqual([]);
    clock.now += 2000;
    await lookup.server("a");
    expect(listed).toEqual([]);
    const stale = lookup.list("a");
    await settled();
    open.get("a")?.fail();
    expect((await stale)?.tools).toHaveLength(1);
    expect(listed).toEqual(["a"]);
  });

  it("rejects after the caller's wait time or abort", async () => {
    const { lookup } = setUp(["a"]);
    await expect(lookup.server("a", { waitMs: 1 })).rejects.toMatchObject({ code: "UPSTREAM_STARTING" });
    const installing = setUp(["a"], { installing: ["a"] });
    await expect(installing.lookup.server("a", { waitMs: 1 })).rejects.toMatchObject({
      code: "UPSTREAM_STARTING",
      message: "Still starting: a (installing). Its tools are not known yet.",
      hint: "Call again in 5 s.",
      facts: { retry_after_seconds: 5 },
    });
    const abort = new AbortController();
    const found = lookup.server("a", { signal: abort.signal });
    abort.abort();
    await expect(found).rejects.toMatchObject({ code: "CANCELLED" });
  });

  it("returns undefined for an unknown server", async () => {
    expect(await setUp(["a"]).lookup.server("b")).toBeUndefined();
  });
});

it("lists a server with signed tool files before one of its tools is used", async () => {
  const tool = { name: "t", inputSchema: { type: "object" } };
  const filed: ServerDefinition = {
    ...definition("live"),
    manifest: [tool],
    files: [{ id: "live_t", definition: tool }],
  };
  const { lookup, listed, open, settled } = setUp([], { fixed: [filed] });
  const found = lookup.server("live");
  await settled();
  expect(listed).toEqual(["live"]);
  open.get("live")?.answer();
  expect((await found)?.tools.map(({ id }) => id)).toEqual(["live:t"]);
  await lookup.server("live");
  expect(listed).toEqual(["live"]);
});

describe("a server whose tools are fixed", () => {
  const fixed: ServerDefinition = { ...definition("files"), isFixed: true, manifest: LISTING.tools };

  it.each([true, false])("is never listed (cache enabled: %s)", async (isCacheEnabled) => {
    const { lookup, refresh, listed, clock } = setUp([], { ttlMs: 1000, isCacheEnabled, fixed: [fixed] });
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
    expect(listed).toEqual([]);
  });
});
