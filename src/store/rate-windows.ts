export interface RateRequest {
  readonly bucket: string;
  readonly actor: string;
  readonly limit: number;
  readonly windowMs: number;
  /** A clock that all processes share. When it is set back, nobody gains: what was taken counts from the new time on. */
  readonly now: number;
}

export type Taken =
  | { readonly kind: "taken"; readonly remaining: number; readonly ticket: RateTicket }
  | { readonly kind: "refused"; readonly retryAfterMs: number };

/** What a take would give now. */
export type Outlook =
  | { readonly kind: "free"; readonly remaining: number }
  | { readonly kind: "refused"; readonly retryAfterMs: number };

/** Proof of one take, to give it back. */
export interface RateTicket {
  readonly bucket: string;
  readonly actor: string;
  readonly windowMs: number;
  readonly slot: number;
}

/**
 * Never more than `limit` takes in any `windowMs`; a take counts at most a tenth of the window longer than it must.
 * Survives the end of a process at once, and a power failure together with the next durable change of the store.
 */
export interface RateWindows {
  take(request: RateRequest): Promise<Taken>;
  /** Takes nothing. */
  peek(request: RateRequest): Promise<Outlook>;
  /** For a call that was then denied or replayed. */
  giveBack(ticket: RateTicket): Promise<void>;
}
