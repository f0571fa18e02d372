import type { Pin, PinFilter, PinKey, Pins } from "../pins.js";
import type { Database, SqlRow, SqlStatement } from "./driver.js";
import type { StoreTable } from "./operations.js";

const KEY = "server = :server AND fingerprint = :fingerprint AND tool = :tool";

export function createPinTable(database: Database): StoreTable<Pins> {
  const find = database.prepare(`SELECT * FROM pins WHERE ${KEY}`);
  const insert = database.prepare(`
    INSERT INTO pins (server, fingerprint, tool, first_seen_at, current_hash, current_definition, changed_at,
      approved_hash, approved_definition, approved_at)
    VALUES (:server, :fingerprint, :tool, :now, :hash, :definition, :now,
      iif(:trusted, :hash, NULL), iif(:trusted, :definition, NULL), iif(:trusted, :now, NULL)) RETURNING *`);
  const change = database.prepare(`
    UPDATE pins SET current_hash = :hash, current_definition = :definition, changed_at = :now
    WHERE ${KEY} RETURNING *`);
  const approve = database.prepare(`
    UPDATE pins SET approved_hash = current_hash, approved_definition = current_definition,
      approved_by = :by, approved_at = :now
    WHERE ${KEY} AND current_hash = :hash RETURNING *`);
  const lists = new Map<string, SqlStatement>();
  /** One prepared statement per combination of filters: a single statement for all could not use an index. */
  const listOf = (conditions: readonly string[]): SqlStatement => {
    const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
    const list = lists.get(where) ?? database.prepare(`SELECT * FROM pins ${where} ORDER BY server, fingerprint, tool`);
    lists.set(where, list);
    return list;
  };

  return {
    see({ server, fingerprint, definitions, now, trustNew }) {
      const pins = definitions.map(({ tool, hash, definition }) => {
        const key = { server, fingerprint, tool };
        const known = find.get(key);
        if (known?.["current_hash"] === hash) return known;
        if (known !== undefined) return change.get({ ...key, hash, definition, now });
        return insert.get({ ...key, hash, definition, now, trusted: trustNew ? 1 : 0 });
      });
      return pins
        .filter((row) => row !== undefined)
        .map(toPin)
        .filter((pin) => !pin.isApproved);
    },
    approve(key, { hash, by, now }) {
      const row = approve.get({ ...toKey(key), hash, by, now });
      return row && toPin(row);
    },
    find(key) {
      const row = find.get(toKey(key));
      return row && toPin(row);
    },
    list(filter) {
      const { conditions, parameters } = toConditions(filter);
      return listOf(conditions).all(parameters).map(toPin);
    },
  };
}

function toConditions({ server, fingerprint, onlyChanged = false }: PinFilter) {
  return {
    conditions: [
      ...(server === undefined ? [] : ["server = :server"]),
      ...(fingerprint === undefined ? [] : ["fingerprint = :fingerprint"]),
      ...(onlyChanged ? ["approved_hash IS NOT current_hash"] : []),
    ],
    parameters: { ...(server === undefined ? {} : { server }), ...(fingerprint === undefined ? {} : { fingerprint }) },
  };
}

function toKey({ server, fingerprint, tool }: PinKey): Record<keyof PinKey, string> {
  return { server, fingerprint, tool };
}

function toPin(row: SqlRow): Pin {
  const { approved_hash: hash, approved_definition: definition } = row;
  return {
    server: String(row["server"]),
    fingerprint: String(row["fingerprint"]),
    tool: String(row["tool"]),
    firstSeenAt: Number(row["first_seen_at"]),
    ...(typeof hash === "string" && typeof definition === "string" ? { approved: { hash, definition } } : {}),
    ...(typeof row["approved_by"] === "string" ? { approvedBy: row["approved_by"] } : {}),
    ...(typeof row["approved_at"] === "number" ? { approvedAt: row["approved_at"] } : {}),
    current: { hash: String(row["current_hash"]), definition: String(row["current_definition"]) },
    changedAt: Number(row["changed_at"]),
    isApproved: hash === row["current_hash"],
  };
}
