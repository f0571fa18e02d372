import { canonicalJson } from "../../util/json/canonical.js";
import type {
  AuditBody,
  AuditMark,
  AuditQuery,
  AuditRecord,
  AuditRecords,
  CheckpointRecord,
} from "../audit-records.js";
import { chainHash } from "../chain-hash.js";
import type { Database, SqlRow } from "./driver.js";
import type { StoreTable } from "./operations.js";
import type { Owners } from "./owners.js";

const MAX_READ = 1000;
const MAX_CHECKPOINTS = 1000;

const FILTER = `seq > :after AND seq < :before
  AND (:since IS NULL OR timestamp >= :since) AND (:until IS NULL OR timestamp < :until)
  AND (:kind IS NULL OR kind = :kind) AND (:requestId IS NULL OR request_id = :requestId)
  AND (:tool IS NULL OR tool_id = :tool) AND (:actor IS NULL OR actor_id = :actor)
  AND (:outcome IS NULL OR outcome = :outcome)`;

export function createAuditTable(database: Database, owners: Owners): StoreTable<AuditRecords> {
  const last = database.prepare("SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1");
  const first = database.prepare("SELECT seq, hash FROM audit_start");
  const insert = database.prepare("INSERT INTO audit (seq, hash, body) VALUES (:seq, :hash, :body)");
  const openIntent = database.prepare("INSERT OR REPLACE INTO open_intents VALUES (:requestId, :seq, :owner)");
  const closeIntent = database.prepare("DELETE FROM open_intents WHERE request_id = :requestId");
  const oldest = database.prepare(`SELECT seq, hash, body FROM audit WHERE ${FILTER} ORDER BY seq LIMIT :limit`);
  const newest = database.prepare(`SELECT seq, hash, body FROM audit WHERE ${FILTER} ORDER BY seq DESC LIMIT :limit`);
  const intents = database.prepare(`
    SELECT i.request_id, i.owner, a.seq, a.hash, a.body FROM open_intents i JOIN audit a ON a.seq = i.seq ORDER BY a.seq`);
  const intentOwner = database.prepare("SELECT owner FROM open_intents WHERE request_id = :requestId");
  const oldestIntent = database.prepare("SELECT min(seq) AS seq FROM open_intents");
  const hasOutcome = database.prepare("SELECT 1 FROM audit WHERE request_id = :requestId AND kind = 'outcome' LIMIT 1");
  const exists = database.prepare("SELECT 1 FROM audit WHERE seq = :seq AND hash = :hash");
  const remove = database.prepare("DELETE FROM audit WHERE seq <= :seq");
  const moveStart = database.prepare("UPDATE audit_start SET seq = :seq, hash = :hash");
  const addCheckpoint = database.prepare(
    "INSERT OR REPLACE INTO checkpoints VALUES (:seq, :hash, :at, :keyId, :signature)",
  );
  const dropCheckpoints = database.prepare(
    `DELETE FROM checkpoints WHERE seq < (SELECT seq FROM checkpoints ORDER BY seq DESC LIMIT 1 OFFSET ${MAX_CHECKPOINTS - 1})`,
  );
  const checkpoints = database.prepare("SELECT seq, hash, at, key_id, signature FROM checkpoints ORDER BY seq");

  const start = (): AuditMark => toMark(first.get());
  const head = (): AuditMark => {
    const row = last.get();
    return row === undefined ? start() : toMark(row);
  };

  const append = (bodies: readonly AuditBody[]): AuditMark[] => {
    let previous = head();
    return bodies.map((record) => {
      const body = canonicalJson(record);
      const seq = previous.seq + 1;
      previous = { seq, hash: chainHash(seq, previous.hash, body) };
      insert.run({ ...previous, body });
      const requestId = record.request_id;
      if (record.kind === "intent") openIntent.run({ requestId, seq, owner: owners.self });
      // Low-risk calls are recorded without an intent, so their outcome closes none.
      if (record.kind === "outcome" && record["risk"] !== "low") closeIntent.run({ requestId });
      return previous;
    });
  };

  const isOrphaned = (requestId: string): boolean => {
    const owner = intentOwner.get({ requestId })?.["owner"];
    return typeof owner === "string" && !owners.isAlive(owner);
  };

  return {
    append,
    appendSoon: append,
    head,
    start,
    read: (query) => (query.newestFirst === true ? newest : oldest).all(toFilter(query)).map(toRecord),
    openIntents: () =>
      intents.all().map((row) => ({
        ...toRecord(row),
        requestId: String(row["request_id"]),
        isOrphan: !owners.isAlive(String(row["owner"])),
      })),
    closeOrphans: (outcomes) =>
      outcomes.flatMap((outcome) => (isOrphaned(outcome.request_id) ? append([outcome]) : [])),
    appendMissing: (outcomes) =>
      outcomes.flatMap((outcome) =>
        hasOutcome.get({ requestId: outcome.request_id }) === undefined ? append([outcome]) : [],
      ),
    addCheckpoint: ({ seq, hash, at, keyId, signature }) => {
      addCheckpoint.run({ seq, hash, at, keyId, signature });
      dropCheckpoints.run();
    },
    checkpoints: () => checkpoints.all().map(toCheckpoint),
    remove({ after, through, rotation }) {
      const { seq, hash } = through;
      const from = start();
      if (from.seq !== after.seq || from.hash !== after.hash) return false;
      const stillOpen = oldestIntent.get()?.["seq"];
      if (typeof stillOpen === "number" && stillOpen <= seq) return false;
      if (exists.get({ seq, hash }) === undefined) return false;
      append([rotation]);
      remove.run({ seq });
      moveStart.run({ seq, hash });
      return true;
    },
  };
}

function toFilter(query: AuditQuery): Record<string, string | number | null> {
  return {
    after: query.after ?? -1,
    before: query.before ?? Number.MAX_SAFE_INTEGER,
    since: query.since ?? null,
    until: query.until ?? null,
    kind: query.kind ?? null,
    requestId: query.requestId ?? null,
    tool: query.tool ?? null,
    actor: query.actor ?? null,
    outcome: query.outcome ?? null,
    limit: Math.min(query.limit ?? MAX_READ, MAX_READ),
  };
}

function toMark(row: SqlRow | undefined): AuditMark {
  return { seq: Number(row?.["seq"]), hash: String(row?.["hash"]) };
}

function toRecord(row: SqlRow): AuditRecord {
  return { ...toMark(row), body: String(row["body"]) };
}

function toCheckpoint(row: SqlRow): CheckpointRecord {
  return {
    ...toMark(row),
    at: Number(row["at"]),
    keyId: String(row["key_id"]),
    signature: String(row["signature"]),
  };
}
