import type { FailureEntry, FailureRecords } from "../failure-records.js";
import type { Database } from "./driver.js";
import type { StoreTable } from "./operations.js";

export function createFailureTable(database: Database): StoreTable<FailureRecords> {
  const list = database.prepare("SELECT server, fingerprint, failed_at AS failedAt, text FROM server_failures");
  const write = database.prepare(`
    INSERT INTO server_failures VALUES (:server, :fingerprint, :failedAt, :text)
    ON CONFLICT DO UPDATE SET failed_at = :failedAt, text = :text`);
  const forget = database.prepare("DELETE FROM server_failures WHERE failed_at < :forgetBefore");
  const remove = database.prepare("DELETE FROM server_failures WHERE server = :server AND fingerprint = :fingerprint");

  return {
    list: () => list.all() as unknown as FailureEntry[],
    write: ({ server, fingerprint, failedAt, text, forgetBefore }) => {
      write.run({ server, fingerprint, failedAt, text });
      forget.run({ forgetBefore });
    },
    remove: ({ server, fingerprint }) => {
      remove.run({ server, fingerprint });
    },
  };
}
