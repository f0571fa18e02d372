export interface RateRequest {
  readonly bucket: string;
  readonly actor: string;
  readonly limit: number;
  readonly windowMs: number;
  /**
   * Wall-clock time, because all processes share it. When the clock is set back, earlier calls count as if they were made
   * at the new time, so that no actor gains calls.
   */
  readonly now: number;
}

export type TakeResult =
  | { readonly kind: "taken"; readonly remaining: number; readonly ticket: RateTicket }
  | { readonly kind: "refused"; readonly retryAfterMs: number };

/** What `take` would return now, without a ticket. */
export type PeekResult =
  | { readonly kind: "free"; readonly remaining: number }
  | { readonly kind: "refused"; readonly retryAfterMs: number };

/** Proof of one counted call, needed to give it back. */
export interface RateTicket {
  readonly bucket: string;
  readonly actor: string;
  readonly windowMs: number;
  readonly slot: number;
}

/**
 * Allows at most `limit` calls in any `windowMs`. A call may count for up to 10 % longer than the window. A count
 * survives the end of a process at once, and a power loss after the next durable change of the store.
 */
export interface RateWindows {
  take(request: RateRequest): Promise<TakeResult>;
  /** Does not count a call. */
  peek(request: RateRequest): Promise<PeekResult>;
  /** For a call that was denied or replayed after it was counted. */
  giveBack(ticket: RateTicket): Promise<void>;
}
