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

export interface Limiter {
  /** Waits for a place in line; the result gives the place back. */
  acquire(signal?: AbortSignal): Promise<() => void>;
  readonly waiting: number;
}

/** One server's share: so many calls at once, so many in line, first come first served. */
export function createLimiter(parts: LimiterParts): Limiter {
  let running = 0;
  const line: (() => void)[] = [];

  function release(): void {
    running -= 1;
    letIn();
  }

  function letIn(): void {
    while (running < parts.concurrency && line.length > 0) {
      running += 1;
      line.shift()?.();
    }
  }

  function releaseOnce(): () => void {
    let released = false;
    return () => {
      if (released) return;
      released = true;
      release();
    };
  }

  function wait(signal: AbortSignal | undefined): Promise<() => void> {
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
        resolve(releaseOnce());
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
        return releaseOnce();
      }
      if (line.length >= parts.queue) throw lineIsFull(parts.server, line.length);
      return wait(signal);
    },
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
