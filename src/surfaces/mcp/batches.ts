import type { RequestId } from "@modelcontextprotocol/server";
import { type Delivery, INVALID_REQUEST, type Item, toErrorAnswer } from "./frames.js";

/** The only MCP revision with JSON-RPC batches. */
export const BATCH_REVISION = "2025-03-26";
export const MAX_BATCH = 100;

interface Batch {
  readonly waiting: Set<RequestId>;
  readonly answers: object[];
}

/** Processes JSON-RPC batches: each message is processed separately, and the responses of a batch are sent together. */
export interface Batches {
  /**
   * Begins a batch and returns the messages to process. Errors for invalid items are sent together with the other
   * responses.
   */
  open(items: readonly Item[]): readonly Delivery[];
  /**
   * Takes a response that belongs to a batch, and sends it when all responses of the batch are there. Returns false if
   * the response belongs to no batch.
   */
  take(id: RequestId, answer: object): boolean;
  /** Removes a request from its batch, because it will get no response. */
  forget(id: RequestId): void;
}

export interface BatchesParts {
  readonly write: (answers: readonly object[]) => void;
  /** Whether a request with this id has not been responded to yet. */
  readonly isOpen: (id: RequestId) => boolean;
}

export function createBatches({ write, isOpen }: BatchesParts): Batches {
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
      const deliveries = items.filter((item): item is Delivery => {
        if (item.kind === "refused") batch.answers.push(item.answer);
        if (item.kind !== "message") return false;
        const { message } = item;
        if (!("method" in message && "id" in message)) return true;
        const { id, method } = message;
        if (method === "initialize" || byId.has(id) || isOpen(id)) {
          const reason = 'A batch must not contain "initialize" or the id of a request that is still open.';
          batch.answers.push(toErrorAnswer(id, INVALID_REQUEST, reason));
          return false;
        }
        batch.waiting.add(id);
        byId.set(id, batch);
        return true;
      });
      finish(batch);
      return deliveries;
    },
    take: (id, answer) => settle(id, answer),
    forget: (id) => void settle(id, undefined),
  };
}
