import { cancelled } from "../../util/net/network-error.js";

/** Waits for what others wait for too, and only as long as the caller wants; the work itself goes on. Nothing was sent yet. */
export function orCancelled<Result>(work: Promise<Result>, server: string, signal?: AbortSignal): Promise<Result> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(cancelled(server, false));
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
