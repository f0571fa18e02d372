import {
  type KeyClaim,
  type KeyEnding,
  type KeyQuotas,
  type KeyRecord,
  type KeyRecords,
  type KeyScope,
  type KeyState,
  type Reservation,
  MAX_ANSWER_BYTES,
} from "../key-records.js";
import type { Database, SqlRow } from "./driver.js";
import type { StoreTable } from "./operations.js";
import type { Owners } from "./owners.js";

const MAX_LISTED = 1000;
/** Every reservation deletes up to this many expired keys, so that no background cleanup is needed. */
const DELETED_PER_RESERVATION = 20;

const COLUMNS = `id, tenant, actor, tool, key, fingerprint, state, request_id, owner, reserved_at, changed_at, expires_at,
  answer_bytes`;
const SCOPE = "tenant = :tenant AND actor = :actor AND tool = :tool AND key = :key";
const CLAIM = "id = :id AND request_id = :requestId";

export function createKeyTable(database: Database, owners: Owners): StoreTable<KeyRecords> {
  const byScope = database.prepare(`SELECT ${COLUMNS}, answer FROM keys WHERE ${SCOPE}`);
  const byId = database.prepare(`SELECT ${COLUMNS} FROM keys WHERE id = :id`);
  const insert = database.prepare(`
    INSERT INTO keys (tenant, actor, tool, key, fingerprint, state, request_id, owner, reserved_at, changed_at, expires_at)
    VALUES (:tenant, :actor, :tool, :key, :fingerprint, 'reserved', :requestId, :owner, :now, :now, :expiresAt)
    RETURNING id`);
  const remove = database.prepare("DELETE FROM keys WHERE id = :id");
  const sweep = database.prepare(`
    DELETE FROM keys WHERE id IN (
      SELECT id FROM keys WHERE expires_at <= :now AND state NOT IN ('reserved', 'dispatched')
      ORDER BY expires_at LIMIT ${DELETED_PER_RESERVATION})`);
  const sweepActor = database.prepare(`
    DELETE FROM keys WHERE actor = :actor AND expires_at <= :now AND state NOT IN ('reserved', 'dispatched')`);
  const totals = database.prepare("SELECT keys, bytes FROM key_totals WHERE actor = :actor");
  const dispatch = database.prepare(`
    UPDATE keys SET state = 'dispatched', changed_at = :now WHERE ${CLAIM} AND state IN ('reserved', 'dispatched')`);
  const finish = database.prepare(`
    UPDATE keys SET state = :state, changed_at = :now, answer = :answer, answer_bytes = :bytes
    WHERE ${CLAIM} AND state IN ('dispatched', 'unknown')`);
  const isFinished = database.prepare(`SELECT 1 FROM keys WHERE ${CLAIM} AND state = :state`);
  const release = database.prepare(`DELETE FROM keys WHERE ${CLAIM} AND state IN ('reserved', 'dispatched')`);
  const markUnknown = database.prepare("UPDATE keys SET state = 'unknown', changed_at = :now WHERE id = :id");
  const commit = database.prepare(`
    UPDATE keys SET state = 'completed', changed_at = :now
    WHERE id = :id AND state = 'unknown'`);
  const inProgress = database.prepare(`SELECT ${COLUMNS} FROM keys WHERE state IN ('reserved', 'dispatched')`);
  const list = database.prepare(`
    SELECT ${COLUMNS} FROM keys
    WHERE (:state IS NULL OR state = :state OR (:state = 'unknown' AND state = 'dispatched')) AND (:actor IS NULL OR actor = :actor) AND (:key IS NULL OR key = :key)
      AND (expires_at > :now OR state IN ('reserved', 'dispatched'))
    ORDER BY id DESC LIMIT :limit`);

  /**
   * Returns the row that `settle` would leave in the table, without writing it: checks whether the key's process has
   * ended and whether the key has expired. Undefined if `settle` would delete the row.
   */
  const effective = (row: SqlRow | undefined, now: number): SqlRow | undefined => {
    const isInProgress = row?.["state"] === "reserved" || row?.["state"] === "dispatched";
    if (row === undefined || (isInProgress && owners.isAlive(String(row["owner"])))) return row;
    if (row["state"] === "reserved" || Number(row["expires_at"]) <= now) return undefined;
    return row["state"] === "dispatched" ? { ...row, state: "unknown", changed_at: now } : row;
  };

  /** Returns the effective row of the key and writes it to the table. */
  const settle = (row: SqlRow | undefined, now: number): SqlRow | undefined => {
    const known = effective(row, now);
    if (row !== undefined && known === undefined) remove.run({ id: row["id"] ?? null });
    if (known !== undefined && known !== row) markUnknown.run({ id: known["id"] ?? null, now });
    return known;
  };

  /** Returns the totals of an actor that has no room for another key; undefined if there is room. */
  const findFull = (actor: string, quotas: KeyQuotas): { keys: number; bytes: number } | undefined => {
    const row = totals.get({ actor });
    const [keys, bytes] = [Number(row?.["keys"] ?? 0), Number(row?.["bytes"] ?? 0)];
    return keys >= quotas.maxKeysPerActor || bytes >= quotas.maxBytesPerActor ? { keys, bytes } : undefined;
  };

  return {
    reserve(scope, { fingerprint, requestId, now, ttlMs, rerun, quotas }): Reservation {
      sweep.run({ now });
      const known = settle(byScope.get(toKey(scope)), now);
      if (known?.["request_id"] === requestId && known["state"] === "reserved") {
        return { kind: "reserved", claim: { id: Number(known["id"]), requestId } };
      }
      const mayRerun = rerun === true && known?.["state"] === "unknown" && known["fingerprint"] === fingerprint;
      if (known !== undefined && !mayRerun) return { kind: "known", record: toRecord(known) };
      if (known !== undefined) remove.run({ id: known["id"] ?? null });
      if (quotas !== undefined && findFull(scope.actor, quotas) !== undefined) {
        sweepActor.run({ actor: scope.actor, now });
        const full = findFull(scope.actor, quotas);
        if (full !== undefined) return { kind: "full", ...full };
      }
      const made = insert.get({
        ...toKey(scope),
        fingerprint,
        requestId,
        owner: owners.self,
        now,
        expiresAt: now + ttlMs,
      });
      return { kind: "reserved", claim: { id: Number(made?.["id"]), requestId } };
    },

    dispatch: (claim, now) => dispatch.run({ ...toClaim(claim), now }).changes !== 0,

    finish(claim, ending, now) {
      const change = { ...toClaim(claim), state: ending.kind, now, ...toStored(ending) };
      if (finish.run(change).changes !== 0) return true;
      return isFinished.get({ ...toClaim(claim), state: ending.kind }) !== undefined;
    },

    release: (claim) => release.run(toClaim(claim)).changes !== 0,

    find(scope, now) {
      const row = effective(byScope.get(toKey(scope)), now);
      return row && toRecord(row);
    },

    list({ now, state, actor, key, limit = MAX_LISTED }) {
      const filter = { now, state: state ?? null, actor: actor ?? null, key: key ?? null };
      const rows = list.all({ ...filter, limit: Math.min(limit, MAX_LISTED) }).map((row) => effective(row, now));
      const records = rows.filter((row) => row !== undefined).map(toRecord);
      return records.filter((record) => state === undefined || record.state === state);
    },

    resolve(id, verdict, now) {
      const row = settle(byId.get({ id }), now);
      if (row?.["state"] !== "unknown") return undefined;
      if (verdict === "not_committed") {
        remove.run({ id });
        return toRecord(row);
      }
      commit.run({ id, now });
      const committed = byId.get({ id });
      return committed && toRecord(committed);
    },

    recover(now) {
      const rows = inProgress.all().map((row) => settle(row, now));
      return rows.filter((row) => row?.["state"] === "unknown").map((row) => toRecord(row ?? {}));
    },
  };
}

function toKey({ tenant = "", actor, tool, key }: KeyScope): Required<KeyScope> & Record<string, string> {
  return { tenant, actor, tool, key };
}

function toClaim({ id, requestId }: KeyClaim): { id: number; requestId: string } {
  return { id, requestId };
}

function toStored(ending: KeyEnding): { answer: Uint8Array | null; bytes: number | null } {
  if (ending.kind === "unknown") return { answer: null, bytes: null };
  if ("answerBytes" in ending) return { answer: null, bytes: ending.answerBytes };
  const bytes = ending.answer.byteLength;
  return { answer: bytes > MAX_ANSWER_BYTES ? null : ending.answer, bytes };
}

function toRecord(row: SqlRow): KeyRecord {
  const { answer, answer_bytes } = row;
  return {
    id: Number(row["id"]),
    scope: {
      tenant: String(row["tenant"]),
      actor: String(row["actor"]),
      tool: String(row["tool"]),
      key: String(row["key"]),
    },
    fingerprint: String(row["fingerprint"]),
    state: row["state"] as KeyState,
    requestId: String(row["request_id"]),
    reservedAt: Number(row["reserved_at"]),
    changedAt: Number(row["changed_at"]),
    expiresAt: Number(row["expires_at"]),
    ...(answer instanceof Uint8Array ? { answer } : {}),
    ...(typeof answer_bytes === "number" ? { answerBytes: answer_bytes } : {}),
  };
}
