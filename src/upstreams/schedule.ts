/** Runs something later and gives back how to call it off. An argument everywhere, so that tests own the time. */
export type Schedule = (delayMs: number, run: () => void) => () => void;

/** Timers that never keep the process alive by themselves. */
export const scheduleUnref: Schedule = (delayMs, run) => {
  const timer = setTimeout(run, delayMs);
  timer.unref();
  return () => clearTimeout(timer);
};
