/** The promise, or an error that says what did not happen in time. */
export async function withDeadline<T>(promise: Promise<T>, limitMs: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Timed out after ${limitMs / 1000} s: ${what}.`)), limitMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

const LOOK_MS = 5;

type Found<T> = T | undefined | false;

/** Polls until the first result, for conditions without an event. */
export async function waitFor<T>(
  look: () => Found<T> | Promise<Found<T>>,
  what: string,
  limitMs = 120_000,
): Promise<T> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > deadline) throw new Error(`Timed out after ${limitMs / 1000} s while waiting for: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** The same check at a lower rate, for expensive checks. */
export function seldom<T>(look: () => T | Promise<T>, everyMs: number): () => Promise<T> {
  return async () => {
    await new Promise((resolve) => setTimeout(resolve, everyMs));
    return await look();
  };
}
