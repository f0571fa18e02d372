import { statSync } from "node:fs";
import { ownersFolder } from "../has-owners.js";
import { retryBusy } from "./busy.js";
import type { Database } from "./driver.js";
import { createEngine, type Engine } from "./engine.js";
import { toFault } from "./faults.js";
import { IN_MEMORY, openDatabase, PATIENCE_MS } from "./open-database.js";
import type { Reply, Request } from "./operations.js";
import { createWatcher, openOwners, type Owners } from "./owners.js";

/** A connection that opens with the first request, and again when it broke or the file became another one. */
export interface Session {
  run(requests: readonly Request[]): Reply[];
  close(): void;
}

/** A session that may write, and that keeps the keys reserved here alive. */
export function createSession(file: string): Session {
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

/** Forgets the gone that have left no key and no call without an outcome; tells whether this owner would leave one. */
function clear(owners: Owners, database: Database): boolean {
  const left = database.prepare(`
    SELECT 1 FROM keys WHERE owner = :owner AND state IN ('reserved', 'dispatched')
    UNION ALL SELECT 1 FROM open_intents WHERE owner = :owner LIMIT 1`);
  const hasLeft = (owner: string): boolean => left.get({ owner }) !== undefined;
  return retryBusy(() => {
    owners.clear(hasLeft);
    return hasLeft(owners.self);
  }, PATIENCE_MS);
}

/** What cannot be read may hold something. */
function hasLeftSomething(owners: Owners, database: Database | undefined): boolean {
  try {
    return database === undefined || clear(owners, database);
  } catch {
    return true;
  }
}

/** A session for reading: it makes no file, and where there is none it finds nothing. */
export function createReader(file: string): Session {
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
        // What is written to a file that was removed or replaced would be lost without a word.
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
