import type { ChainBody } from "./chain.js";

/**
 * Outcomes that could not be written, kept until the store accepts them. If they were lost, the intents of their calls
 * would stay open.
 */
export interface PendingOutcomes {
  readonly count: number;
  add(outcome: ChainBody): void;
  /** Writes all pending outcomes. If the store still does not accept them, it rejects and the outcomes stay pending. */
  write(): Promise<void>;
}

const MAX_PENDING = 1000;

/** `append` must skip outcomes that are stored already: after a failed write, the store may contain them or not. */
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

  /**
   * Adds an outcome. If the list is full, outcomes of calls that failed only because they could not be recorded are
   * dropped in favor of outcomes of calls that ran.
   */
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
