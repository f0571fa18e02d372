/** An operation did not finish in time. `limitMs` is the time limit. */
export class TooSlow extends Error {
  constructor(what, limitMs) {
    super(`${what} took longer than ${Math.round(limitMs / 1000)} s.`);
    this.limitMs = limitMs;
  }
}

/** The result of the work, or `TooSlow` after the time limit. The work itself continues, so the caller must end its processes. */
export async function within(limitMs, what, work) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new TooSlow(what, limitMs)), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Repeats the check until it returns true or the time is over. Returns whether it succeeded. */
export async function until(limitMs, isSo, everyMs = 20) {
  const end = performance.now() + limitMs;
  for (;;) {
    if (await isSo()) return true;
    if (performance.now() >= end) return false;
    await pause(everyMs);
  }
}
