// Counts what a server sends besides answers, and limits how many messages of a server the gateway processes that
// nobody asked for: a flood from one server must not slow down the calls to the others.

/** How many messages of each kind a server has sent that a correct server does not send. */
export interface MessageFaults {
  /** Lines on standard output that are not MCP messages. */
  readonly notJson: number;
  /** Responses to a request that the gateway did not send or that already has a response. */
  readonly strayAnswers: number;
  /** Notifications and requests above the limit, which the gateway ignored. */
  readonly dropped: number;
  /** Messages that were too large, nested too deep, or had too many values. */
  readonly refused: number;
  /** Messages that are not valid UTF-8. */
  readonly invalidUtf8: number;
}

export type MessageFault = keyof MessageFaults;

/**
 * The messages per second that a server may send without a request, and how many at once. 16 running calls with 60
 * progress notifications per second each stay below the limit.
 */
const MESSAGES_PER_SECOND = 1_000;
const MAX_BURST = 2_000;
/** A larger message counts as several. */
const BYTES_PER_MESSAGE = 4_096;
/**
 * While a server exceeds the limit, reading its messages takes at most a fifth of the time of the main thread: after
 * each turn, the gateway pauses for this multiple of the time that the turn took.
 */
const PAUSE_FACTOR = 4;
const MIN_PAUSE_MS = 1;
const MAX_PAUSE_MS = 250;
/** A turn that takes longer, because of large messages, is followed by a pause of the same length. */
const LONG_TURN_MS = 50;

export interface MessageMonitor {
  readonly faults: MessageFaults;
  count(kind: MessageFault): void;
  /** Counts a message that the server sent without a request. Returns false if the server exceeds the limit. */
  charge(bytes: number): boolean;
  /** Whether the server exceeds the limit. */
  isFlooding(): boolean;
  /** How long to pause before more is read from the server, after a turn that took `spentMs`. */
  pauseMs(spentMs: number): number;
}

export interface MessageMonitorParts {
  readonly server: string;
  /** A monotonic clock in milliseconds. */
  readonly elapsed: () => number;
  readonly log: (message: string) => void;
}

export const NO_FAULTS: MessageFaults = { notJson: 0, strayAnswers: 0, dropped: 0, refused: 0, invalidUtf8: 0 };

/** Only these are worth a line in the log: banners on standard output are common. */
const FIRST_TIME: Partial<Record<MessageFault, string>> = {
  dropped: `sends more than ${MESSAGES_PER_SECOND} notifications or requests per second; the gateway ignores those above the limit`,
  refused: "sent a message that is too large to process",
  invalidUtf8: "sent text that is not UTF-8; the invalid bytes are replaced by U+FFFD",
};

export function createMessageMonitor({ server, elapsed, log }: MessageMonitorParts): MessageMonitor {
  const faults: Record<MessageFault, number> = { ...NO_FAULTS };
  let left = MAX_BURST;
  let filledAt = elapsed();

  function refill(): void {
    const now = elapsed();
    left = Math.min(MAX_BURST, left + ((now - filledAt) / 1000) * MESSAGES_PER_SECOND);
    filledAt = now;
  }

  function isFlooding(): boolean {
    // The clock is read only near the limit, because this runs for every message.
    if (left < 1) refill();
    return left < 1;
  }

  return {
    faults,
    count(kind) {
      faults[kind] += 1;
      const text = FIRST_TIME[kind];
      if (faults[kind] === 1 && text !== undefined) log(`${server} ${text}.`);
    },
    charge(bytes) {
      if (isFlooding()) return false;
      left = Math.max(left - 1 - Math.floor(bytes / BYTES_PER_MESSAGE), -MAX_BURST);
      return true;
    },
    isFlooding,
    pauseMs(spentMs) {
      if (left < 1) return Math.min(Math.max(spentMs * PAUSE_FACTOR, MIN_PAUSE_MS), MAX_PAUSE_MS);
      return spentMs > LONG_TURN_MS ? Math.min(spentMs, MAX_PAUSE_MS) : 0;
    },
  };
}

/** Adds the counts of several connections to one server. */
export function sumFaults(all: readonly MessageFaults[]): MessageFaults {
  const sum: Record<MessageFault, number> = { ...NO_FAULTS };
  for (const faults of all) for (const kind of Object.keys(sum) as MessageFault[]) sum[kind] += faults[kind];
  return sum;
}
