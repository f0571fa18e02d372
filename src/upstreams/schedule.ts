/**
 * Runs a function later and returns a function that cancels it. It is a parameter everywhere, so that tests control
 * the time.
 */
export type Schedule = (delayMs: number, run: () => void) => () => void;

/** A timer that does not keep the process running. */
export const scheduleUnref: Schedule = (delayMs, run) => {
  const timer = setTimeout(run, delayMs);
  timer.unref();
  return () => clearTimeout(timer);
};
