import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { retryBusy } from "./busy.js";
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
    retryBusy(() => prepare(database, file, isExclusive), isExclusive ? 0 : BUSY_TIMEOUT_MS);
    return rejectNul(database);
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Opens the file for reading. SQLite creates a file for shared memory next to the database. Where no file can be
 * written, for example on a full disk, the database is read without it, if no other process uses the database.
 */
export function openForReading(file: string): Database {
  if (hasSpaceBeside(file)) return openDatabase(file);
  // Do not try the other way first: a connection that failed for this reason keeps a lock in this process.
  try {
    return openDatabase(file, { isExclusive: true });
  } catch (error) {
    return openDatabase(error instanceof UninitialisedError ? IN_MEMORY : file);
  }
}

/** The process that created the database could not write its tables. */
class UninitialisedError extends Error {
  override readonly name = "UninitialisedError";
}

const SHARED_MEMORY_BYTES = 32_768;

/** Whether a file as large as that for shared memory can be written in the folder of the database. */
function hasSpaceBeside(file: string): boolean {
  const probe = `${file}-${randomBytes(6).toString("hex")}.tmp`;
  try {
    writeFileSync(probe, Buffer.alloc(SHARED_MEMORY_BYTES), { flag: "wx", mode: 0o600 });
    return true;
  } catch {
    return false;
  } finally {
    rmSync(probe, { force: true });
  }
}

function prepare(database: Database, file: string, isExclusive: boolean): void {
  database.exec("PRAGMA busy_timeout = 0; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON");
  if (versionOf(database) === 0 && isExclusive) throw new UninitialisedError();
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
