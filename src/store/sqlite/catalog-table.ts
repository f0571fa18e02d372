import type { CatalogRecords } from "../catalog-records.js";
import type { Database } from "./driver.js";
import type { StoreTable } from "./operations.js";

export function createCatalogTable(database: Database): StoreTable<CatalogRecords> {
  const read = database.prepare("SELECT text FROM catalog WHERE server = :server AND fingerprint = :fingerprint");
  const write = database.prepare(`
    INSERT INTO catalog VALUES (:server, :fingerprint, :listedAt, :text)
    ON CONFLICT DO UPDATE SET listed_at = :listedAt, text = :text`);
  const forget = database.prepare("DELETE FROM catalog WHERE listed_at < :before");

  return {
    read: (keys) =>
      keys.map(({ server, fingerprint }) => {
        const text = read.get({ server, fingerprint })?.["text"];
        return typeof text === "string" ? text : undefined;
      }),
    write: ({ server, fingerprint, listedAt, text }) => {
      write.run({ server, fingerprint, listedAt, text });
    },
    forget: (before) => {
      forget.run({ before });
    },
  };
}
