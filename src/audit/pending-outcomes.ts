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

/**
 * `append` must skip outcomes that are already stored: after a failed write, it is unknown whether the store has them.
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

  /**
   * Adds an outcome. If the list is full, the outcome of a call that ran replaces one with AUDIT_UNAVAILABLE, whose
   * call failed because it could not be recorded. If there is none to replace, the new outcome is dropped.
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
