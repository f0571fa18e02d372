import { createApprovalTable } from "./approval-table.js";
import { createAuditTable } from "./audit-table.js";
import { retryBusy } from "./busy.js";
import { createCatalogTable } from "./catalog-table.js";
import { createCredentialTable } from "./credential-table.js";
import type { Database } from "./driver.js";
import { createFailureTable } from "./failure-table.js";
import { toFault } from "./faults.js";
import { createKeyTable } from "./key-table.js";
import { BUSY_TIMEOUT_MS, setDurable } from "./open-database.js";
import { operationEffect, type Reply, type Request, type Tables } from "./operations.js";
import type { LostRecords } from "./lost-records.js";
import type { Owners } from "./owners.js";
import { createPinTable } from "./pin-table.js";
import { createRateTable } from "./rate-table.js";
import { createResultTable } from "./result-table.js";
import { createToolFileTable } from "./tool-file-table.js";

/** A test write that is larger than an audit record: if it succeeds, the next call can be recorded. */
const PROBE = "INSERT OR REPLACE INTO probe VALUES (1, randomblob(32768))";

/** Runs requests on one connection. All changes of one run share one transaction, and so one disk sync. */
export interface Engine {
  run(requests: readonly Request[]): Reply[];
  close(): void;
}

/** `lost` is undefined for a connection that only reads. */
export function createEngine(
  database: Database,
  owners: Owners,
  { timeoutMs = BUSY_TIMEOUT_MS, lost }: { readonly timeoutMs?: number; readonly lost?: LostRecords } = {},
): Engine {
  const tables = createTables(database, owners);
  let isDurable = true;

  const call = ({ part, method, args }: Request): unknown => {
    if (part === "probe") return database.exec(PROBE);
    const act = (tables[part]() as unknown as Record<string, (...args: readonly unknown[]) => unknown>)[method];
    if (act === undefined) throw new Error(`the store has no method ${part}.${method}`);
    return act(...args);
  };

  const begin = (durable: boolean): void => {
    if (durable !== isDurable) setDurable(database, durable);
    isDurable = durable;
    retryBusy(() => database.exec("BEGIN IMMEDIATE"), timeoutMs);
  };

  const runAlone = (request: Request): Reply => inSavepoint(database, () => call(request));

  /** Runs consecutive appends as one append; if it fails, each request runs separately. */
  const runGroup = (group: readonly Request[]): readonly Reply[] => {
    const [first] = group;
    if (first === undefined || group.length === 1) return group.map(runAlone);
    const bodies = group.map(({ args }) => args[0] as readonly unknown[]);
    const together = runAlone({ ...first, args: [bodies.flat()] });
    if (together.kind === "failed") return group.map(runAlone);
    const marks = together.value as readonly unknown[];
    let taken = 0;
    return bodies.map(({ length }) => ({ kind: "done", value: marks.slice(taken, (taken += length)) }));
  };

  return {
    run(requests) {
      const effects = new Set(requests.map(operationEffect));
      if (!effects.has("durable") && !effects.has("relaxed")) {
        return requests.map((request) => attempt(() => retryBusy(() => call(request), timeoutMs)));
      }
      try {
        begin(effects.has("durable"));
        lost?.mark(requests, tables.audit);
        const replies = inGroups(requests).flatMap((group) => runGroup(group));
        database.exec("COMMIT");
        lost?.committed(requests, replies);
        return replies;
      } catch (error) {
        rollBack(database);
        return requests.map(() => ({ kind: "failed", fault: toFault(error) }));
      }
    },
    close: () => database.close(),
  };
}

/** Groups consecutive appends; every other request is a group of one. Preserves the order. */
function inGroups(requests: readonly Request[]): Request[][] {
  const groups: Request[][] = [];
  for (const request of requests) {
    const last = groups.at(-1);
    if (last?.[0] !== undefined && isAppend(last[0]) && isAppend(request)) last.push(request);
    else groups.push([request]);
  }
  return groups;
}

const isAppend = ({ part, method, args }: Request): boolean =>
  part === "audit" && (method === "append" || method === "appendSoon") && Array.isArray(args[0]);

/** Creates each table object on first use: a process that only reads the catalog prepares no other statements. */
function createTables(database: Database, owners: Owners): { readonly [Part in keyof Tables]: () => Tables[Part] } {
  return {
    keys: once(() => createKeyTable(database, owners)),
    audit: once(() => createAuditTable(database, owners)),
    approvals: once(() => createApprovalTable(database)),
    pins: once(() => createPinTable(database)),
    rates: once(() => createRateTable(database)),
    catalog: once(() => createCatalogTable(database)),
    failures: once(() => createFailureTable(database)),
    credentials: once(() => createCredentialTable(database, owners)),
    results: once(() => createResultTable(database)),
    toolFiles: once(() => createToolFileTable(database)),
  };
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/**
 * Runs one request in a savepoint: if it fails, the other requests are not undone, unless SQLite rolled back the whole
 * transaction.
 */
function inSavepoint(database: Database, act: () => unknown): Reply {
  database.exec("SAVEPOINT request");
  try {
    const value = act();
    database.exec("RELEASE request");
    return { kind: "done", value };
  } catch (error) {
    // On a full or failing disk, SQLite rolls back the whole transaction, including earlier successful requests.
    if (!database.isTransaction) throw error;
    database.exec("ROLLBACK TO request; RELEASE request");
    return { kind: "failed", fault: toFault(error) };
  }
}

function rollBack(database: Database): void {
  try {
    if (database.isTransaction) database.exec("ROLLBACK");
  } catch {
    // The caller closes the connection after such an error, which also rolls back.
  }
}

function attempt(act: () => unknown): Reply {
  try {
    return { kind: "done", value: act() };
  } catch (error) {
    return { kind: "failed", fault: toFault(error) };
  }
}
