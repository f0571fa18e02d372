/** Converts a function that emits values to an async iterable. Leaving the loop early aborts the function's signal. */
export async function* eventStream<T>(
  run: (emit: (value: T) => void, signal: AbortSignal) => Promise<void>,
): AsyncGenerator<T, void, undefined> {
  const abort = new AbortController();
  const ready: T[] = [];
  let isDone = false;
  let wake: () => void = () => undefined;
  const running = run((value) => {
    ready.push(value);
    wake();
  }, abort.signal).finally(() => {
    isDone = true;
    wake();
  });
  try {
    for (;;) {
      for (let value = ready.shift(); value !== undefined; value = ready.shift()) yield value;
      if (isDone) break;
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (isDone || ready.length > 0) resolve();
      });
    }
    await running;
  } finally {
    abort.abort();
    await running.catch(() => undefined);
  }
}
