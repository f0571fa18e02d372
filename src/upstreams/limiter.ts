import { DiscoveryError } from "../errors.js";
import type { UpstreamOptions } from "./options.js";
import type { Schedule } from "./schedule.js";

export interface LimiterParts {
  readonly server: string;
  /** Read on each use, because a configuration change may change the limits while the limiter is in use. */
  readonly options: Pick<UpstreamOptions, "concurrency" | "queue" | "queueWaitMs">;
  readonly schedule: Schedule;
  /** Whether several callers may use the server. Then one caller cannot take all slots. */
  readonly isShared: () => boolean;
}

export interface LimiterSlot {
  release(): void;
  /**
   * Frees the slot until the returned function is called. That function takes the slot back without waiting, so one
   * call more than `concurrency` may run afterwards.
   */
  lend(): () => void;
}

export interface Limiter {
  /**
   * Waits for a slot. The caller with the fewest slots comes first, and one caller cannot take all slots. If the queue is full, a waiting call of the caller
   * with the most waiting calls is rejected.
   */
  acquire(caller?: string, signal?: AbortSignal): Promise<LimiterSlot>;
  readonly waiting: number;
}

/**
 * Maximum number of temporarily freed slots per server. A call that waits for its client still uses resources of the
 * server.
 */
const MAX_LENT = 256;

/**
 * A caller with running calls gets another slot only while it holds fewer than three times the slots that would then be
 * free. Of 16 slots, a single caller gets 12, two callers get 7 and 6, and so on: callers that begin to call later find
 * a free slot, although nobody knows how many there will be.
 */
const SHARE = 3;

interface Waiting {
  readonly caller: string;
  readonly enter: () => void;
  readonly leave: (error: DiscoveryError) => void;
}

/** Limits the concurrent calls and the queue of one server, and shares both fairly between callers. */
export function createLimiter(parts: LimiterParts): Limiter {
  let running = 0;
  let lent = 0;
  const held = new Map<string, number>();
  /** The waiting calls in order of arrival. */
  const queued: Waiting[] = [];

  const count = (caller: string, by: 1 | -1): void => {
    running += by;
    const now = (held.get(caller) ?? 0) + by;
    if (now === 0) held.delete(caller);
    else held.set(caller, now);
  };

  function mayRun(caller: string): boolean {
    const free = parts.options.concurrency - running;
    const slots = held.get(caller) ?? 0;
    return free > 0 && (slots === 0 || !parts.isShared() || slots < SHARE * (free - 1));
  }

  function admit(): void {
    for (;;) {
      const index = findNext(queued, held);
      const next = queued[index];
      // No other waiting caller may run if the one with the fewest slots may not.
      if (next === undefined || !mayRun(next.caller)) return;
      queued.splice(index, 1);
      count(next.caller, 1);
      next.enter();
    }
  }

  function createSlot(caller: string): LimiterSlot {
    let isHeld = true;
    let loans = 0;
    const free = (): void => {
      count(caller, -1);
      admit();
    };
    const takeBack = (): void => {
      lent -= 1;
      count(caller, 1);
    };
    return {
      release() {
        if (!isHeld) return;
        isHeld = false;
        if (loans > 0) takeBack();
        free();
      },
      lend() {
        if (!isHeld || (loans === 0 && lent >= MAX_LENT)) return () => undefined;
        loans += 1;
        if (loans === 1) {
          lent += 1;
          free();
        }
        return once(() => {
          loans -= 1;
          if (isHeld && loans === 0) takeBack();
        });
      },
    };
  }

  function wait(caller: string, signal: AbortSignal | undefined): Promise<LimiterSlot> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => waiting.leave(cancelledInQueue(parts.server));
      const cancelTimer = parts.schedule(parts.options.queueWaitMs, () => waiting.leave(waitedTooLong(parts)));
      const stopWatching = (): void => {
        cancelTimer();
        signal?.removeEventListener("abort", onAbort);
      };
      const waiting: Waiting = {
        caller,
        enter() {
          stopWatching();
          resolve(createSlot(caller));
        },
        leave(error) {
          queued.splice(queued.indexOf(waiting), 1);
          stopWatching();
          reject(error);
        },
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      queued.push(waiting);
    });
  }

  return {
    get waiting() {
      return queued.length;
    },
    async acquire(caller = "", signal) {
      if (signal?.aborted) throw cancelledInQueue(parts.server);
      admit();
      if (mayRun(caller)) {
        count(caller, 1);
        return createSlot(caller);
      }
      if (queued.length >= parts.options.queue) {
        const full = queueFull(parts.server, { waiting: queued.length, waitMs: parts.options.queueWaitMs });
        const other = findLast(queued, caller);
        if (other === undefined) throw full;
        other.leave(full);
      }
      return wait(caller, signal);
    },
  };
}

/** The index of the first waiting call among the calls of the callers with the fewest slots. */
function findNext(queued: readonly Waiting[], held: ReadonlyMap<string, number>): number {
  let best = 0;
  let fewest = Number.POSITIVE_INFINITY;
  for (const [index, { caller }] of queued.entries()) {
    const slots = held.get(caller) ?? 0;
    if (slots >= fewest) continue;
    [best, fewest] = [index, slots];
    if (slots === 0) break;
  }
  return best;
}

/**
 * Finds the waiting call to reject in favor of a new call of `caller`: the last one of the caller with the most waiting
 * calls. Undefined if `caller` would have at least as many with its new call, which is then rejected instead.
 */
function findLast(queued: readonly Waiting[], caller: string): Waiting | undefined {
  const waits = new Map<string, number>();
  for (const one of queued) waits.set(one.caller, (waits.get(one.caller) ?? 0) + 1);
  const [most, times] = [...waits].reduce((one, other) => (other[1] > one[1] ? other : one), [caller, 0]);
  return times > (waits.get(caller) ?? 0) + 1 ? queued.findLast((one) => one.caller === most) : undefined;
}

function once(run: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    run();
  };
}

interface FullQueue {
  readonly waiting: number;
  /** The longest time that a call may wait in the queue. After it, every call that waits now has left the queue. */
  readonly waitMs: number;
}

export function queueFull(server: string, { waiting, waitMs }: FullQueue): DiscoveryError {
  return new DiscoveryError("OVERLOADED", `The queue of ${server} is full (${waiting} calls); nothing was sent.`, {
    hint: [{ action: "retry", afterSeconds: 5 }, "Send fewer calls in parallel."],
    facts: { waiting, ...retryAfter(waitMs) },
    server,
  });
}

function waitedTooLong(parts: LimiterParts): DiscoveryError {
  return new DiscoveryError(
    "OVERLOADED",
    `The call waited ${parts.options.queueWaitMs / 1000} s in the queue of ${parts.server}; nothing was sent.`,
    {
      hint: [{ action: "retry", afterSeconds: 5 }, "Send fewer calls in parallel."],
      facts: retryAfter(parts.options.queueWaitMs),
      server: parts.server,
    },
  );
}

function retryAfter(waitMs: number): { readonly retry_after_seconds: number } {
  return { retry_after_seconds: Math.max(1, Math.ceil(waitMs / 1000)) };
}

function cancelledInQueue(server: string): DiscoveryError {
  return new DiscoveryError("CANCELLED", `The call was cancelled before it was sent to ${server}.`, { server });
}
