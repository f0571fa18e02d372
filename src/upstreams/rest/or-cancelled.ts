import { fetchCancelled } from "../../util/net/network-error.js";

/**
 * Waits for shared work until the caller cancels. The work itself continues for the other callers. The error says that
 * nothing has been sent yet.
 */
export function orCancelled<Result>(work: Promise<Result>, server: string, signal?: AbortSignal): Promise<Result> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(fetchCancelled(server, false));
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
