import type { CatalogDisk } from "./disk.js";
import type { Snapshot } from "./snapshot.js";

/**
 * A disk on which lies, where the real one has nothing, what an earlier catalog knew: a reload forgets nothing, also when
 * nothing is kept on disk. What is written replaces it.
 */
export function rememberedDisk(disk: CatalogDisk | undefined, earlier: Snapshot): CatalogDisk {
  const records = new Map([...earlier.servers].flatMap(([server, { record }]) => (record ? [[server, record]] : [])));
  return {
    async read(server, fingerprint) {
      const kept = await disk?.read(server, fingerprint);
      // The earlier catalog may be large: of what lies on the disk it is not needed.
      if (kept !== undefined) records.delete(server);
      const record = kept ?? records.get(server);
      return record?.fingerprint === fingerprint ? record : undefined;
    },
    async write(record) {
      records.delete(record.server);
      await disk?.write(record);
    },
  };
}
