import type { Approval, Approvals, ApprovalState, ApprovalSubject } from "../approvals.js";
import type { Database, SqlRow } from "./driver.js";
import type { StoreTable } from "./operations.js";

/** How long an expired approval stays in the table before it is deleted. */
const RETENTION_MS = 24 * 60 * 60 * 1000;
const MAX_LISTED = 1000;
/**
 * The maximum number of approvals per actor in each of the states `pending` and `redeemed`, which a caller can create
 * without a user.
 */
const MAX_PER_ACTOR = 100;

/** SQL for the current state of an approval; `toApproval` has the same rule. */
const STATE = `
  CASE WHEN state = 'redeemed'
    OR abs(:now - coalesce(decided_at, asked_at)) < expires_at - coalesce(decided_at, asked_at)
  THEN state ELSE 'expired' END`;
const SUBJECT = "actor = :actor AND tool = :tool AND binding = :binding";

export function createApprovalTable(database: Database): StoreTable<Approvals> {
  const newestFirst = database.prepare(`
    SELECT * FROM approvals WHERE ${SUBJECT} AND expires_at > :now ORDER BY rowid DESC`);
  const byId = database.prepare("SELECT * FROM approvals WHERE id = :id");
  const insert = database.prepare(`
    INSERT INTO approvals (id, actor, tool, binding, state, shown, self_service, asked_at, expires_at)
    VALUES (:id, :actor, :tool, :binding, 'pending', :shown, :selfService, :now, :expiresAt) RETURNING *`);
  const disableSelfService = database.prepare("UPDATE approvals SET self_service = 0 WHERE id = :id RETURNING *");
  const decide = database.prepare(`
    UPDATE approvals SET state = :kind, decided_by = :by, decided_at = :now, expires_at = :expiresAt
    WHERE id = :id RETURNING *`);
  const redeem = database.prepare("UPDATE approvals SET state = 'redeemed' WHERE id = :id RETURNING *");
  const list = database.prepare(`
    SELECT * FROM approvals WHERE ${STATE} = :state ORDER BY asked_at DESC, id LIMIT ${MAX_LISTED}`);
  const sweep = database.prepare("DELETE FROM approvals WHERE expires_at <= :before");
  const makeRoom = database.prepare(`
    DELETE FROM approvals WHERE rowid IN (
      SELECT rowid FROM approvals WHERE actor = :actor AND state = :state
      ORDER BY rowid DESC LIMIT -1 OFFSET ${MAX_PER_ACTOR - 1})`);

  const find = (id: string, now: number): Approval | undefined => {
    const row = byId.get({ id });
    return row && toApproval(row, now);
  };

  /** Returns the approved approval of the subject, otherwise the newest one in one of `states`. */
  const pick = (subject: ApprovalSubject, now: number, states: readonly ApprovalState[]): Approval | undefined => {
    const approvals = newestFirst.all({ ...toSubject(subject), now }).map((row) => toApproval(row, now));
    const matching = approvals.filter(({ state }) => states.includes(state));
    return matching.find(({ state }) => state === "approved") ?? matching[0];
  };

  return {
    ask({ id, shown, selfService, now, ttlMs, ...subject }) {
      sweep.run({ before: now - RETENTION_MS });
      const open = pick(subject, now, ["approved", "pending"]);
      if (open !== undefined && (selfService || !open.selfService)) return open;
      if (open === undefined)
        for (const state of ["pending", "redeemed"]) makeRoom.run({ actor: subject.actor, state });
      const row =
        open === undefined
          ? insert.get({
              ...toSubject(subject),
              id,
              shown,
              selfService: selfService ? 1 : 0,
              now,
              expiresAt: now + ttlMs,
            })
          : disableSelfService.get({ id: open.id });
      return toApproval(row ?? {}, now);
    },
    decide(id, { kind, by, now, ttlMs }) {
      if (find(id, now)?.state !== "pending") return undefined;
      const row = decide.get({ id, kind, by, now, expiresAt: now + ttlMs });
      return row && toApproval(row, now);
    },
    redeem(id, subject, from, now) {
      const approval = find(id, now);
      if (approval?.state !== from || !hasSubject(approval, subject)) return undefined;
      if (from === "pending" && !approval.selfService) return undefined;
      const row = redeem.get({ id });
      return row && toApproval(row, now);
    },
    lookup: (subject, now) => pick(subject, now, ["approved", "pending", "denied"]),
    findRedeemed(subject, now) {
      const rows = newestFirst.all({ ...toSubject(subject), now }).map((row) => toApproval(row, now));
      return rows.find(({ state }) => state === "redeemed");
    },
    find,
    list(now, state = "pending") {
      return list.all({ now, state }).map((row) => toApproval(row, now));
    },
  };
}

function toSubject({ actor, tool, binding }: ApprovalSubject): Record<keyof ApprovalSubject, string> {
  return { actor, tool, binding };
}

function hasSubject(approval: Approval, { actor, tool, binding }: ApprovalSubject): boolean {
  return approval.actor === actor && approval.tool === tool && approval.binding === binding;
}

function toApproval(row: SqlRow, now: number): Approval {
  const askedAt = Number(row["asked_at"]);
  const expiresAt = Number(row["expires_at"]);
  const { decided_by: decidedBy, decided_at: decidedAt } = row;
  const since = typeof decidedAt === "number" ? decidedAt : askedAt;
  const stored = row["state"] as ApprovalState;
  const isValid = stored === "redeemed" || Math.abs(now - since) < expiresAt - since;
  return {
    id: String(row["id"]),
    actor: String(row["actor"]),
    tool: String(row["tool"]),
    binding: String(row["binding"]),
    state: isValid ? stored : "expired",
    shown: String(row["shown"]),
    selfService: row["self_service"] === 1,
    askedAt,
    expiresAt,
    ...(typeof decidedBy === "string" ? { decidedBy } : {}),
    ...(typeof decidedAt === "number" ? { decidedAt } : {}),
  };
}
