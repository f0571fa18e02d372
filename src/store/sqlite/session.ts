import { statSync } from "node:fs";
import { ownersFolder } from "../has-owners.js";
import { newestRecordFile, openNewestRecord } from "../newest-record.js";
import { retryBusy } from "./busy.js";
import type { Database } from "./driver.js";
import { createEngine, type Engine } from "./engine.js";
import { toFault } from "./faults.js";
import { createLostRecords } from "./lost-records.js";
import { BUSY_TIMEOUT_MS, IN_MEMORY, openDatabase, openForReading } from "./open-database.js";
import type { Reply, Request } from "./operations.js";
import { createWatcher, openOwners, type Owners } from "./owners.js";

/**
 * A database connection that is opened with the first request, and again after a fatal error or if the file was
 * replaced.
 */
export interface DatabaseSession {
  run(requests: readonly Request[]): Reply[];
  close(): void;
}

/**
 * A session that can write. It holds the owner lock, which marks this process's idempotency keys and intents as alive.
 */
export function createDatabaseSession(file: string): DatabaseSession {
  let owners: Owners | undefined;
  let database: Database | undefined;
  const newest = openNewestRecord(newestRecordFile(file));
  const connection = createConnection((path) => {
    owners ??= openOwners(ownersFolder(file));
    database = openDatabase(path);
    clear(owners, database);
    return createEngine(database, owners, { lost: createLostRecords(newest) });
  });
  return {
    run: (requests) => connection.run(() => file, requests),
    close() {
      const keepFile = owners !== undefined && mustKeepFile(owners, database);
      connection.close();
      newest.close();
      owners?.close(keepFile);
      owners = undefined;
    },
  };
}

/**
 * Removes the lock files of ended owners that have neither unfinished idempotency keys nor open intents. Returns
 * whether this process itself has any of them.
 */
function clear(owners: Owners, database: Database): boolean {
  const unfinished = database.prepare(`
    SELECT 1 FROM keys WHERE owner = :owner AND state IN ('reserved', 'dispatched')
    UNION ALL SELECT 1 FROM open_intents WHERE owner = :owner LIMIT 1`);
  const needsRecovery = (owner: string): boolean => unfinished.get({ owner }) !== undefined;
  return retryBusy(() => {
    owners.clear(needsRecovery);
    return needsRecovery(owners.self);
  }, BUSY_TIMEOUT_MS);
}

/**
 * Whether the lock file of this process must remain, because the process has calls to recover. True if the database
 * cannot be read, because there may be some.
 */
function mustKeepFile(owners: Owners, database: Database | undefined): boolean {
  try {
    return database === undefined || clear(owners, database);
  } catch {
    return true;
  }
}

/** A read-only session: it creates no file, and reads an empty database if the file does not exist. */
export function createReader(file: string, canReadAlone: boolean): DatabaseSession {
  const open = canReadAlone ? openForReading : openDatabase;
  const connection = createConnection((path) => createEngine(open(path), createWatcher(ownersFolder(file))));
  return {
    run: (requests) => connection.run(() => (isEmpty(file) ? IN_MEMORY : file), requests),
    close: connection.close,
  };
}

function createConnection(open: (path: string) => Engine) {
  let current: { engine: Engine; path: string; identity: string | undefined } | undefined;
  const close = (): void => {
    const closing = current;
    current = undefined;
    closing?.engine.close();
  };
  return {
    close,
    run(locate: () => string, requests: readonly Request[]): Reply[] {
      try {
        const path = locate();
        // Writes to a removed or replaced file would be lost without an error.
        if (current?.path !== path || current.identity !== identityOf(path)) close();
        current ??= opened(path, open);
        const replies = current.engine.run(requests);
        if (replies.some((reply) => reply.kind === "failed" && reply.fault.isFatal)) close();
        return replies;
      } catch (error) {
        return requests.map(() => ({ kind: "failed", fault: toFault(error) }));
      }
    },
  };
}

function opened(path: string, open: (path: string) => Engine) {
  const engine = open(path);
  return { engine, path, identity: identityOf(path) };
}

/**
 * Whether there is no database yet. A process that could not write its first page, for example because the disk was
 * full, leaves an empty file.
 */
function isEmpty(file: string): boolean {
  const [found, log] = [file, `${file}-wal`].map((path) => statSync(path, { throwIfNoEntry: false }));
  return found === undefined || (found.size === 0 && (log?.size ?? 0) === 0);
}

function identityOf(path: string): string | undefined {
  if (path === IN_MEMORY) return path;
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}
