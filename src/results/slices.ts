/**
 * Work on a large result, divided into slices: the generator yields often, so that its runner can let other work of
 * the event loop run in between.
 */
export type Slices<T> = Generator<undefined, T, undefined>;

const SLICE_MS = 6;

/** Runs all slices and gives the event loop a turn after each 6 ms of work. */
export async function runSlices<T>(slices: Slices<T>): Promise<T> {
  let deadline = performance.now() + SLICE_MS;
  for (;;) {
    const step = slices.next();
    if (step.done === true) return step.value;
    if (performance.now() < deadline) continue;
    await new Promise((resolve) => setImmediate(resolve));
    deadline = performance.now() + SLICE_MS;
  }
}

/** Runs all slices without a pause. */
export function runAtOnce<T>(slices: Slices<T>): T {
  for (;;) {
    const step = slices.next();
    if (step.done === true) return step.value;
  }
}
