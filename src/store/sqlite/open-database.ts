import { chmodSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { primaryCode, retryBusy } from "./busy.js";
import { type Database, driver, rejectNul } from "./driver.js";
import { migrate, versionOf } from "./schema.js";

/** How long a write waits for writes of other processes. Each of these takes about one disk sync. */
export const BUSY_TIMEOUT_MS = 10_000;

export const IN_MEMORY = ":memory:";

/**
 * Opens the file, creates it if necessary, and sets the pragmas for durability and sharing between processes.
 * `isExclusive`: no other process can use the database until it is closed; the file for shared memory is not needed.
 */
export function openDatabase(file: string, { isExclusive = false } = {}): Database {
  const { DatabaseSync } = driver();
  if (file !== IN_MEMORY) mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(file);
  try {
    // The mode must be set before the first access to the file.
    if (isExclusive) database.exec("PRAGMA locking_mode = EXCLUSIVE");
    retryBusy(() => prepare(database, file), BUSY_TIMEOUT_MS);
    return rejectNul(database);
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Opens the file for reading. SQLite creates a file for shared memory next to the database; on a full disk it cannot,
 * and the database is then read without it. If that fails too, throws the first error.
 */
export function openForReading(file: string): Database {
  try {
    return openDatabase(file);
  } catch (error) {
    if (!CREATES_NO_FILE.has(primaryCode(error) ?? -1)) throw error;
    try {
      return isUninitialised(file) ? openDatabase(IN_MEMORY) : openDatabase(file, { isExclusive: true });
    } catch {
      throw error;
    }
  }
}

/** Whether the process that created the database could not write its tables. */
function isUninitialised(file: string): boolean {
  const { DatabaseSync } = driver();
  const database = new DatabaseSync(file);
  try {
    database.exec("PRAGMA locking_mode = EXCLUSIVE");
    return versionOf(database) === 0;
  } finally {
    database.close();
  }
}

/** The SQLite result codes for a file that cannot be created: I/O error, full disk, and cannot open. */
const CREATES_NO_FILE: ReadonlySet<number> = new Set([10, 13, 14]);

function prepare(database: Database, file: string): void {
  database.exec("PRAGMA busy_timeout = 0; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON");
  versionOf(database);
  // The write-ahead log inherits the mode of the file. chmod by path: opening and closing the file here would release
  // the POSIX locks that this process holds on it.
  if (file !== IN_MEMORY) chmodSync(file, 0o600);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA journal_size_limit = 8388608");
  setDurable(database, true);
  // On macOS, fsync leaves data in the drive's cache unless F_FULLFSYNC is used.
  database.exec("PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON");
  migrate(database);
}

/**
 * Sets whether changes are synced to disk at once. If not, a change survives the end of the process and is synced with
 * the next durable change.
 */
export function setDurable(database: Database, isDurable: boolean): void {
  database.exec(`PRAGMA synchronous = ${isDurable ? "FULL" : "NORMAL"}`);
}
