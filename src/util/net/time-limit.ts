import type { DiscoveryError } from "../../errors.js";
import { cancelled, timedOut } from "./network-error.js";

export interface TimeLimit {
  /** Aborted when the time is over or the caller has had enough; its reason is our own error. */
  readonly signal: AbortSignal;
  readonly isSent: boolean;
  /** From now on the other side may have read the request. */
  sent(): void;
  /** The silence begins anew. */
  restart(): void;
  reason(): DiscoveryError | undefined;
  end(): void;
}

export interface TimeLimits {
  readonly server: string;
  readonly timeoutMs: number;
  readonly maxTotalMs: number;
  /** What is left of it now, where some of it was used up before. */
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
  const onAbort = (): void => stop(cancelled(server, isSent));
  const toldMs = Math.min(timeoutMs, maxTotalMs);
  const silence = setTimeout(() => stop(timedOut(server, toldMs, isSent)), Math.min(timeoutMs, leftMs));
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
      // A timer that was cleared would run again.
      if (!isOver) silence.refresh();
    },
    reason: () => reason,
    end,
  };
}
