import type { ChainBody } from "./chain.js";

/** Outcomes that the store could not take, until it can: without them their intents would stay open. */
export interface KeptOutcomes {
  readonly count: number;
  keep(outcome: ChainBody): void;
  /** Rejects when the store cannot take them yet; they are kept then. */
  write(): Promise<void>;
}

const MOST_KEPT = 1000;

/** `append`: writes those that are not there. Whether one whose writing failed was written is not always known. */
export function createKeptOutcomes(append: (outcomes: readonly ChainBody[]) => Promise<unknown>): KeptOutcomes {
  let kept: ChainBody[] = [];
  let writing: Promise<void> = Promise.resolve();

  const writeAll = async (): Promise<void> => {
    if (kept.length === 0) return;
    const outcomes = kept;
    kept = [];
    try {
      await append(outcomes);
    } catch (error) {
      const meanwhile = kept;
      kept = outcomes;
      for (const outcome of meanwhile) keep(outcome);
      throw error;
    }
  };

  /** What was refused because nothing can be recorded gives way to what has run. */
  const keep = (outcome: ChainBody): void => {
    if (kept.length === MOST_KEPT) {
      const least = isRefusedForUs(outcome) ? -1 : kept.findIndex(isRefusedForUs);
      if (least === -1) return;
      kept.splice(least, 1);
    }
    kept.push(outcome);
  };

  return {
    get count() {
      return kept.length;
    },
    keep,
    write() {
      writing = writing.catch(() => undefined).then(writeAll);
      return writing;
    },
  };
}

function isRefusedForUs({ error_code: code }: ChainBody): boolean {
  return code === "AUDIT_UNAVAILABLE";
}
