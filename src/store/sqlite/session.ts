import { statSync } from "node:fs";
import { ownersFolder } from "../has-owners.js";
import { retryBusy } from "./busy.js";
import type { Database } from "./driver.js";
import { createEngine, type Engine } from "./engine.js";
import { toFault } from "./faults.js";
import { IN_MEMORY, openDatabase, BUSY_TIMEOUT_MS } from "./open-database.js";
import type { Reply, Request } from "./operations.js";
import { createWatcher, openOwners, type Owners } from "./owners.js";

/** A connection that opens with the first request, and again after a fatal error or when the file was replaced. */
export interface DatabaseSession {
  run(requests: readonly Request[]): Reply[];
  close(): void;
}

/** A session that can write. It holds the owner lock that marks this process's keys and intents as alive. */
export function createDatabaseSession(file: string): DatabaseSession {
  let owners: Owners | undefined;
  let database: Database | undefined;
  const connection = createConnection((path) => {
    owners ??= openOwners(ownersFolder(file));
    database = openDatabase(path);
    clear(owners, database);
    return createEngine(database, owners);
  });
  return {
    run: (requests) => connection.run(() => file, requests),
    close() {
      const leavesSomething = owners !== undefined && hasLeftSomething(owners, database);
      connection.close();
      owners?.close(leavesSomething);
      owners = undefined;
    },
  };
}

/** Removes owners that are gone and left no key and no open intent. Returns whether this owner would leave one. */
function clear(owners: Owners, database: Database): boolean {
  const left = database.prepare(`
    SELECT 1 FROM keys WHERE owner = :owner AND state IN ('reserved', 'dispatched')
    UNION ALL SELECT 1 FROM open_intents WHERE owner = :owner LIMIT 1`);
  const hasLeft = (owner: string): boolean => left.get({ owner }) !== undefined;
  return retryBusy(() => {
    owners.clear(hasLeft);
    return hasLeft(owners.self);
  }, BUSY_TIMEOUT_MS);
}

/** If the database cannot be read, assume that something is left to recover. */
function hasLeftSomething(owners: Owners, database: Database | undefined): boolean {
  try {
    return database === undefined || clear(owners, database);
  } catch {
    return true;
  }
}

/** A read-only session: it creates no file, and reads an empty database if the file does not exist. */
export function createReader(file: string): DatabaseSession {
  const connection = createConnection((path) => createEngine(openDatabase(path), createWatcher(ownersFolder(file))));
  return {
    run: (requests) => connection.run(() => (identityOf(file) === undefined ? IN_MEMORY : file), requests),
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

function identityOf(path: string): string | undefined {
  if (path === IN_MEMORY) return path;
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}
