import type { DiscoveryError } from "../errors.js";
import { queueFull } from "./limiter.js";
import type { UpstreamOptions } from "./options.js";
import type { Schedule } from "./schedule.js";
import { startCancelled } from "./start-errors.js";

/** The start of a server, which several callers may wait for. */
export interface AwaitedStart<Result> {
  readonly promise: Promise<Result>;
  waiting: number;
}

export interface WaitParts {
  readonly server: string;
  readonly options: Pick<UpstreamOptions, "concurrency" | "queue">;
  readonly schedule: Schedule;
  readonly waitMs: number;
  readonly signal: AbortSignal | undefined;
  readonly toStillStarting: () => DiscoveryError;
  readonly toReason: (error: unknown) => DiscoveryError;
}

/** Waits at most `waitMs` for a start. The start continues when the caller stops waiting. */
export async function waitForStart<Result>(start: AwaitedStart<Result>, parts: WaitParts): Promise<Result> {
  const { server, options, schedule, waitMs, signal, toStillStarting, toReason } = parts;
  if (start.waiting >= options.concurrency + options.queue) throw queueFull(server, { waiting: start.waiting, waitMs });
  start.waiting += 1;
  let stop: () => void = () => undefined;
  try {
    return await new Promise<Result>((resolve, reject) => {
      const onAbort = (): void => reject(startCancelled(server));
      const cancelTimer = schedule(waitMs, () => reject(toStillStarting()));
      stop = () => {
        cancelTimer();
        signal?.removeEventListener("abort", onAbort);
      };
      if (signal?.aborted) onAbort();
      signal?.addEventListener("abort", onAbort, { once: true });
      start.promise.then(resolve, (error: unknown) => reject(toReason(error)));
    });
  } finally {
    stop();
    start.waiting -= 1;
  }
}
