export interface RateRequest {
  readonly bucket: string;
  readonly actor: string;
  readonly limit: number;
  readonly windowMs: number;
  /**
   * The current wall-clock time, which all processes share. If the clock is set back, earlier calls count as if they
   * were made at the new time, so that no actor gains extra calls.
   */
  readonly now: number;
}

export type TakeResult =
  | { readonly kind: "taken"; readonly remaining: number; readonly ticket: RateTicket }
  | { readonly kind: "refused"; readonly retryAfterMs: number };

/** The result that `take` would have now, but without a ticket. */
export type PeekResult =
  | { readonly kind: "free"; readonly remaining: number }
  | { readonly kind: "refused"; readonly retryAfterMs: number };

/** Proof of one counted call, needed to remove it from the count. */
export interface RateTicket {
  readonly bucket: string;
  readonly actor: string;
  readonly windowMs: number;
  readonly slot: number;
}

/**
 * Allows at most `limit` calls in any period of `windowMs`. A call may count for up to 10 % longer than that. A counted
 * call survives the end of the process immediately, but a power loss only after the next durable change of the store.
 */
export interface RateWindows {
  take(request: RateRequest): Promise<TakeResult>;
  /** Returns whether a call would be allowed, without counting one. */
  peek(request: RateRequest): Promise<PeekResult>;
  /** Removes a call from the count, because it was denied or replayed after it was counted. */
  giveBack(ticket: RateTicket): Promise<void>;
}
