/** What did not happen in time; `limitMs` says how long was waited. */
export class TooSlow extends Error {
  constructor(what, limitMs) {
    super(`${what} took longer than ${Math.round(limitMs / 1000)} s.`);
    this.limitMs = limitMs;
  }
}

/** The outcome of the work, or `TooSlow` once the time is over. The work itself goes on: whoever waits ends its processes. */
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

/** Asks again until the answer is true or the time is over; tells which. */
export async function until(limitMs, isSo, everyMs = 20) {
  const end = performance.now() + limitMs;
  for (;;) {
    if (await isSo()) return true;
    if (performance.now() >= end) return false;
    await pause(everyMs);
  }
}
