// Questions to a person, kept so that they outlive a process: what exactly is asked, and what became of it.
import type { AuditAct } from "../audit/entry.js";
import type { JsonObject } from "../model/json.js";
import { APPROVAL_ID_BYTES, toApprovalId } from "../policy/confirmation.js";
import type { Approval, Approvals, ApprovalState, ApprovalSubject } from "../store/approvals.js";
import type { Seals } from "./seals.js";

/** What a person is shown: exactly what would run. */
export interface ShownCall {
  readonly risk: string;
  readonly riskOrigin: string;
  readonly arguments: JsonObject;
}

export interface Confirmation extends Omit<Approval, "shown"> {
  /** Undefined when it was sealed with another key than this machine's. */
  readonly call: ShownCall | undefined;
}

export interface Confirmations {
  /** The question about this very call, open or answered. */
  lookup(subject: ApprovalSubject): Promise<Confirmation | undefined>;
  /** `selfService`: the caller may answer it. The same question asked again is the first one. */
  open(subject: ApprovalSubject, call: ShownCall, selfService: boolean): Promise<Confirmation>;
  /** Undefined when nothing of that id waits. */
  answer(id: string, verdict: "approved" | "denied", by: string): Promise<Confirmation | undefined>;
  /** True for exactly one caller, once. */
  redeem(id: string, subject: ApprovalSubject, from: "pending" | "approved"): Promise<boolean>;
  find(id: string): Promise<Confirmation | undefined>;
  /** Newest first; without a state, those that wait. */
  list(state?: ApprovalState): Promise<readonly Confirmation[]>;
}

export interface ConfirmationParts {
  readonly approvals: Approvals;
  readonly seals: () => Promise<Seals>;
  readonly ttlMs: number;
  readonly now: () => number;
  readonly randomBytes: (count: number) => Uint8Array;
  /** A person's word is on record before it counts. */
  readonly note: (act: AuditAct) => Promise<void>;
}

export function createConfirmations(parts: ConfirmationParts): Confirmations {
  const { approvals, ttlMs, now } = parts;
  const toShown = async (approval: Approval): Promise<Confirmation> => {
    const { shown, ...rest } = approval;
    return { ...rest, call: parseCall((await parts.seals()).unseal(Buffer.from(shown, "base64"))) };
  };
  return {
    async lookup(subject) {
      const found = await approvals.lookup(subject, now());
      return found && (await toShown(found));
    },
    async open(subject, call, selfService) {
      const id = toApprovalId(parts.randomBytes(APPROVAL_ID_BYTES));
      const sealed = (await parts.seals()).seal(JSON.stringify(call));
      const shown = Buffer.from(sealed).toString("base64");
      return await toShown(await approvals.ask({ ...subject, id, shown, selfService, now: now(), ttlMs }));
    },
    async answer(id, verdict, by) {
      const waiting = await approvals.find(id, now());
      if (waiting?.state !== "pending") return undefined;
      const action = verdict === "approved" ? "approve" : "deny";
      await parts.note({ action, subject: id, by, tool_id: waiting.tool });
      const decided = await approvals.decide(id, { kind: verdict, by, now: now(), ttlMs });
      // Somebody else was faster, and what counts is their word.
      if (decided === undefined)
        await parts.note({ action: `${action}_too_late`, subject: id, by, tool_id: waiting.tool });
      return decided && (await toShown(decided));
    },
    redeem: async (id, subject, from) => (await approvals.redeem(id, subject, from, now())) !== undefined,
    async find(id) {
      const found = await approvals.find(id, now());
      return found && (await toShown(found));
    },
    list: async (state) => await Promise.all((await approvals.list(now(), state)).map(toShown)),
  };
}

function parseCall(text: string | undefined): ShownCall | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as ShownCall);
}
