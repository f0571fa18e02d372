import type { Database } from "./driver.js";

/** The SQLite application id (`ANYG` in ASCII), which is in the header of every database of this program. */
export const APPLICATION_ID = 0x41_4e_59_47;

/**
 * The migration scripts, one per schema version, in order; a released script is never edited. Text from outside is only
 * ever passed as a parameter. The filter columns of `audit` are computed from the hashed body, so that they cannot
 * differ from it.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE keys (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant TEXT NOT NULL, actor TEXT NOT NULL, tool TEXT NOT NULL, key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('reserved', 'dispatched', 'completed', 'failed', 'unknown')),
    request_id TEXT NOT NULL, owner TEXT NOT NULL,
    reserved_at INTEGER NOT NULL, changed_at INTEGER NOT NULL, expires_at INTEGER NOT NULL,
    answer BLOB, answer_bytes INTEGER,
    UNIQUE (tenant, actor, tool, key)
  ) STRICT;
  CREATE INDEX keys_by_expiry ON keys (expires_at);
  CREATE INDEX keys_under_way ON keys (owner) WHERE state IN ('reserved', 'dispatched');

  CREATE TABLE audit (
    seq INTEGER PRIMARY KEY,
    hash TEXT NOT NULL,
    body TEXT NOT NULL,
    kind TEXT AS (body ->> 'kind') VIRTUAL,
    request_id TEXT AS (body ->> 'request_id') VIRTUAL,
    timestamp TEXT AS (body ->> 'timestamp') VIRTUAL,
    actor_id TEXT AS (body ->> 'actor_id') VIRTUAL,
    tool_id TEXT AS (body ->> 'tool_id') VIRTUAL,
    outcome TEXT AS (body ->> 'outcome') VIRTUAL
  ) STRICT;
  CREATE INDEX audit_by_request ON audit (request_id);
  CREATE INDEX audit_by_time ON audit (timestamp);
  CREATE TABLE audit_start (only INTEGER PRIMARY KEY CHECK (only = 1), seq INTEGER NOT NULL, hash TEXT NOT NULL) STRICT;
  INSERT INTO audit_start VALUES (1, 0, '${"0".repeat(64)}');
  CREATE TABLE open_intents (request_id TEXT PRIMARY KEY, seq INTEGER NOT NULL, owner TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE checkpoints (
    seq INTEGER PRIMARY KEY, hash TEXT NOT NULL, at INTEGER NOT NULL, key_id TEXT NOT NULL, signature TEXT NOT NULL
  ) STRICT;

  CREATE TABLE approvals (
    id TEXT PRIMARY KEY,
    actor TEXT NOT NULL, tool TEXT NOT NULL, binding TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'approved', 'denied', 'redeemed')),
    shown TEXT NOT NULL, self_service INTEGER NOT NULL CHECK (self_service IN (0, 1)),
    asked_at INTEGER NOT NULL, expires_at INTEGER NOT NULL,
    decided_by TEXT, decided_at INTEGER
  ) STRICT;
  CREATE INDEX approvals_by_subject ON approvals (actor, tool, binding, expires_at);
  CREATE INDEX approvals_by_expiry ON approvals (expires_at);

  CREATE TABLE pins (
    server TEXT NOT NULL, fingerprint TEXT NOT NULL, tool TEXT NOT NULL,
    first_seen_at INTEGER NOT NULL,
    approved_hash TEXT, approved_definition TEXT, approved_by TEXT, approved_at INTEGER,
    current_hash TEXT NOT NULL, current_definition TEXT NOT NULL, changed_at INTEGER NOT NULL,
    PRIMARY KEY (server, fingerprint, tool)
  ) STRICT;
  CREATE INDEX pins_by_connection ON pins (fingerprint, server, tool);
  CREATE INDEX pins_not_approved ON pins (server, fingerprint, tool) WHERE approved_hash IS NOT current_hash;

  CREATE TABLE rate_slots (
    bucket TEXT NOT NULL, actor TEXT NOT NULL, window_ms INTEGER NOT NULL, slot INTEGER NOT NULL, taken INTEGER NOT NULL,
    PRIMARY KEY (bucket, actor, window_ms, slot)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE catalog (
    server TEXT NOT NULL, fingerprint TEXT NOT NULL, listed_at INTEGER NOT NULL, text TEXT NOT NULL,
    PRIMARY KEY (server, fingerprint)
  ) STRICT;

  CREATE TABLE probe (only INTEGER PRIMARY KEY CHECK (only = 1), filler BLOB NOT NULL) STRICT;
  `,
  `
  CREATE TABLE tool_file_versions (
    folder TEXT NOT NULL, tool_id TEXT NOT NULL, version TEXT NOT NULL, validated_at TEXT NOT NULL, rank TEXT NOT NULL,
    PRIMARY KEY (folder, tool_id)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  CREATE TABLE credentials (
    server TEXT NOT NULL, connection TEXT NOT NULL, actor TEXT NOT NULL,
    issuer TEXT NOT NULL, sealed BLOB NOT NULL, version INTEGER NOT NULL, saved_at INTEGER NOT NULL,
    refused INTEGER NOT NULL CHECK (refused IN (0, 1)),
    holder TEXT, owner TEXT, held_since INTEGER, held_until INTEGER,
    PRIMARY KEY (server, connection, actor)
  ) STRICT;
  CREATE TABLE credential_versions (only INTEGER PRIMARY KEY CHECK (only = 1), last INTEGER NOT NULL) STRICT;
  INSERT INTO credential_versions VALUES (1, 0);
  `,
  // No query could use this index, and every insert had to update it.
  "DROP INDEX audit_by_time;",
  `
  CREATE TABLE server_failures (
    server TEXT NOT NULL, fingerprint TEXT NOT NULL, failed_at INTEGER NOT NULL, text TEXT NOT NULL,
    PRIMARY KEY (server, fingerprint)
  ) STRICT, WITHOUT ROWID;
  `,
  // The payload is the last column, so that reading the other columns of a row does not read its overflow pages. The
  // totals make it unnecessary to sum up all rows for every new result.
  `
  CREATE TABLE results (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE, actor TEXT NOT NULL, server TEXT NOT NULL, tool TEXT NOT NULL,
    created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL,
    bytes INTEGER NOT NULL, sha256 TEXT NOT NULL, payload_bytes INTEGER NOT NULL, payload BLOB NOT NULL
  ) STRICT;
  CREATE INDEX results_by_actor ON results (actor, seq);
  CREATE INDEX results_by_expiry ON results (expires_at);
  CREATE TABLE result_totals (
    actor TEXT PRIMARY KEY, results INTEGER NOT NULL, bytes INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER result_added AFTER INSERT ON results BEGIN
    INSERT INTO result_totals VALUES (new.actor, 1, new.payload_bytes)
    ON CONFLICT DO UPDATE SET results = results + 1, bytes = bytes + new.payload_bytes;
  END;
  CREATE TRIGGER result_removed AFTER DELETE ON results BEGIN
    UPDATE result_totals SET results = results - 1, bytes = bytes - old.payload_bytes WHERE actor = old.actor;
    DELETE FROM result_totals WHERE actor = old.actor AND results = 0;
  END;
  CREATE TABLE lost_results (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE, actor TEXT NOT NULL, server TEXT NOT NULL, tool TEXT NOT NULL,
    loss TEXT NOT NULL CHECK (loss IN ('expired', 'dropped'))
  ) STRICT;
  `,
  `
  CREATE TABLE key_totals (
    actor TEXT PRIMARY KEY, keys INTEGER NOT NULL, bytes INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT INTO key_totals SELECT actor, count(*), coalesce(sum(length(answer)), 0) FROM keys GROUP BY actor;
  CREATE TRIGGER key_added AFTER INSERT ON keys BEGIN
    INSERT INTO key_totals VALUES (new.actor, 1, coalesce(length(new.answer), 0))
    ON CONFLICT DO UPDATE SET keys = keys + 1, bytes = bytes + excluded.bytes;
  END;
  CREATE TRIGGER key_answered AFTER UPDATE OF answer ON keys BEGIN
    UPDATE key_totals SET bytes = bytes - coalesce(length(old.answer), 0) + coalesce(length(new.answer), 0)
    WHERE actor = new.actor;
  END;
  CREATE TRIGGER key_removed AFTER DELETE ON keys BEGIN
    UPDATE key_totals SET keys = keys - 1, bytes = bytes - coalesce(length(old.answer), 0) WHERE actor = old.actor;
    DELETE FROM key_totals WHERE actor = old.actor AND keys = 0;
  END;
  CREATE INDEX keys_by_actor ON keys (actor, expires_at);
  `,
];

export class ForeignDatabaseError extends Error {
  override readonly name = "ForeignDatabaseError";
}

export class NewerDatabaseError extends Error {
  override readonly name = "NewerDatabaseError";
}

/**
 * Migrates the database to the latest schema version in one transaction; safe even if several processes do it at the
 * same time.
 */
export function migrate(database: Database, migrations = MIGRATIONS): void {
  if (versionOf(database, migrations) === migrations.length) return;
  database.exec("BEGIN IMMEDIATE");
  try {
    for (const script of migrations.slice(readVersion(database, migrations))) database.exec(script);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${migrations.length}; COMMIT`);
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

/**
 * Returns the schema version of a database that is empty or belongs to this program; rejects any other database before
 * changing it.
 */
export function versionOf(database: Database, migrations = MIGRATIONS): number {
  // Another process may be creating the database: the transaction reads everything from one consistent state.
  database.exec("BEGIN");
  try {
    return readVersion(database, migrations);
  } finally {
    database.exec("ROLLBACK");
  }
}

function readVersion(database: Database, { length: known }: readonly string[]): number {
  const pragma = (name: string): number => Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
  const isEmpty = database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
  const version = pragma("user_version");
  if (!isEmpty && pragma("application_id") !== APPLICATION_ID) {
    throw new ForeignDatabaseError("the file is a database of another program");
  }
  if (version > known) {
    throw new NewerDatabaseError(`the file has format ${version}, and this version supports formats up to ${known}`);
  }
  return version;
}
