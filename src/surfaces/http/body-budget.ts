// Limits how much time the gateway spends on parsing and checking the bodies of one caller. The work happens before any
// rate limit of the policy, and a body with many keys takes up to 50 times as long as text of the same size.
import { countShape } from "../../util/json/measure.js";
import { httpRefusal } from "./refusal.js";

/** Smaller bodies are not counted: they take less time than the rest of the request. */
const MIN_BYTES = 1024;
/** The measured time of parsing, checking and hashing, in milliseconds. */
const MS_PER_BYTE = 3 / (1024 * 1024);
const MS_PER_VALUE = 0.0015;
/** A caller may use a quarter of the time of the main thread, and a second of it at once. */
const BURST_MS = 1000;
const SHARE = 0.25;
/** Callers that have not used their burst are forgotten above this number. */
const MAX_CALLERS = 10_000;

export interface BodyBudget {
  /** Counts a body before it is parsed. Throws 429 if the caller has used up its budget. */
  spend(actorId: string, bytes: Uint8Array): void;
}

interface Balance {
  ms: number;
  at: number;
}

export function createBodyBudget({ elapsed }: { readonly elapsed: () => number }): BodyBudget {
  const balances = new Map<string, Balance>();

  function balanceOf(actorId: string): Balance {
    const now = elapsed();
    const known = balances.get(actorId) ?? { ms: BURST_MS, at: now };
    known.ms = Math.min(BURST_MS, known.ms + (now - known.at) * SHARE);
    known.at = now;
    // Reinsert the balance, so that the map is sorted by the time of the last use, oldest first.
    balances.delete(actorId);
    balances.set(actorId, known);
    for (const oldest of balances.keys()) {
      if (balances.size <= MAX_CALLERS) break;
      balances.delete(oldest);
    }
    return known;
  }

  return {
    spend(actorId, bytes) {
      if (bytes.length < MIN_BYTES) return;
      const balance = balanceOf(actorId);
      if (balance.ms <= 0) {
        const seconds = Math.max(1, Math.ceil((1 - balance.ms) / SHARE / 1000));
        throw httpRefusal(429, TOO_MUCH, { headers: { "retry-after": String(seconds) } });
      }
      balance.ms -= bytes.length * MS_PER_BYTE + countShape(bytes) * MS_PER_VALUE;
    },
  };
}

const TOO_MUCH = [
  "The request bodies of this caller take too much time.",
  "Send smaller arguments, or fewer requests at a time.",
] as const;
