import {
  type FoundResult,
  MAX_REMEMBERED_LOSSES,
  type ResultLoss,
  type ResultRecord,
  type ResultRecords,
} from "../result-records.js";
import type { Database, SqlRow } from "./driver.js";
import type { StoreTable } from "./operations.js";

/** Every new result removes up to this many expired ones, so that cleaning up never delays a call for long. */
const REMOVED_PER_RESULT = 20;

/** For SQLite, a negative limit means no limit. */
const NO_LIMIT = -1;

interface Totals {
  readonly results: number;
  readonly bytes: number;
}

export function createResultTable(database: Database): StoreTable<ResultRecords> {
  const insert = database.prepare(`
    INSERT INTO results (id, actor, server, tool, created_at, expires_at, bytes, sha256, payload_bytes, payload)
    VALUES (:id, :actor, :server, :tool, :createdAt, :expiresAt, :bytes, :sha256, :payloadBytes, :payload)`);
  const find = database.prepare("SELECT * FROM results WHERE id = :id AND actor = :actor");
  const findLost = database.prepare("SELECT loss, server, tool FROM lost_results WHERE id = :id AND actor = :actor");
  const expired = database.prepare("SELECT seq FROM results WHERE expires_at <= :now LIMIT :limit");
  const ofActor = database.prepare("SELECT results, bytes FROM result_totals WHERE actor = :actor");
  const ofAll = database.prepare(
    "SELECT coalesce(sum(results), 0) AS results, coalesce(sum(bytes), 0) AS bytes FROM result_totals",
  );
  const oldestOfActor = database.prepare(
    "SELECT seq, payload_bytes FROM results WHERE actor = :actor ORDER BY seq LIMIT 1",
  );
  const oldestOfAll = database.prepare("SELECT seq, payload_bytes FROM results ORDER BY seq LIMIT 1");
  const remember = database.prepare(`
    INSERT INTO lost_results (id, actor, server, tool, loss)
    SELECT id, actor, server, tool, :loss FROM results WHERE seq = :seq`);
  const remove = database.prepare("DELETE FROM results WHERE seq = :seq");
  const forget = database.prepare(`
    DELETE FROM lost_results WHERE seq <= (SELECT max(seq) FROM lost_results) - ${MAX_REMEMBERED_LOSSES}`);

  const lose = (seq: number, loss: ResultLoss): void => {
    remember.run({ seq, loss });
    remove.run({ seq });
  };

  const removeExpired = (now: number, limit: number): void => {
    for (const { seq } of expired.all({ now, limit })) lose(Number(seq), "expired");
  };

  /** Removes the oldest results until at most this many results and bytes are left. */
  const dropOldest = (totals: Totals, max: Totals, oldest: () => SqlRow | undefined): void => {
    let { results, bytes } = totals;
    while (results > max.results || bytes > max.bytes) {
      const row = oldest();
      if (row === undefined) return;
      lose(Number(row["seq"]), "dropped");
      results -= 1;
      bytes -= Number(row["payload_bytes"]);
    }
  };

  return {
    add(record, { maxBytes, maxBytesPerActor, maxResults, maxResultsPerActor }) {
      const { actor, payload } = record;
      if (payload.byteLength > Math.min(maxBytes, maxBytesPerActor)) return false;
      removeExpired(record.createdAt, REMOVED_PER_RESULT);
      insert.run({ ...toRow(record), payloadBytes: payload.byteLength });
      const perActor = { results: maxResultsPerActor, bytes: maxBytesPerActor };
      dropOldest(toTotals(ofActor.get({ actor })), perActor, () => oldestOfActor.get({ actor }));
      dropOldest(toTotals(ofAll.get()), { results: maxResults, bytes: maxBytes }, () => oldestOfAll.get());
      forget.run();
      return true;
    },
    find(id, actor, now): FoundResult | undefined {
      const row = find.get({ id, actor });
      if (row !== undefined && Number(row["expires_at"]) > now) return { kind: "stored", record: toRecord(row) };
      const lost = row === undefined ? findLost.get({ id, actor }) : { ...row, loss: "expired" };
      if (lost === undefined) return undefined;
      return {
        kind: "lost",
        loss: lost["loss"] as ResultLoss,
        server: String(lost["server"]),
        tool: String(lost["tool"]),
      };
    },
    removeExpired(now) {
      removeExpired(now, NO_LIMIT);
      forget.run();
    },
  };
}

function toTotals(row: SqlRow | undefined): Totals {
  return { results: Number(row?.["results"] ?? 0), bytes: Number(row?.["bytes"] ?? 0) };
}

function toRow({ id, actor, server, tool, createdAt, expiresAt, bytes, sha256, payload }: ResultRecord) {
  return { id, actor, server, tool, createdAt, expiresAt, bytes, sha256, payload };
}

function toRecord(row: SqlRow): ResultRecord {
  return {
    id: String(row["id"]),
    actor: String(row["actor"]),
    server: String(row["server"]),
    tool: String(row["tool"]),
    createdAt: Number(row["created_at"]),
    expiresAt: Number(row["expires_at"]),
    bytes: Number(row["bytes"]),
    sha256: String(row["sha256"]),
    payload: row["payload"] instanceof Uint8Array ? row["payload"] : new Uint8Array(),
  };
}
