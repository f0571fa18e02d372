// Lists idempotency keys, and records the user's decision on calls whose outcome is unknown.
import { DiscoveryError } from "../../errors.js";
import type { Stages } from "../../gateway/stages.js";
import type { KeyRecord, KeyState } from "../../store/key-records.js";
import { userName } from "./user-name.js";

type IdempotencyKeys = Stages["idempotency"];

/** Whether a call of unknown outcome ran. */
export type CallVerdict = "committed" | "not_committed";

export const KEY_STATE_WORDS: Readonly<Record<KeyState, string>> = {
  reserved: "is about to be sent",
  dispatched: "is running",
  completed: "has been answered",
  failed: "ended with an error of the tool",
  unknown: "was sent, and its outcome is unknown",
};

/** Lists idempotency keys with their calls. Calls of unknown outcome come first. */
export async function listKeyRecords(
  { state, key }: { readonly state?: KeyState | undefined; readonly key?: string | undefined },
  idempotency: IdempotencyKeys,
): Promise<KeyRecord[]> {
  const found = await idempotency.list({
    ...(state === undefined ? {} : { state }),
    ...(key === undefined ? {} : { key }),
  });
  const isUnknown = (one: KeyRecord): boolean => one.state === "unknown";
  return [...found.filter(isUnknown), ...found.filter((one) => !isUnknown(one))];
}

/** Records whether a call of unknown outcome ran. `word`: the number or the idempotency key of the call. */
export async function resolveUnknownCall(
  word: string,
  verdict: CallVerdict,
  idempotency: IdempotencyKeys,
): Promise<KeyRecord> {
  const unknown = await findUnknown(word, idempotency);
  if ((await idempotency.resolve(unknown.id, verdict, userName())) === undefined) throw notUnknown(unknown);
  return unknown;
}

/** Finds a call by its number, or else by its idempotency key. Throws if the outcome of the call is known. */
async function findUnknown(word: string, idempotency: IdempotencyKeys): Promise<KeyRecord> {
  const lists = [await idempotency.list({ state: "unknown" }), await idempotency.list({})];
  const numbered = lists.flat().find(({ id }) => String(id) === word);
  if (numbered?.state === "unknown") return numbered;
  if (numbered !== undefined) throw notUnknown(numbered);
  const named = await idempotency.list({ key: word });
  const unknown = named.filter(({ state }) => state === "unknown");
  const [first] = unknown;
  if (first !== undefined && unknown.length === 1) return first;
  if (first !== undefined) {
    const numbers = unknown.map(({ id, scope }) => `${id} (${scope.tool})`).join(", ");
    throw new DiscoveryError(
      "INVALID_REQUEST",
      `The idempotency key "${word}" belongs to ${unknown.length} calls of unknown outcome: ${numbers}.`,
      {
        hint: "Pass the number of one of these calls.",
        facts: { ids: unknown.map(({ id }) => id) },
      },
    );
  }
  const [known] = named;
  if (known !== undefined) throw notUnknown(known);
  throw new DiscoveryError("INVALID_REQUEST", `No call has the number or idempotency key "${word}".`, {
    hint: [
      { action: "run-command", command: "anygpt mcp idempotency list", purpose: "see all idempotency keys" },
      "The gateway deletes idempotency keys when they expire.",
    ],
  });
}

function notUnknown({ id, scope, state }: KeyRecord): DiscoveryError {
  const what = `The call ${id} of ${scope.tool}`;
  const message =
    state === "unknown" ? `${what} was already resolved by another user.` : `${what} ${KEY_STATE_WORDS[state]}.`;
  return new DiscoveryError("INVALID_REQUEST", message, {
    hint: "No action is needed. Only calls whose outcome is unknown can be resolved.",
    facts: { id, state },
  });
}
