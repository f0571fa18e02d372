// What became of one try comes in; whether and when there is another goes out. What may have changed anything is not repeated.
import type { RestOperation } from "../../model/operation.js";
import type { DiscoveryError } from "../../errors.js";
import { isSafe } from "../../util/net/safe-method.js";

export const MOST_RETRIES = 2;
/** A longer wait is for the caller to decide. */
export const LONGEST_WAIT_MS = 10_000;
const FIRST_PAUSE_MS = 100;
const SHARE = 0.1;
/** So many retries are lent to a server that was hardly asked yet, and saved at most. */
const LENT = 2;
const MOST_SAVED = 10;

/** Failures that pass: of the way to the API, not of its address or its certificate. */
const PASSING = new Set([
  "ECONNRESET",
  "ECONNREFUSED",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);

/** Keeps retries below a tenth of all traffic: an API in trouble is not asked much more than one that is well. */
export interface RetryBudget {
  called(): void;
  /** Takes one retry if there is any. */
  take(): boolean;
}

export function createRetryBudget(): RetryBudget {
  let left = LENT;
  let owed = LENT / SHARE;
  return {
    called() {
      if (owed > 0) owed -= 1;
      else left = Math.min(MOST_SAVED, left + SHARE);
    },
    take() {
      // Tenths do not add up to one exactly.
      if (left < 1 - 1e-9) return false;
      left -= 1;
      return true;
    },
  };
}

export type Outcome =
  | { readonly kind: "failed"; readonly error: DiscoveryError }
  | { readonly kind: "answered"; readonly status: number; readonly retryAfterMs?: number | undefined };

export interface RetryState {
  readonly attempt: number;
  readonly mayRepeat: boolean;
  readonly isSafe: boolean;
  readonly leftMs: number;
  readonly random: () => number;
}

/** How long to wait before the next try; undefined for no other try. */
export function retryDelayMs(outcome: Outcome, state: RetryState): number | undefined {
  if (!state.mayRepeat || state.attempt >= MOST_RETRIES) return undefined;
  const delay = wantedDelayMs(outcome, state);
  return delay !== undefined && delay <= LONGEST_WAIT_MS && delay < state.leftMs ? delay : undefined;
}

function wantedDelayMs(outcome: Outcome, state: RetryState): number | undefined {
  const pause = FIRST_PAUSE_MS * 2 ** state.attempt * (0.5 + state.random() / 2);
  if (outcome.kind === "failed") return PASSING.has(String(outcome.error.facts["error"])) ? pause : undefined;
  const { status, retryAfterMs } = outcome;
  if (status === 429 || status === 503) return retryAfterMs;
  return (status === 502 || status === 504) && state.isSafe ? (retryAfterMs ?? pause) : undefined;
}

/** Whether doing it twice is the same as doing it once. */
export function mayRepeat(operation: RestOperation, hasKey: boolean): boolean {
  const { method, idempotent } = operation;
  // Whoever says so knows it better than HTTP does; only the API itself can then tell a repetition, by its key.
  if (idempotent === false) return hasKey;
  return hasKey || isSafe(method) || ((method === "PUT" || method === "DELETE") && idempotent === true);
}

/** Seconds or a date; undefined when it says neither. */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? "";
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const date = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
