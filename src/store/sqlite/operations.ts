import type { Store, StorePart } from "../store.js";

/** The same methods, run to the end in the calling thread. */
export type Table<Part> = {
  readonly [Method in keyof Part]: Part[Method] extends (...given: infer Given) => Promise<infer Answer>
    ? (...given: Given) => Answer
    : never;
};

export type Tables = { readonly [Part in StorePart]: Table<Store[Part]> };

/** `durable` is synced to the disk before the reply, `relaxed` with the next durable change. */
export type Effect = "durable" | "relaxed" | "read";

export const OPERATIONS: { readonly [Part in StorePart]: { readonly [Method in keyof Store[Part]]: Effect } } = {
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
  approvals: { ask: "durable", decide: "durable", redeem: "durable", lookup: "read", find: "read", list: "read" },
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
  toolFiles: { seen: "read", list: "read", note: "durable", accept: "durable" },
};

/** One call of a method, as it travels to the thread that owns the database. */
export interface Request {
  /** A probe writes something that nobody reads: it finds out whether anything can be written. */
  readonly part: StorePart | "probe";
  readonly method: string;
  readonly given: readonly unknown[];
}

export type Reply =
  | { readonly kind: "done"; readonly value: unknown }
  | { readonly kind: "failed"; readonly fault: Fault };

/** Why the database did not do it, in a form that travels between threads. */
export interface Fault {
  readonly reason: string;
  readonly hint: string;
  /** The connection is of no use any more. */
  readonly isFatal: boolean;
}

export function effectOf({ part, method }: Request): Effect {
  return part === "probe" ? "durable" : ((OPERATIONS[part] as Record<string, Effect>)[method] ?? "durable");
}
