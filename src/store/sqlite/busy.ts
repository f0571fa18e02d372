const BUSY = 5;
const sleeper = new Int32Array(new SharedArrayBuffer(4));

/**
 * Retries while the database is locked. SQLite's own busy handler sleeps up to 100 ms between two attempts, which
 * starves some writers; this one retries more often.
 */
export function retryBusy<T>(act: () => T, timeoutMs: number): T {
  const deadline = performance.now() + timeoutMs;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return act();
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      Atomics.wait(sleeper, 0, 0, Math.min(0.2 * (attempt + 1), 3) * (0.5 + Math.random()));
    }
  }
}

export function isBusy(error: unknown): boolean {
  return primaryCode(error) === BUSY;
}

/** SQLite's primary result code, without the extended bits; undefined for any other error. */
export function primaryCode(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  return typeof code === "number" ? code & 0xff : undefined;
}
