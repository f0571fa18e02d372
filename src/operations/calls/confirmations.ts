import { DiscoveryError } from "../../errors.js";
import type { Confirmation, Confirmations } from "../../executor/confirmations.js";
import type { Stages } from "../../gateway/stages.js";
import type { NextStep } from "../../model/next-steps.js";
import { describeSpan } from "../../util/time-words.js";
import { userName } from "./user-name.js";

const STATES = ["pending", "approved", "denied", "redeemed", "expired"] as const;
const MIN_PREFIX_LENGTH = 8;

/** All approval requests, newest first. */
export async function allConfirmations(confirmations: Confirmations): Promise<Confirmation[]> {
  const lists = await Promise.all(STATES.map((state) => confirmations.list(state)));
  return lists.flat().sort((one, other) => other.askedAt - one.askedAt);
}

/** Finds an approval request by its id or by a unique prefix of its id. Throws if the request is not pending. */
export async function findWaiting(id: string, confirmations: Confirmations, now: number): Promise<Confirmation> {
  const found = (await confirmations.find(id)) ?? (await findByPrefix(id, confirmations));
  if (found.state === "pending") return found;
  throw answered(found, now);
}

async function findByPrefix(prefix: string, confirmations: Confirmations): Promise<Confirmation> {
  const all = prefix.length < MIN_PREFIX_LENGTH ? [] : await allConfirmations(confirmations);
  const matching = all.filter(({ id }) => id.startsWith(prefix));
  const [first] = matching;
  if (first === undefined) throw unknownId(prefix);
  if (matching.length === 1) return first;
  throw new DiscoveryError("INVALID_REQUEST", `The ids of ${matching.length} approval requests start with ${prefix}.`, {
    hint: "Type more of the id.",
    facts: { ids: matching.map(({ id }) => id) },
  });
}

const LIST_PENDING: NextStep = {
  action: "run-command",
  command: "anygpt mcp approvals",
  purpose: "see all pending approval requests",
};

function unknownId(id: string): DiscoveryError {
  const isShort = id.length < MIN_PREFIX_LENGTH;
  return new DiscoveryError("INVALID_REQUEST", `No approval request has the id ${JSON.stringify(id)}.`, {
    hint: isShort
      ? [`Type at least ${MIN_PREFIX_LENGTH} characters of the id.`, LIST_PENDING]
      : [
          LIST_PENDING,
          "The gateway deletes an approval request one day after it has expired. If the gateway uses another configuration, name it with --config.",
        ],
  });
}

/** The error for an approval request that can no longer be answered. */
export function answered({ id, state, tool, expiresAt, decidedBy }: Confirmation, now: number): DiscoveryError {
  const facts = { approval_id: id, state };
  if (state === "expired") {
    return new DiscoveryError("CONFIRMATION_REQUIRED", `${id} expired ${describeSpan(now - expiresAt)} ago.`, {
      hint: `Repeat the call of ${tool}; the gateway then asks for approval again.`,
      facts,
    });
  }
  const by = decidedBy === undefined ? "" : ` by ${decidedBy}`;
  const words = { approved: `was already approved${by}`, denied: `was already denied${by}` };
  const what = state === "approved" || state === "denied" ? words[state] : "was already used for its call";
  const hints = {
    approved: "The caller must repeat the same call unchanged. The approval is valid for one call.",
    denied: "The gateway rejects the same call until the denial expires. Then it asks again.",
  };
  const hint =
    state === "approved" || state === "denied" ? hints[state] : "The gateway asks for approval again at the next call.";
  return new DiscoveryError("INVALID_REQUEST", `${id} ${what}.`, { hint, facts });
}

/**
 * Approves or denies the call. Throws INVALID_REQUEST or CONFIRMATION_REQUIRED if the request was answered or has
 * expired in the meantime.
 */
export async function answerConfirmation(
  id: string,
  verdict: "approved" | "denied",
  { confirmations, runtime }: Pick<Stages, "confirmations" | "runtime">,
): Promise<Confirmation> {
  const decided = await confirmations.answer(id, verdict, userName());
  if (decided !== undefined) return decided;
  const current = await confirmations.find(id);
  if (current !== undefined) throw answered(current, runtime.now());
  throw new DiscoveryError("INVALID_REQUEST", `The approval request ${id} no longer exists.`, {
    hint: LIST_PENDING,
  });
}
