import { setImmediate } from "node:timers/promises";
import { interrupted } from "../context.js";

/** Counts the steps of long work and lets the process breathe in between: progress is drawn, Ctrl-C is heard. */
export interface Pace {
  readonly done: number;
  step(): Promise<void>;
  breathe(): Promise<void>;
}

const BREATH_MS = 40;

export function createPace(signal: AbortSignal): Pace {
  let done = 0;
  let last = performance.now();
  const breathe = async (): Promise<void> => {
    await setImmediate();
    if (signal.aborted) throw interrupted();
    last = performance.now();
  };
  return {
    get done() {
      return done;
    },
    breathe,
    async step() {
      done += 1;
      if (performance.now() - last >= BREATH_MS) await breathe();
    },
  };
}
