import type {
  CredentialDraft,
  CredentialKey,
  CredentialRecords,
  RenewalClaim,
  StoredCredential,
} from "../credentials.js";
import type { Database, SqlRow } from "./driver.js";
import type { StoreTable } from "./operations.js";
import type { Owners } from "./owners.js";

const KEY = "server = :server AND connection = :connection AND actor = :actor";
const FREE = "holder = NULL, owner = NULL, held_since = NULL, held_until = NULL";
const NEXT = "(SELECT last FROM credential_versions)";

export function createCredentialTable(database: Database, owners: Owners): StoreTable<CredentialRecords> {
  const byKey = database.prepare(`SELECT * FROM credentials WHERE ${KEY}`);
  const all = database.prepare(`
    SELECT * FROM credentials WHERE :server IS NULL OR server = :server ORDER BY server, actor, connection`);
  const count = database.prepare("UPDATE credential_versions SET last = last + 1");
  const save = database.prepare(`
    INSERT INTO credentials (server, connection, actor, issuer, sealed, version, saved_at, refused)
    VALUES (:server, :connection, :actor, :issuer, :sealed, ${NEXT}, :now, 0)
    ON CONFLICT DO UPDATE SET issuer = :issuer, sealed = :sealed, version = ${NEXT}, saved_at = :now, refused = 0, ${FREE}
    RETURNING *`);
  const hold = database.prepare(`
    UPDATE credentials SET holder = :holder, owner = :owner, held_since = :now, held_until = :until WHERE ${KEY}`);
  const renew = database.prepare(`
    UPDATE credentials SET sealed = :sealed, version = ${NEXT}, saved_at = :now, refused = 0, ${FREE}
    WHERE ${KEY} AND version = :version AND issuer = :issuer RETURNING *`);
  const refuse = database.prepare(`
    UPDATE credentials SET refused = 1, ${FREE} WHERE ${KEY} AND version = :version AND holder = :holder`);
  const release = database.prepare(`UPDATE credentials SET ${FREE} WHERE ${KEY} AND holder = :holder`);
  const remove = database.prepare(`DELETE FROM credentials WHERE ${KEY} RETURNING *`);

  /** Whether another caller holds a valid claim. Setting the system clock back never extends a claim. */
  const isHeld = (row: SqlRow, { holder, now }: { readonly holder: string; readonly now: number }): boolean => {
    if (typeof row["holder"] !== "string" || row["holder"] === holder) return false;
    const [since, until] = [Number(row["held_since"]), Number(row["held_until"])];
    return Math.abs(now - since) < until - since && owners.isAlive(String(row["owner"]));
  };

  return {
    find(key) {
      const row = byKey.get(toKey(key));
      return row && toCredential(row);
    },
    list: (server) => all.all({ server: server ?? null }).map(toCredential),
    save(draft) {
      count.run();
      return toCredential(save.get(toRow(draft)) ?? {});
    },
    claim(key, request): RenewalClaim {
      const row = byKey.get(toKey(key));
      if (row === undefined) return { kind: "changed" };
      if (row["version"] !== request.version) return { kind: "changed", credential: toCredential(row) };
      if (isHeld(row, request)) return { kind: "held" };
      const { holder, now, ttlMs } = request;
      hold.run({ ...toKey(key), holder, owner: owners.self, now, until: now + ttlMs });
      return { kind: "claimed", credential: toCredential(row) };
    },
    renew(draft, { version }) {
      count.run();
      const row = renew.get({ ...toRow(draft), version });
      return row && toCredential(row);
    },
    refuse: (key, { version, holder }) => refuse.run({ ...toKey(key), version, holder }).changes !== 0,
    release(key, { holder }) {
      release.run({ ...toKey(key), holder });
    },
    remove(key) {
      const row = remove.get(toKey(key));
      return row && toCredential(row);
    },
  };
}

function toKey({ server, connection, actor }: CredentialKey): Record<keyof CredentialKey, string> {
  return { server, connection, actor };
}

function toRow({ issuer, sealed, now, ...key }: CredentialDraft) {
  return { ...toKey(key), issuer, sealed, now };
}

function toCredential(row: SqlRow): StoredCredential {
  return {
    server: String(row["server"]),
    connection: String(row["connection"]),
    actor: String(row["actor"]),
    issuer: String(row["issuer"]),
    sealed: row["sealed"] instanceof Uint8Array ? row["sealed"] : new Uint8Array(),
    version: Number(row["version"]),
    savedAt: Number(row["saved_at"]),
    isRefused: row["refused"] === 1,
  };
}
