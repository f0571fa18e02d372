import type { Store, StorePart } from "../store.js";

/** The methods of one part of the store without promises: they run synchronously in the calling thread. */
export type StoreTable<Part> = {
  readonly [Method in keyof Part]: Part[Method] extends (...args: infer Args) => Promise<infer Answer>
    ? (...args: Args) => Answer
    : never;
};

export type Tables = { readonly [Part in StorePart]: StoreTable<Store[Part]> };

/**
 * What a method does: a `durable` change is synced to disk before the reply, a `relaxed` one with the next durable
 * change.
 */
export type OperationEffect = "durable" | "relaxed" | "read";

export const STORE_OPERATIONS: {
  readonly [Part in StorePart]: { readonly [Method in keyof Store[Part]]: OperationEffect };
} = {
  keys: {
    reserve: "durable",
    dispatch: "durable",
    finish: "durable",
    release: "durable",
    find: "read",
    list: "read",
    resolve: "durable",
    recover: "durable",
  },
  audit: {
    append: "durable",
    appendSoon: "relaxed",
    read: "read",
    openIntents: "read",
    closeOrphans: "durable",
    appendMissing: "durable",
    head: "read",
    start: "read",
    addCheckpoint: "durable",
    checkpoints: "read",
    remove: "durable",
  },
  approvals: {
    ask: "durable",
    decide: "durable",
    redeem: "durable",
    lookup: "read",
    findRedeemed: "read",
    find: "read",
    list: "read",
  },
  pins: { see: "durable", approve: "durable", find: "read", list: "read" },
  rates: { take: "relaxed", peek: "read", giveBack: "relaxed" },
  catalog: { read: "read", write: "relaxed", forget: "relaxed" },
  failures: { list: "read", write: "relaxed", remove: "relaxed" },
  credentials: {
    find: "read",
    list: "read",
    save: "durable",
    claim: "durable",
    renew: "durable",
    refuse: "durable",
    release: "durable",
    remove: "durable",
  },
  results: { add: "durable", find: "read", removeExpired: "relaxed" },
  toolFiles: { seen: "read", list: "read", note: "durable", accept: "durable" },
};

/** One method call of the store, as it is sent to the thread that owns the database. */
export interface Request {
  /**
   * The called part of the store. A probe writes a row that is never read, to find out whether the database is
   * writable.
   */
  readonly part: StorePart | "probe";
  readonly method: string;
  readonly args: readonly unknown[];
}

export type Reply =
  | { readonly kind: "done"; readonly value: unknown }
  | { readonly kind: "failed"; readonly fault: DatabaseFault };

/** Why the database rejected a request, in a form that can be copied between threads. */
export interface DatabaseFault {
  readonly reason: string;
  readonly hint: string;
  /** Whether the connection is unusable and must be closed. */
  readonly isFatal: boolean;
}

export function operationEffect({ part, method }: Request): OperationEffect {
  return part === "probe"
    ? "durable"
    : ((STORE_OPERATIONS[part] as Record<string, OperationEffect>)[method] ?? "durable");
}
