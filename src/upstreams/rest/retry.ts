// Decides whether and when a failed request is retried. A request that may have changed data is not repeated.
import type { RestOperation } from "../../model/operation.js";
import type { DiscoveryError } from "../../errors.js";
import { isSafe } from "../../util/net/safe-method.js";

const MAX_RETRIES = 2;
/**
 * Longest wait before a retry. If the API requests a longer delay, the gateway reports the delay to the caller instead.
 */
const MAX_RETRY_WAIT_MS = 10_000;
const FIRST_PAUSE_MS = 100;
/** The fraction of a retry that each call adds to the budget. */
const SHARE = 0.1;
/** The number of retries that a new server may use before its calls have earned any. */
const INITIAL_RETRIES = 2;
const MAX_SAVED = 10;

/** Temporary network failures. Wrong addresses and certificates are not among them. */
const TEMPORARY_ERRORS = new Set([
  "ECONNRESET",
  "ECONNREFUSED",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);

/** Limits retries to a tenth of all calls, so that an overloaded API does not receive much more traffic. */
export interface RetryBudget {
  /**
   * Counts a call, which adds a tenth of a retry to the budget. The first 20 calls add nothing, because the initial
   * retries were granted in advance for them.
   */
  called(): void;
  /** Takes one retry from the budget. Returns false if there is none. */
  take(): boolean;
}

export function createRetryBudget(): RetryBudget {
  let left = INITIAL_RETRIES;
  let owed = INITIAL_RETRIES / SHARE;
  return {
    called() {
      if (owed > 0) owed -= 1;
      else left = Math.min(MAX_SAVED, left + SHARE);
    },
    take() {
      // Compares with a tolerance because sums of 0.1 are not exact.
      if (left < 1 - 1e-9) return false;
      left -= 1;
      return true;
    },
  };
}

export type RetryOutcome =
  | { readonly kind: "failed"; readonly error: DiscoveryError }
  | { readonly kind: "answered"; readonly status: number; readonly retryAfterMs?: number | undefined };

export interface RetryState {
  readonly attempt: number;
  readonly mayRepeat: boolean;
  readonly isSafe: boolean;
  readonly leftMs: number;
  readonly random: () => number;
}

/** The delay before the next attempt. Undefined if the request must not be sent again. */
export function retryDelayMs(outcome: RetryOutcome, state: RetryState): number | undefined {
  if (!state.mayRepeat || state.attempt >= MAX_RETRIES) return undefined;
  const delay = wantedDelayMs(outcome, state);
  return delay !== undefined && delay <= MAX_RETRY_WAIT_MS && delay < state.leftMs ? delay : undefined;
}

function wantedDelayMs(outcome: RetryOutcome, state: RetryState): number | undefined {
  const pause = FIRST_PAUSE_MS * 2 ** state.attempt * (0.5 + state.random() / 2);
  if (outcome.kind === "failed") return TEMPORARY_ERRORS.has(String(outcome.error.facts["error"])) ? pause : undefined;
  const { status, retryAfterMs } = outcome;
  if (status === 429 || status === 503) return retryAfterMs;
  return (status === 502 || status === 504) && state.isSafe ? (retryAfterMs ?? pause) : undefined;
}

/**
 * Whether the request may be sent again, because executing the operation twice has the same effect as executing it
 * once.
 */
export function mayRepeat(operation: RestOperation, hasKey: boolean): boolean {
  const { method, idempotent } = operation;
  // An explicit `idempotent: false` overrides the HTTP method. Then only an idempotency key lets the API detect a
  // repetition.
  if (idempotent === false) return hasKey;
  return hasKey || isSafe(method) || ((method === "PUT" || method === "DELETE") && idempotent === true);
}

/**
 * Parses the Retry-After header, which contains seconds or a date, into milliseconds. Returns undefined for anything
 * else.
 */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? "";
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const date = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
