/** What `top` shows at one moment. */
export interface TopReading {
  readonly at: number;
  /** Whose numbers they are, in words. */
  readonly origin: string;
  /** What time the sums cover, in words: `since 12 min`. */
  readonly covers: string;
  readonly servers: readonly ServerReading[];
  readonly total: Numbers;
  /** What is counted only where a gateway tells it. */
  readonly gateway?: GatewayNumbers;
}

export interface Numbers {
  readonly calls: number;
  readonly errors: number;
  readonly perSecond: number;
  /** Undefined while there was no call. */
  readonly p50Ms: number | undefined;
  readonly p95Ms: number | undefined;
}

export interface ServerReading extends Numbers {
  readonly name: string;
  /** Of a gateway: what its connection is like. */
  readonly state?: string;
  readonly tools?: number;
  readonly inFlight?: number;
  readonly waiting?: number;
  /** Of the record: when it was last called, Unix milliseconds. */
  readonly lastAt?: number;
}

export interface GatewayNumbers {
  readonly inFlight: number;
  readonly searches: number;
  /** Of all answers to searches, and of lists of all tools in their place. */
  readonly tokens: { readonly answers: number; readonly listings: number };
}

/** Where readings come from. */
export interface ReadingSource {
  read(signal: AbortSignal): Promise<TopReading>;
  close(): Promise<void>;
}

/** Calls per second are those of the last moments. */
export const RATE_MS = 10_000;
