import type { CatalogDisk } from "./disk.js";
import type { Snapshot } from "./snapshot.js";

/**
 * A disk on which lies, where the real one has nothing, what an earlier catalog knew: a reload forgets nothing, also when
 * nothing is kept on disk. What is written replaces it.
 */
export function rememberedDisk(disk: CatalogDisk | undefined, earlier: Snapshot): CatalogDisk {
  const replaced = new Set<string>();
  return {
    async read(server, fingerprint) {
      const kept = await disk?.read(server, fingerprint);
      if (kept !== undefined || replaced.has(server)) return kept;
      const record = earlier.servers.get(server)?.record;
      return record?.fingerprint === fingerprint ? record : undefined;
    },
    async write(record) {
      replaced.add(record.server);
      await disk?.write(record);
    },
  };
}
