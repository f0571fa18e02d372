import { createApprovalTable } from "./approval-table.js";
import { createAuditTable } from "./audit-table.js";
import { retryBusy } from "./busy.js";
import { createCatalogTable } from "./catalog-table.js";
import { createCredentialTable } from "./credential-table.js";
import type { Database } from "./driver.js";
import { createFailureTable } from "./failure-table.js";
import { toFault } from "./faults.js";
import { createKeyTable } from "./key-table.js";
import { PATIENCE_MS, setDurable } from "./open-database.js";
import { effectOf, type Reply, type Request, type Tables } from "./operations.js";
import type { Owners } from "./owners.js";
import { createPinTable } from "./pin-table.js";
import { createRateTable } from "./rate-table.js";
import { createToolFileTable } from "./tool-file-table.js";

/** More than a record needs: what finds room for this finds room for the next call. */
const PROBE = "INSERT OR REPLACE INTO probe VALUES (1, randomblob(32768))";

/** Runs requests on one connection. All changes of one run share one transaction, and so one sync of the disk. */
export interface Engine {
  run(requests: readonly Request[]): Reply[];
  close(): void;
}

export function createEngine(database: Database, owners: Owners, patienceMs = PATIENCE_MS): Engine {
  const tables = createTables(database, owners);
  let isDurable = true;

  const call = ({ part, method, given }: Request): unknown => {
    if (part === "probe") return database.exec(PROBE);
    const act = (tables[part]() as unknown as Record<string, (...given: readonly unknown[]) => unknown>)[method];
    if (act === undefined) throw new Error(`there is no ${part}.${method}`);
    return act(...given);
  };

  const begin = (durable: boolean): void => {
    if (durable !== isDurable) setDurable(database, durable);
    isDurable = durable;
    retryBusy(() => database.exec("BEGIN IMMEDIATE"), patienceMs);
  };

  const runAlone = (request: Request): Reply => inSavepoint(database, () => call(request));

  /** Records that follow each other are appended in one go; if that fails, each is tried by itself. */
  const runGroup = (group: readonly Request[]): readonly Reply[] => {
    const [first] = group;
    if (first === undefined || group.length === 1) return group.map(runAlone);
    const bodies = group.map(({ given }) => given[0] as readonly unknown[]);
    const together = runAlone({ ...first, given: [bodies.flat()] });
    if (together.kind === "failed") return group.map(runAlone);
    const marks = together.value as readonly unknown[];
    let taken = 0;
    return bodies.map(({ length }) => ({ kind: "done", value: marks.slice(taken, (taken += length)) }));
  };

  return {
    run(requests) {
      const effects = new Set(requests.map(effectOf));
      if (!effects.has("durable") && !effects.has("relaxed")) {
        return requests.map((request) => attempt(() => retryBusy(() => call(request), patienceMs)));
      }
      try {
        begin(effects.has("durable"));
        const replies = inGroups(requests).flatMap((group) => runGroup(group));
        database.exec("COMMIT");
        return replies;
      } catch (error) {
        rollBack(database);
        return requests.map(() => ({ kind: "failed", fault: toFault(error) }));
      }
    },
    close: () => database.close(),
  };
}

/** In their order: every run of records that are appended, and every other request by itself. */
function inGroups(requests: readonly Request[]): Request[][] {
  const groups: Request[][] = [];
  for (const request of requests) {
    const last = groups.at(-1);
    if (last?.[0] !== undefined && isAppend(last[0]) && isAppend(request)) last.push(request);
    else groups.push([request]);
  }
  return groups;
}

const isAppend = ({ part, method, given }: Request): boolean =>
  part === "audit" && (method === "append" || method === "appendSoon") && Array.isArray(given[0]);

/** Each made when it is first used: a start that only reads the catalog prepares no other statements. */
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
    toolFiles: once(() => createToolFileTable(database)),
  };
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** One request that fails takes nothing of the others with it, unless it took the transaction. */
function inSavepoint(database: Database, act: () => unknown): Reply {
  database.exec("SAVEPOINT request");
  try {
    const value = act();
    database.exec("RELEASE request");
    return { kind: "done", value };
  } catch (error) {
    // A full disk or a failing one undoes everything at once, also what had gone well before.
    if (!database.isTransaction) throw error;
    database.exec("ROLLBACK TO request; RELEASE request");
    return { kind: "failed", fault: toFault(error) };
  }
}

function rollBack(database: Database): void {
  try {
    if (database.isTransaction) database.exec("ROLLBACK");
  } catch {
    // The connection is closed after such a fault, which undoes it too.
  }
}

function attempt(act: () => unknown): Reply {
  try {
    return { kind: "done", value: act() };
  } catch (error) {
    return { kind: "failed", fault: toFault(error) };
  }
}
