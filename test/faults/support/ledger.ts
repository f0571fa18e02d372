import { createHash } from "node:crypto";
import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { waitFor } from "./deadline.js";

/** The actions that the servers recorded. */
export interface Entry {
  readonly kind: "call" | "effect" | "answer";
  readonly id: string;
  readonly tool: string;
  readonly server: string;
  /** Of the client's request, if it had one. */
  readonly attempt: number | string | null;
  readonly pid: number;
  /** The exact answer as text. */
  readonly result?: string;
  readonly args?: Record<string, unknown>;
}

/** The record outside the gateway. */
export interface Ledger {
  entries(): readonly Entry[];
  of(id: string, kind: Entry["kind"]): readonly Entry[];
  /** Whether an idempotent effect was ever started. */
  isMarked(id: string): boolean;
  waitFor(id: string, kind: Entry["kind"]): Promise<Entry>;
}

/** Continues from the last position: the file only grows. */
export function createLedger(file: string, effects: string): Ledger {
  const all: Entry[] = [];
  const byId = new Map<string, Entry[]>();
  const buffer = Buffer.alloc(1024 * 1024);
  let position = 0;
  let rest = Buffer.alloc(0);

  const take = (line: string): void => {
    const entry = JSON.parse(line) as Entry;
    all.push(entry);
    byId.set(entry.id, [...(byId.get(entry.id) ?? []), entry]);
  };
  const readOn = (): void => {
    if (!existsSync(file)) return;
    const handle = openSync(file, "r");
    try {
      for (let read = readSync(handle, buffer, 0, buffer.length, position); read > 0; ) {
        position += read;
        rest = Buffer.concat([rest, buffer.subarray(0, read)]);
        const end = rest.lastIndexOf(10);
        if (end !== -1) rest.subarray(0, end).toString("utf8").split("\n").forEach(take);
        rest = Buffer.from(rest.subarray(end + 1));
        read = readSync(handle, buffer, 0, buffer.length, position);
      }
    } finally {
      closeSync(handle);
    }
  };
  const of = (id: string, kind: Entry["kind"]): readonly Entry[] => {
    readOn();
    return (byId.get(id) ?? []).filter((entry) => entry.kind === kind);
  };
  return {
    entries() {
      readOn();
      return all;
    },
    of,
    isMarked: (id) => existsSync(join(effects, createHash("sha256").update(id).digest("hex"))),
    waitFor: (id, kind) => waitFor(() => of(id, kind)[0], `${kind} of ${id} in the ledger`),
  };
}
