import { DiscoveryError } from "../../errors.js";
import type { Confirmation, Confirmations } from "../../executor/confirmations.js";
import { count } from "./lines.js";
import { describeSpan } from "./time-words.js";

const STATES = ["pending", "approved", "denied", "redeemed", "expired"] as const;
const SHORTEST = 8;

/** Newest first, whatever became of them. */
export async function allConfirmations(confirmations: Confirmations): Promise<Confirmation[]> {
  const lists = await Promise.all(STATES.map((state) => confirmations.list(state)));
  return lists.flat().sort((one, other) => other.askedAt - one.askedAt);
}

/** By its id, or by a beginning that no other has. Throws when it is not one that waits for an answer. */
export async function findWaiting(id: string, confirmations: Confirmations, now: number): Promise<Confirmation> {
  const found = (await confirmations.find(id)) ?? (await findShortened(id, confirmations));
  if (found.state === "pending") return found;
  throw answered(found, now);
}

async function findShortened(beginning: string, confirmations: Confirmations): Promise<Confirmation> {
  const all = beginning.length < SHORTEST ? [] : await allConfirmations(confirmations);
  const fitting = all.filter(({ id }) => id.startsWith(beginning));
  const [first] = fitting;
  if (first === undefined) throw unknown(beginning);
  if (fitting.length === 1) return first;
  throw new DiscoveryError("INVALID_REQUEST", `${count(fitting.length, "approval")} begin with ${beginning}.`, {
    hint: "Type more of the id.",
    facts: { ids: fitting.map(({ id }) => id) },
  });
}

function unknown(id: string): DiscoveryError {
  const isShort = id.length < SHORTEST;
  return new DiscoveryError("INVALID_REQUEST", `No approval has the id ${JSON.stringify(id)}.`, {
    hint: isShort
      ? `Type at least ${SHORTEST} characters of the id; \`anygpt mcp approvals\` lists those that wait.`
      : "`anygpt mcp approvals` lists those that wait; one is forgotten a day after it has expired. If the gateway runs with another configuration, name it with --config.",
  });
}

/** Why nothing of it can be answered any more. */
export function answered({ id, state, tool, expiresAt, decidedBy }: Confirmation, now: number): DiscoveryError {
  const facts = { approval_id: id, state };
  if (state === "expired") {
    return new DiscoveryError("CONFIRMATION_REQUIRED", `${id} expired ${describeSpan(now - expiresAt)} ago.`, {
      hint: `Have the call of ${tool} made again: that asks anew.`,
      facts,
    });
  }
  const by = decidedBy === undefined ? "" : ` by ${decidedBy}`;
  const words = { approved: `was approved${by} already`, denied: `was denied${by} already` };
  const what = state === "approved" || state === "denied" ? words[state] : "was used for its one call";
  const hints = {
    approved: "The caller has to repeat the same call unchanged; it can do so once.",
    denied: "The caller is told so. Once that has expired, the same call asks anew.",
  };
  const hint = state === "approved" || state === "denied" ? hints[state] : "The next such call asks anew.";
  return new DiscoveryError("INVALID_REQUEST", `${id} ${what}.`, { hint, facts });
}
