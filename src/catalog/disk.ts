import { setImmediate } from "node:timers/promises";
import { toDiscoveryError } from "../errors.js";
import { isJsonObject, type JsonObject } from "../model/json.js";
import type { ServerKey } from "./pin-store.js";
import type { ServerRecord } from "./record.js";

/** The catalog's copy on disk, shared by all gateways. It never rejects: what it does not have is asked for again. */
export interface CatalogDisk {
  read(server: string, fingerprint: string): Promise<ServerRecord | undefined>;
  write(record: ServerRecord): Promise<void>;
}

/** What the copy asks of the place where it is kept: one step at a time, and the last write wins. */
export interface RecordStore {
  /** The texts in the order of the keys. */
  read(keys: readonly ServerKey[]): Promise<readonly (string | undefined)[]>;
  write(entry: ServerKey & { readonly listedAt: number; readonly text: string }): Promise<void>;
  forget(before: number): Promise<void>;
}

const FORMAT = 1;
/** Who comes back to a server after so long can wait for it to be asked. */
const KEPT_MS = 90 * 24 * 60 * 60 * 1000;
/** Servers that are read at a time: about a millisecond, and no more texts in memory than that. */
const SLICE = 10;

export function createCatalogDisk(records: RecordStore, log: (message: string) => void): CatalogDisk {
  const told = new Set<string>();
  const tell = (message: string): void => {
    if (!told.has(message)) log(message);
    told.add(message);
  };
  const attempt = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      tell(`${toDiscoveryError(error).message} What servers answer is not remembered beyond this process.`);
      return undefined;
    }
  };
  const readText = gather(async (keys) => (await attempt(() => records.read(keys))) ?? []);
  let hasForgotten = false;

  return {
    async read(server, fingerprint) {
      const text = await readText({ server, fingerprint });
      if (text === undefined) return undefined;
      const record = parseRecord(text);
      if (record?.server === server && record.fingerprint === fingerprint) return record;
      tell(`What was remembered of ${server} is not readable; it will be asked again.`);
      return undefined;
    },

    async write(record) {
      const { server, fingerprint, listedAt } = record;
      const text = JSON.stringify({ format: FORMAT, record });
      await attempt(async () => {
        await records.write({ server, fingerprint, listedAt, text });
        if (hasForgotten) return;
        hasForgotten = true;
        await records.forget(listedAt - KEPT_MS);
      });
    },
  };
}

/**
 * What is asked for in one turn is read in one go, as a start asks for all servers: later, and in slices, because a read
 * holds up everything else. The answer that is on its way when a start reads must not wait for it.
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
    if (slice === undefined || slice.keys.length === SLICE) slice = open();
    const { keys, texts } = slice;
    const index = keys.push(key) - 1;
    return (await texts)[index];
  };
}

function parseRecord(text: string): ServerRecord | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isJsonObject(value) || value["format"] !== FORMAT || !isJsonObject(value["record"])) return undefined;
    return isWhole(value["record"]) ? (value["record"] as unknown as ServerRecord) : undefined;
  } catch {
    return undefined;
  }
}

function isWhole(record: JsonObject): boolean {
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
