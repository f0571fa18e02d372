import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/server";
import { INVALID_REQUEST, isMessage, notAMessage, toErrorAnswer } from "./frames.js";

/** The only revision whose clients may send several messages as one. */
export const BATCH_REVISION = "2025-03-26";
export const MAX_BATCH = 100;

interface Batch {
  readonly waiting: Set<RequestId>;
  readonly answers: object[];
}

/** Several messages that came as one: each goes its own way, their answers leave together. */
export interface Batches {
  /** The messages to deliver; what is wrong among the items is answered with the rest. */
  open(items: readonly unknown[]): readonly JSONRPCMessage[];
  /** True when the answer belongs to a batch and is kept until the batch is complete. */
  take(id: RequestId, answer: object): boolean;
  /** The request will not be answered. */
  forget(id: RequestId): void;
}

export function createBatches(write: (answers: readonly object[]) => void): Batches {
  const byId = new Map<RequestId, Batch>();

  const settle = (id: RequestId, answer: object | undefined): boolean => {
    const batch = byId.get(id);
    if (batch === undefined) return false;
    byId.delete(id);
    batch.waiting.delete(id);
    if (answer !== undefined) batch.answers.push(answer);
    finish(batch);
    return true;
  };
  const finish = ({ waiting, answers }: Batch): void => {
    if (waiting.size === 0 && answers.length > 0) write(answers);
  };

  return {
    open(items) {
      const batch: Batch = { waiting: new Set(), answers: [] };
      const messages = items.filter((item): item is JSONRPCMessage => {
        if (!isMessage(item)) batch.answers.push(notAMessage(item));
        else if (!("method" in item && "id" in item)) return true;
        else if (item.method === "initialize" || byId.has(item.id)) {
          const reason = "A batch holds no initialize and no id twice.";
          batch.answers.push(toErrorAnswer(item.id, INVALID_REQUEST, reason));
        } else {
          batch.waiting.add(item.id);
          byId.set(item.id, batch);
          return true;
        }
        return false;
      });
      finish(batch);
      return messages;
    },
    take: (id, answer) => settle(id, answer),
    forget: (id) => void settle(id, undefined),
  };
}
