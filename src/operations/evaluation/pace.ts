import { setImmediate } from "node:timers/promises";
import { DiscoveryError } from "../../errors.js";

/** Counts the steps of long work and lets timers, progress output and signals run in between. */
export interface Pace {
  readonly done: number;
  step(): Promise<void>;
  /** Yields to the event loop. Throws CANCELLED if the signal has aborted. */
  pause(): Promise<void>;
}

const MAX_TURN_MS = 40;

export function createPace(signal?: AbortSignal, onStep: (done: number) => void = () => undefined): Pace {
  let done = 0;
  let last = performance.now();
  const pause = async (): Promise<void> => {
    await setImmediate();
    if (signal?.aborted) throw new DiscoveryError("CANCELLED", "The evaluation was interrupted.");
    last = performance.now();
  };
  return {
    get done() {
      return done;
    },
    pause,
    async step() {
      done += 1;
      onStep(done);
      if (performance.now() - last >= MAX_TURN_MS) await pause();
    },
  };
}
