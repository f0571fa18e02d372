import type { CatalogDisk } from "./disk.js";
import type { Snapshot } from "./snapshot.js";

/**
 * Wraps `disk`: for a server without a record on disk, reading returns the record of the earlier catalog. A reload of
 * the configuration therefore loses no tool list, even without a disk. Written records replace the earlier ones.
 */
export function rememberedDisk(disk: CatalogDisk | undefined, earlier: Snapshot): CatalogDisk {
  const records = new Map([...earlier.servers].flatMap(([server, { record }]) => (record ? [[server, record]] : [])));
  return {
    async read(server, fingerprint) {
      const kept = await disk?.read(server, fingerprint);
      // The earlier catalog may be large: free each record that the disk has too.
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
