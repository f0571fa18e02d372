import type { DiscoveryError } from "../../errors.js";
import { fetchCancelled, timedOut } from "./network-error.js";

export interface TimeLimit {
  /** Aborted if the time is over or the caller cancels. Its reason is a DiscoveryError. */
  readonly signal: AbortSignal;
  readonly isSent: boolean;
  /** Must be called when the request is sent: from then on, the server may have read it. */
  sent(): void;
  /** Restarts the inactivity timeout (`timeoutMs`). */
  restart(): void;
  reason(): DiscoveryError | undefined;
  end(): void;
}

export interface TimeLimits {
  readonly server: string;
  readonly timeoutMs: number;
  readonly maxTotalMs: number;
  /** The part of `maxTotalMs` that is left, if a part was spent before. */
  readonly leftMs?: number;
}

export function createTimeLimit(limits: TimeLimits, signal?: AbortSignal): TimeLimit {
  const { server, timeoutMs, maxTotalMs, leftMs = maxTotalMs } = limits;
  const controller = new AbortController();
  let reason: DiscoveryError | undefined;
  let isSent = false;
  let isOver = false;
  const stop = (why: DiscoveryError): void => {
    reason ??= why;
    end();
    controller.abort(reason);
  };
  const onAbort = (): void => stop(fetchCancelled(server, isSent));
  const reportedMs = Math.min(timeoutMs, maxTotalMs);
  const silence = setTimeout(() => stop(timedOut(server, reportedMs, isSent)), Math.min(timeoutMs, leftMs));
  const total = setTimeout(() => stop(timedOut(server, maxTotalMs, isSent)), leftMs);
  function end(): void {
    isOver = true;
    clearTimeout(silence);
    clearTimeout(total);
    signal?.removeEventListener("abort", onAbort);
  }
  if (signal?.aborted) onAbort();
  else signal?.addEventListener("abort", onAbort, { once: true });
  return {
    signal: controller.signal,
    get isSent() {
      return isSent;
    },
    sent() {
      isSent = true;
    },
    restart() {
      // Do not refresh a cleared timer: that would start it again.
      if (!isOver) silence.refresh();
    },
    reason: () => reason,
    end,
  };
}
