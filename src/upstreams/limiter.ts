import { DiscoveryError } from "../errors.js";
import type { Schedule } from "./schedule.js";

/** Numbers may change while the limiter is in use: they are read anew each time. */
export interface LimiterParts {
  readonly server: string;
  readonly concurrency: number;
  readonly queue: number;
  readonly queueWaitMs: number;
  readonly schedule: Schedule;
}

export interface Place {
  release(): void;
  /** Lets another in until the result is called: then there may be one more than should be, but nobody waits twice. */
  lend(): () => void;
}

export interface Limiter {
  /** Waits in line for a place. */
  acquire(signal?: AbortSignal): Promise<Place>;
  readonly waiting: number;
}

/** Places of one server that may be lent: whoever has lent one costs the server something all the same. */
const MOST_LENT = 256;

/** One server's share: so many calls at once, so many in line, first come first served. */
export function createLimiter(parts: LimiterParts): Limiter {
  let running = 0;
  let lent = 0;
  const line: (() => void)[] = [];

  function letIn(): void {
    while (running < parts.concurrency && line.length > 0) {
      running += 1;
      line.shift()?.();
    }
  }

  function createPlace(): Place {
    let isHeld = true;
    let loans = 0;
    const giveUp = (): void => {
      running -= 1;
      letIn();
    };
    const takeBack = (): void => {
      lent -= 1;
      running += 1;
    };
    return {
      release() {
        if (!isHeld) return;
        isHeld = false;
        if (loans > 0) takeBack();
        giveUp();
      },
      lend() {
        if (!isHeld || (loans === 0 && lent >= MOST_LENT)) return () => undefined;
        loans += 1;
        if (loans === 1) {
          lent += 1;
          giveUp();
        }
        return once(() => {
          loans -= 1;
          if (isHeld && loans === 0) takeBack();
        });
      },
    };
  }

  function wait(signal: AbortSignal | undefined): Promise<Place> {
    return new Promise((resolve, reject) => {
      const leave = (error: DiscoveryError): void => {
        line.splice(line.indexOf(enter), 1);
        stopWatching();
        reject(error);
      };
      const onAbort = (): void => leave(cancelledInLine(parts.server));
      const callOff = parts.schedule(parts.queueWaitMs, () => leave(waitedTooLong(parts)));
      const stopWatching = (): void => {
        callOff();
        signal?.removeEventListener("abort", onAbort);
      };
      const enter = (): void => {
        stopWatching();
        resolve(createPlace());
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      line.push(enter);
    });
  }

  return {
    get waiting() {
      return line.length;
    },
    async acquire(signal) {
      if (signal?.aborted) throw cancelledInLine(parts.server);
      letIn();
      if (running < parts.concurrency) {
        running += 1;
        return createPlace();
      }
      if (line.length >= parts.queue) throw lineIsFull(parts.server, line.length);
      return wait(signal);
    },
  };
}

function once(run: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    run();
  };
}

export function lineIsFull(server: string, waiting: number): DiscoveryError {
  return new DiscoveryError("OVERLOADED", `${server} has ${waiting} calls waiting already; nothing was sent.`, {
    hint: "Call again in a few seconds, or call less in parallel.",
    facts: { waiting },
    server,
  });
}

function waitedTooLong(parts: LimiterParts): DiscoveryError {
  return new DiscoveryError(
    "OVERLOADED",
    `The call waited ${parts.queueWaitMs / 1000} s in the queue of ${parts.server}; nothing was sent.`,
    { hint: "Call again in a few seconds, or call less in parallel.", server: parts.server },
  );
}

function cancelledInLine(server: string): DiscoveryError {
  return new DiscoveryError("CANCELLED", `The call was cancelled before it was sent to ${server}.`, { server });
}
