import { afterEach, describe, expect, it, vi } from "vitest";
import { createCatalog } from "../catalog/catalog.js";
import { createCatalogLookup } from "../catalog/lookup.js";
import { createRefresh } from "../catalog/refresh.js";
import { DiscoveryError } from "../errors.js";
import type { ServerDefinition, ServerListing } from "../model/server.js";
import { searchOptions } from "../search/options.js";
import { createDiscovery } from "./discovery.js";

const definition = (name: string): ServerDefinition => ({
  name,
  connection: { kind: "stdio", command: name, args: [], env: {} },
  manifest: [],
  origin: "inline",
});
const listing = (name: string, description: string): ServerListing => ({
  tools: [{ name, description, inputSchema: { type: "object" } }],
  dropped: [],
  truncated: false,
  era: "legacy",
});

/** Servers that have not been listed yet; the test answers for them with `answers`. */
function setUp(names: string[], { broken = [] as string[] } = {}) {
  const quiet = { now: () => 1000, elapsed: () => performance.now(), log: () => undefined };
  const answers = new Map<string, (listing: ServerListing) => void>();
  const catalog = createCatalog({
    ...quiet,
    definitions: names.map(definition),
    decide: () => ({ enabled: true, tags: [] }),
    disk: undefined,
  });
  const refresh = createRefresh({
    ...quiet,
    catalog,
    list: (server) =>
      broken.includes(server)
        ? Promise.reject(new DiscoveryError("CONFIGURATION_ERROR", "The variable TOKEN is not set."))
        : new Promise((resolve) => answers.set(server, resolve)),
    isProcessActive: () => true,
    isInstalling: () => false,
    cannotStart: (server) => broken.includes(server),
    patienceMs: 60_000,
    processorTime: () => ({ idle: 0, all: 1 }),
    ttlMs: 3_600_000,
  });
  const { snapshot } = catalog;
  const lookup = createCatalogLookup({ catalog, refresh, isCacheEnabled: true, ttlMs: 3_600_000, now: quiet.now });
  const discovery = createDiscovery({ snapshot, lookup, refresh, options: searchOptions.parse({ semantic: false }) });
  return { refresh, discovery, answers };
}

describe("a search while servers start for the first time", () => {
  afterEach(() => void vi.useRealTimers());

  it("waits longer than 1.5 s while it has no hit, and ends with the first hit", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const { refresh, discovery, answers } = setUp(["files", "mail", "slow"]);
    refresh.start();
    let isAnswered = false;
    const search = discovery.search({ query: "read a file" }).finally(() => (isAnswered = true));
    await vi.advanceTimersByTimeAsync(1700);
    answers.get("mail")?.(listing("send_mail", "Send a message."));
    await vi.advanceTimersByTimeAsync(200);
    expect(isAnswered).toBe(false);
    answers.get("files")?.(listing("read_file", "Read a file."));
    await vi.advanceTimersByTimeAsync(100);
    const { hits, pending } = await search;
    expect(hits.map(({ tool }) => tool.id)).toEqual(["files:read_file"]);
    expect(pending.map(({ name }) => name)).toEqual(["slow"]);
    await refresh.close();
  });

  it("reports a server that cannot start as failed, even while others are queued before it", async () => {
    const names = ["a", "b", "c", "d", "e", "unset"];
    const { refresh, discovery } = setUp(names, { broken: ["unset"] });
    refresh.start();
    await new Promise((resolve) => setImmediate(resolve));
    const { pending, failed } = await discovery.search({ query: "read a file", waitMs: 0 });
    expect(pending.map(({ name }) => name)).toEqual(["a", "b", "c", "d", "e"]);
    expect(failed.map(({ definition: { name } }) => name)).toEqual(["unset"]);
    await refresh.close();
  });
});
