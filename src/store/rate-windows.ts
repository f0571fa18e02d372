export interface RateRequest {
  readonly bucket: string;
  readonly actor: string;
  readonly limit: number;
  readonly windowMs: number;
  /**
   * Wall-clock time, because all processes share it. When it is set back, earlier calls count from the new time on, so
   * that no actor gains calls.
   */
  readonly now: number;
}

export type Taken =
  | { readonly kind: "taken"; readonly remaining: number; readonly ticket: RateTicket }
  | { readonly kind: "refused"; readonly retryAfterMs: number };

/** What `take` would return now. */
export type Outlook =
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
 * Allows at most `limit` calls in any `windowMs`. A call may count up to a tenth of the window too long. A count
 * survives the end of a process at once, and a power loss after the next durable change of the store.
 */
export interface RateWindows {
  take(request: RateRequest): Promise<Taken>;
  /** Counts nothing. */
  peek(request: RateRequest): Promise<Outlook>;
  /** For a call that was denied or replayed after it was counted. */
  giveBack(ticket: RateTicket): Promise<void>;
}
