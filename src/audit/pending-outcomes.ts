import type { ChainBody } from "./chain.js";

/** Outcomes that the store rejected, until it accepts them. Without them their intents would stay open. */
export interface PendingOutcomes {
  readonly count: number;
  add(outcome: ChainBody): void;
  /** Rejects if the store still does not accept them; they stay pending. */
  write(): Promise<void>;
}

const MAX_PENDING = 1000;

/**
 * `append` must skip outcomes that are stored already: after a failed write it is not always known whether it
 * succeeded.
 */
export function createPendingOutcomes(append: (outcomes: readonly ChainBody[]) => Promise<unknown>): PendingOutcomes {
  let pending: ChainBody[] = [];
  let writing: Promise<void> = Promise.resolve();

  const writeAll = async (): Promise<void> => {
    if (pending.length === 0) return;
    const outcomes = pending;
    pending = [];
    try {
      await append(outcomes);
    } catch (error) {
      const meanwhile = pending;
      pending = outcomes;
      for (const outcome of meanwhile) add(outcome);
      throw error;
    }
  };

  /** When full, drops calls that failed only because they could not be recorded, in favor of calls that ran. */
  const add = (outcome: ChainBody): void => {
    if (pending.length === MAX_PENDING) {
      const droppable = isAuditFailure(outcome) ? -1 : pending.findIndex(isAuditFailure);
      if (droppable === -1) return;
      pending.splice(droppable, 1);
    }
    pending.push(outcome);
  };

  return {
    get count() {
      return pending.length;
    },
    add,
    write() {
      writing = writing.catch(() => undefined).then(writeAll);
      return writing;
    },
  };
}

function isAuditFailure({ error_code: code }: ChainBody): boolean {
  return code === "AUDIT_UNAVAILABLE";
}
