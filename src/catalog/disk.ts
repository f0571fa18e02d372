import { setImmediate } from "node:timers/promises";
import { toDiscoveryError } from "../errors.js";
import { isJsonObject, type JsonObject } from "../model/json.js";
import type { ServerKey } from "./pin-store.js";
import type { ServerRecord } from "./record.js";

/**
 * The stored tool lists, shared by all gateway processes. The methods never reject: if a record cannot be read, the
 * tool list is requested from the server again.
 */
export interface CatalogDisk {
  read(server: string, fingerprint: string): Promise<ServerRecord | undefined>;
  write(record: ServerRecord): Promise<void>;
}

/** The part of the store that `CatalogDisk` needs; the last write wins. */
export interface RecordStore {
  /** Returns the stored records as JSON texts, in the order of the keys. */
  read(keys: readonly ServerKey[]): Promise<readonly (string | undefined)[]>;
  write(entry: ServerKey & { readonly listedAt: number; readonly text: string }): Promise<void>;
  forget(before: number): Promise<void>;
}

const FORMAT = 1;
/**
 * The limits while a list is read keep its record far below this. A larger one was written by something else and would
 * take seconds and gigabytes to parse.
 */
const MAX_RECORD_CHARACTERS = 64 * 1024 * 1024;
/** How long a record is kept after the tool list was last received from its server: 90 days. */
const RETENTION_MS = 90 * 24 * 60 * 60 * 1000;
/**
 * How many servers' records are read at once. Such a read takes about one millisecond. The number also limits how many
 * records are in memory.
 */
const SERVERS_PER_READ = 10;

export function createCatalogDisk(records: RecordStore, log: (message: string) => void): CatalogDisk {
  const reported = new Set<string>();
  const report = (message: string): void => {
    if (!reported.has(message)) log(message);
    reported.add(message);
  };
  const attempt = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      report(`${toDiscoveryError(error).message} Tool lists are not stored and are lost when this process ends.`);
      return undefined;
    }
  };
  const readText = gather(async (keys) => (await attempt(() => records.read(keys))) ?? []);
  let hasPruned = false;

  return {
    async read(server, fingerprint) {
      const text = await readText({ server, fingerprint });
      if (text === undefined) return undefined;
      const record = parseRecord(text);
      if (record?.server === server && record.fingerprint === fingerprint) return record;
      report(`The stored tool list of ${server} is not valid; the gateway requests it from the server again.`);
      return undefined;
    },

    async write(record) {
      const { server, fingerprint, listedAt } = record;
      const text = JSON.stringify({ format: FORMAT, record });
      await attempt(async () => {
        await records.write({ server, fingerprint, listedAt, text });
        if (hasPruned) return;
        hasPruned = true;
        await records.forget(listedAt - RETENTION_MS);
      });
    },
  };
}

/**
 * Combines single reads into batches, because a starting gateway reads the records of all servers. A read blocks the
 * event loop, so each batch is small and runs in a later event loop turn: a response that is being sent is not delayed.
 */
function gather(read: RecordStore["read"]): (key: ServerKey) => Promise<string | undefined> {
  type Texts = ReturnType<typeof read>;
  let last: Promise<unknown> = Promise.resolve();
  let slice: { readonly keys: ServerKey[]; readonly texts: Texts } | undefined;

  const open = (): { keys: ServerKey[]; texts: Texts } => {
    const keys: ServerKey[] = [];
    const readAll = (): Texts => {
      if (slice?.keys === keys) slice = undefined;
      return read(keys);
    };
    const texts = last.then(() => setImmediate()).then(readAll);
    last = texts;
    return { keys, texts };
  };

  return async (key) => {
    if (slice === undefined || slice.keys.length === SERVERS_PER_READ) slice = open();
    const { keys, texts } = slice;
    const index = keys.push(key) - 1;
    return (await texts)[index];
  };
}

function parseRecord(text: string): ServerRecord | undefined {
  if (text.length > MAX_RECORD_CHARACTERS) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (!isJsonObject(value) || value["format"] !== FORMAT || !isJsonObject(value["record"])) return undefined;
    return isServerRecord(value["record"]) ? (value["record"] as unknown as ServerRecord) : undefined;
  } catch {
    return undefined;
  }
}

function isServerRecord(record: JsonObject): boolean {
  const { server, fingerprint, listedAt, tools, changes, dropped, unapproved } = record;
  return (
    typeof server === "string" &&
    typeof fingerprint === "string" &&
    typeof listedAt === "number" &&
    Array.isArray(tools) &&
    tools.every((tool) => isJsonObject(tool) && typeof tool["name"] === "string") &&
    Array.isArray(changes) &&
    Array.isArray(dropped) &&
    (unapproved === undefined || Array.isArray(unapproved))
  );
}
