/**
 * Runs a function with a signal that aborts as soon as any of `signals` does. `AbortSignal.any` would do the same, but
 * in Node 20 each call leaks memory for as long as one of these signals lives, which may be as long as the process.
 */
export async function withAnySignal<T>(
  signals: readonly (AbortSignal | undefined)[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const given = signals.filter((signal) => signal !== undefined);
  const [first] = given;
  if (given.length === 1 && first !== undefined) return await work(first);
  const controller = new AbortController();
  const cleanups = given.map((signal) => follow(signal, controller));
  try {
    return await work(controller.signal);
  } finally {
    for (const cleanUp of cleanups) cleanUp();
  }
}

function follow(signal: AbortSignal, controller: AbortController): () => void {
  const abort = (): void => controller.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  return () => signal.removeEventListener("abort", abort);
}
