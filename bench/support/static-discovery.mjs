import { openModel } from "./open-model.mjs";

/** The gateway's own code from tool definitions to search answers, without contacting servers. Search uses words alone if `semantic` is false. */
export function createStaticDiscovery(tools, internals, semantic = true) {
  const { createCatalog, createDiscovery, searchOptions } = internals;
  const manifests = new Map();
  const tags = new Map();
  for (const { server, tags: own = [], ...definition } of tools) {
    const manifest = manifests.get(server) ?? [];
    manifests.set(server, manifest);
    manifest.push(definition);
    tags.set(`${server}:${definition.name}`, own);
  }
  const connection = { kind: "stdio", command: "", args: [], env: {} };
  const { snapshot } = createCatalog({
    definitions: [...manifests].map(([name, manifest]) => ({ name, connection, manifest, origin: "bench" })),
    decide: ({ server, name }) => ({ enabled: true, tags: tags.get(`${server}:${name}`) ?? [] }),
    disk: undefined,
    now: Date.now,
    log: () => undefined,
  });
  return createDiscovery({
    snapshot,
    options: searchOptions.parse({ semantic }),
    meaning: async () => loadMeaning(internals),
    lookup: { server: async (name) => snapshot().servers.get(name), counts: () => ({ hits: 0, misses: 0 }) },
    refresh: {
      start: () => undefined,
      refresh: async () => undefined,
      pending: () => [],
      whenKnown: async () => undefined,
      whenSettled: async () => undefined,
      close: () => undefined,
    },
  });
}

let meaning;

function loadMeaning(internals) {
  meaning ??= openModel(internals);
  return meaning;
}
