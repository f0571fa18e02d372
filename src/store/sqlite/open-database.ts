import { chmodSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { retryBusy } from "./busy.js";
import { type Database, driver, refuseNul } from "./driver.js";
import { migrate, versionOf } from "./schema.js";

/** A write waits so long for those of other processes; each takes about as long as the disk needs for one sync. */
export const PATIENCE_MS = 10_000;

export const IN_MEMORY = ":memory:";

/** Opens the file, made if need be, with everything on that durability and sharing need. */
export function openDatabase(file: string): Database {
  const { DatabaseSync } = driver();
  if (file !== IN_MEMORY) mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(file);
  try {
    retryBusy(() => prepare(database, file), PATIENCE_MS);
    return refuseNul(database);
  } catch (error) {
    database.close();
    throw error;
  }
}

function prepare(database: Database, file: string): void {
  database.exec("PRAGMA busy_timeout = 0; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON");
  versionOf(database);
  // The log beside the file inherits its mode. By path: to open and close the file here would drop this process's locks on it.
  if (file !== IN_MEMORY) chmodSync(file, 0o600);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA journal_size_limit = 8388608");
  setDurable(database, true);
  // macOS keeps what was synced in the drive's cache unless told otherwise.
  database.exec("PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON");
  migrate(database);
}

/** Without it a change survives the end of the process and is synced with the next durable one. */
export function setDurable(database: Database, isDurable: boolean): void {
  database.exec(`PRAGMA synchronous = ${isDurable ? "FULL" : "NORMAL"}`);
}
