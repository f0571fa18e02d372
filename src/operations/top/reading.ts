/** The numbers that `top` shows at one time. */
export interface TopReading {
  readonly at: number;
  /** The origin of the numbers, for display: the URL of a gateway, or the audit log. */
  readonly origin: string;
  /** The period that the sums cover, for display, such as `up 12 min`. */
  readonly covers: string;
  readonly servers: readonly ServerReading[];
  readonly total: Numbers;
  /** Set only if the reading comes from the metrics of a running gateway. */
  readonly gateway?: GatewayNumbers;
}

export interface Numbers {
  readonly calls: number;
  readonly errors: number;
  readonly perSecond: number;
  /** The median duration of calls in milliseconds. Undefined if there were no calls. */
  readonly p50Ms: number | undefined;
  readonly p95Ms: number | undefined;
}

export interface ServerReading extends Numbers {
  readonly name: string;
  /**
   * The state of the connection. This and the next three members are set only if the reading comes from the metrics of
   * a gateway.
   */
  readonly state?: string;
  readonly tools?: number;
  readonly inFlight?: number;
  readonly waiting?: number;
  /** The end of the last call, in Unix milliseconds. Set only if the reading comes from the audit log. */
  readonly lastAt?: number;
}

export interface GatewayNumbers {
  readonly inFlight: number;
  readonly searches: number;
  /** `answers`: tokens of all search results. `listings`: tokens of the complete tool lists that they replaced. */
  readonly tokens: { readonly answers: number; readonly listings: number };
}

export interface ReadingSource {
  read(signal: AbortSignal): Promise<TopReading>;
  close(): Promise<void>;
}

/** The period over which calls per second are computed. */
export const RATE_MS = 10_000;
