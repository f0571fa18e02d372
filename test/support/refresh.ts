import { DiscoveryError } from "../../src/errors.js";
import type { ServerDefinition, ServerListing } from "../../src/model/server.js";
import { createCatalog } from "../../src/catalog/catalog.js";
import { createFailureMemory, type FailureStore } from "../../src/catalog/failure-memory.js";
import { createCatalogLookup } from "../../src/catalog/lookup.js";
import { createRefresh } from "../../src/catalog/refresh.js";

export const definition = (name: string): ServerDefinition => ({
  name,
  connection: { kind: "stdio", command: name, args: [], env: {} },
  manifest: [],
  origin: "inline",
});
export const LISTING: ServerListing = {
  tools: [{ name: "t", inputSchema: { type: "object" } }],
  dropped: [],
  truncated: false,
  era: "legacy",
};

/** Servers that answer when the test releases them. */
export function setUp(
  names: string[],
  {
    ttlMs = 3_600_000,
    isCacheEnabled = true,
    fixed = [] as ServerDefinition[],
    patienceMs = 60_000,
    idle = 0,
    inactive = [] as string[],
    active = [] as string[],
    installing = [] as string[],
    uninstalled = [] as string[],
    store = undefined as FailureStore | undefined,
    clock = { now: 1_000_000, elapsed: 0 },
  } = {},
) {
  const listed: string[] = [];
  let reading = 0;
  const open = new Map<string, { answer: () => void; fail: () => void }>();
  const catalog = createCatalog({
    definitions: [...names.map(definition), ...fixed],
    decide: () => ({ enabled: true, tags: [] }),
    disk: undefined,
    failures: store === undefined ? undefined : createFailureMemory(store, () => undefined),
    now: () => clock.now,
    log: () => undefined,
  });
  const refresh = createRefresh({
    catalog,
    list: (server) => {
      listed.push(server);
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
    isProcessActive: (server) => (inactive.includes(server) ? false : active.includes(server) ? true : undefined),
    isInstalling: (server) => installing.includes(server),
    needsInstallation: (server) => uninstalled.includes(server),
  });
  const lookup = createCatalogLookup({ catalog, refresh, isCacheEnabled, ttlMs, now: () => clock.now });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return { catalog, refresh, lookup, listed, open, clock, settled };
}

/** A store of failures that several simulated processes share. */
export function memoryStore(): FailureStore & { texts: () => string[] } {
  const entries = new Map<string, Parameters<FailureStore["write"]>[0]>();
  return {
    texts: () => [...entries.values()].map(({ text }) => text),
    list: async () => [...entries.values()],
    write: async (entry) => void entries.set(`${entry.server} ${entry.fingerprint}`, entry),
    remove: async ({ server, fingerprint }) => void entries.delete(`${server} ${fingerprint}`),
  };
}
