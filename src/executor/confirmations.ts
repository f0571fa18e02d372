// Confirmation requests to users and their answers. They are stored on disk, so that they survive a restart.
import type { AuditAct } from "../audit/entry.js";
import type { JsonObject } from "../model/json.js";
import { APPROVAL_ID_BYTES, toApprovalId } from "../policy/confirmation.js";
import type { Approval, Approvals, ApprovalState, ApprovalSubject } from "../store/approvals.js";
import type { Encryption } from "./encryption.js";

/** The part of a call that the user sees in a confirmation request. It is exactly what would run. */
export interface ShownCall {
  readonly risk: string;
  readonly riskOrigin: string;
  readonly arguments: JsonObject;
  /** The members of the caller's `_meta` that would be sent; undefined if there are none. */
  readonly meta?: JsonObject | undefined;
  /** What the gateway says about this call, as one sentence. */
  readonly notice?: string | undefined;
}

export interface Confirmation extends Omit<Approval, "shown"> {
  /** The call to confirm. Undefined if it was encrypted with an encryption key that this machine does not have. */
  readonly call: ShownCall | undefined;
}

export interface Confirmations {
  /** Returns the confirmation request for exactly this call, pending or answered. */
  lookup(subject: ApprovalSubject): Promise<Confirmation | undefined>;
  /** Whether exactly this call has run after a confirmation, so recently that the confirmation would still be valid. */
  hasRun(subject: ApprovalSubject): Promise<boolean>;
  /**
   * Creates a confirmation request, or returns the pending one for the same call. `selfService`: the caller itself may
   * confirm.
   */
  open(subject: ApprovalSubject, call: ShownCall, selfService: boolean): Promise<Confirmation>;
  /** Answers a pending confirmation request. Returns undefined if no pending request has this id. */
  answer(id: string, verdict: "approved" | "denied", by: string): Promise<Confirmation | undefined>;
  /** Uses up an approval, which is valid for one call. Returns true only the first time. */
  redeem(id: string, subject: ApprovalSubject, from: "pending" | "approved"): Promise<boolean>;
  find(id: string): Promise<Confirmation | undefined>;
  /** Returns the confirmation requests in this state (default: pending), newest first. */
  list(state?: ApprovalState): Promise<readonly Confirmation[]>;
}

export interface ConfirmationParts {
  readonly approvals: Approvals;
  readonly encryption: () => Promise<Encryption>;
  readonly ttlMs: number;
  readonly now: () => number;
  readonly randomBytes: (count: number) => Uint8Array;
  /** Writes an answer to the audit log. This must succeed before the answer takes effect. */
  readonly note: (act: AuditAct) => Promise<void>;
}

export function createConfirmations(parts: ConfirmationParts): Confirmations {
  const { approvals, ttlMs, now } = parts;
  const toConfirmation = async (approval: Approval): Promise<Confirmation> => {
    const { shown, ...rest } = approval;
    return { ...rest, call: parseCall((await parts.encryption()).decrypt(Buffer.from(shown, "base64"))) };
  };
  return {
    async lookup(subject) {
      const found = await approvals.lookup(subject, now());
      return found && (await toConfirmation(found));
    },
    hasRun: async (subject) => (await approvals.findRedeemed(subject, now())) !== undefined,
    async open(subject, call, selfService) {
      const id = toApprovalId(parts.randomBytes(APPROVAL_ID_BYTES));
      const encrypted = (await parts.encryption()).encrypt(JSON.stringify(call));
      const shown = Buffer.from(encrypted).toString("base64");
      return await toConfirmation(await approvals.ask({ ...subject, id, shown, selfService, now: now(), ttlMs }));
    },
    async answer(id, verdict, by) {
      const waiting = await approvals.find(id, now());
      if (waiting?.state !== "pending") return undefined;
      const action = verdict === "approved" ? "approve" : "deny";
      await parts.note({ action, subject: id, by, tool_id: waiting.tool });
      const decided = await approvals.decide(id, { kind: verdict, by, now: now(), ttlMs });
      // Undefined if another answer was recorded first: the first one counts.
      if (decided === undefined)
        await parts.note({ action: `${action}_too_late`, subject: id, by, tool_id: waiting.tool });
      return decided && (await toConfirmation(decided));
    },
    redeem: async (id, subject, from) => (await approvals.redeem(id, subject, from, now())) !== undefined,
    async find(id) {
      const found = await approvals.find(id, now());
      return found && (await toConfirmation(found));
    },
    list: async (state) => await Promise.all((await approvals.list(now(), state)).map(toConfirmation)),
  };
}

function parseCall(text: string | undefined): ShownCall | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as ShownCall);
}
