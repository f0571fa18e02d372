// The full results of calls whose result was too large to return at once. They are in the store, so that they survive a
// restart and every process of the user can read them.
import { randomBytes, webcrypto } from "node:crypto";
import { promisify } from "node:util";
import { deflateRaw, inflateRaw } from "node:zlib";
import { DiscoveryError, toDiscoveryError } from "../errors.js";
import type { CallResult } from "../model/call.js";
import { createMemoryResults } from "../store/memory-results.js";
import type { FoundResult, ResultQuotas, ResultRecord, ResultRecords } from "../store/result-records.js";
import type { Log } from "../util/log.js";
import { createEncryption, type Encryption } from "./encryption.js";
import type { ResultOptions } from "./options.js";

export interface StoredResults {
  /**
   * Stores a result durably. If the store cannot be written, keeps the result in the memory of this process. Returns
   * undefined if the result alone exceeds the quotas.
   */
  store(result: CallResult, actorId: string, source: ResultSource): Promise<StoredResult | undefined>;
  /** Throws RESULT_NOT_FOUND if the result does not exist, has expired, was dropped or belongs to another actor. */
  read(id: string, actorId: string): Promise<CallResult>;
  /**
   * Returns a page of the result as JSON text, counted from 1; undefined if the result has no such page. Throws like
   * `read`.
   */
  page(id: string, page: number, actorId: string): Promise<string | undefined>;
  /** Stops the removal of expired results in the background. */
  close(): void;
}

/** The tool that returned the result. */
export type ResultSource = Pick<ResultRecord, "server" | "tool">;

export interface StoredResult {
  readonly id: string;
  /** The size of the result as JSON, in bytes. */
  readonly bytes: number;
  readonly characters: number;
  readonly pages: number;
}

export interface StoredResultsParts {
  readonly records: () => ResultRecords;
  readonly encryption: () => Promise<Encryption>;
  readonly options: () => ResultOptions;
  readonly now: () => number;
  readonly log: Log;
}

const PAGE_CHARACTERS = 65_536;
const MAX_MEMORY_BYTES = 64 * 1024 * 1024;
/** How often expired results are removed even if no further result is stored. */
const CLEANUP_MS = 600_000;

/** Records and the key with which their payloads are encrypted. */
interface Archive {
  readonly records: ResultRecords;
  readonly encryption: Encryption;
}

export function createStoredResults({ records, encryption, options, now, log }: StoredResultsParts): StoredResults {
  let memory: Archive | undefined;
  let cleanup: NodeJS.Timeout | undefined;
  let lastExpiry = 0;
  let isClosed = false;

  const removeExpired = async (): Promise<void> => {
    cleanup = undefined;
    const archives = [records(), ...(memory === undefined ? [] : [memory.records])];
    await Promise.all(archives.map((each) => each.removeExpired(now()))).catch((error: unknown) =>
      log(`Expired results could not be removed: ${toDiscoveryError(error).message}`),
    );
    if (lastExpiry > now()) scheduleCleanup();
  };
  const scheduleCleanup = (): void => {
    if (isClosed) return;
    cleanup ??= setTimeout(() => void removeExpired(), Math.min(CLEANUP_MS, options().keepMs)).unref();
  };

  const add = async (draft: Draft, quotas: ResultQuotas): Promise<boolean> => {
    try {
      return await addTo({ records: records(), encryption: await encryption() }, draft, quotas);
    } catch (error) {
      // The tool has run, so its result must not be lost because of the store.
      const { message } = toDiscoveryError(error);
      log(`A large result is kept in memory only, because it could not be stored. ${message}`, { level: "warn" });
      memory ??= { records: createMemoryResults(), encryption: createEncryption(randomBytes(32)) };
      return await addTo(memory, draft, { ...quotas, maxBytes: Math.min(quotas.maxBytes, MAX_MEMORY_BYTES) });
    }
  };

  const readBytes = async (id: string, actorId: string): Promise<Buffer> => {
    const inMemory = await memory?.records.find(id, actorId, now());
    const found = inMemory ?? (await records().find(id, actorId, now()));
    if (found?.kind !== "stored") throw notFound(id, found);
    const { record } = found;
    const from = inMemory === undefined || memory === undefined ? await encryption() : memory.encryption;
    const packed = from.decryptBytes(record.payload, labelOf(record));
    const bytes = packed && (await unpack(packed));
    if (bytes === undefined || (await hashOf(bytes)) !== record.sha256) throw damaged(record);
    return bytes;
  };

  return {
    async store(result, actor, { server, tool }) {
      const text = JSON.stringify(result);
      const bytes = Buffer.from(text, "utf8");
      const [sha256, packed] = await Promise.all([hashOf(bytes), pack(bytes)]);
      const { keepMs, ...quotas } = options();
      const id = randomBytes(9).toString("base64url");
      const createdAt = now();
      const expiresAt = createdAt + keepMs;
      const record = { id, actor, server, tool, createdAt, expiresAt, bytes: bytes.length, sha256 };
      if (!(await add({ record, packed }, quotas))) return undefined;
      lastExpiry = Math.max(lastExpiry, expiresAt);
      scheduleCleanup();
      const { length: characters } = text;
      return { id, bytes: bytes.length, characters, pages: Math.ceil(characters / PAGE_CHARACTERS) };
    },
    async read(id, actorId) {
      return JSON.parse((await readBytes(id, actorId)).toString("utf8")) as CallResult;
    },
    async page(id, page, actorId) {
      const text = (await readBytes(id, actorId)).toString("utf8");
      const from = (page - 1) * PAGE_CHARACTERS;
      const exists = Number.isInteger(page) && page >= 1 && from < text.length;
      return exists ? text.slice(from, from + PAGE_CHARACTERS) : undefined;
    },
    close() {
      isClosed = true;
      clearTimeout(cleanup);
    },
  };
}

interface Draft {
  readonly record: Omit<ResultRecord, "payload">;
  readonly packed: Uint8Array;
}

async function addTo({ records, encryption }: Archive, { record, packed }: Draft, quotas: ResultQuotas) {
  return await records.add({ ...record, payload: encryption.encrypt(packed, labelOf(record)) }, quotas);
}

/** Binds a payload to its record: the payload of another result or actor cannot be decrypted in its place. */
function labelOf({ id, actor, sha256 }: Pick<ResultRecord, "id" | "actor" | "sha256">): string {
  return `result ${id} ${actor} ${sha256}`;
}

async function hashOf(bytes: Uint8Array): Promise<string> {
  // This digest runs in the thread pool, unlike that of `createHash`.
  return Buffer.from(await webcrypto.subtle.digest("SHA-256", bytes)).toString("hex");
}

const PLAIN = Buffer.from([0]);
const DEFLATED = Buffer.from([1]);
/** The fastest level. Higher levels save a few percent and take more than twice the time. */
const DEFLATE_LEVEL = 1;

/** Compresses the bytes if that makes them smaller. The first byte of the returned data says whether it did. */
async function pack(bytes: Uint8Array): Promise<Buffer> {
  const deflated = await promisify(deflateRaw)(bytes, { level: DEFLATE_LEVEL });
  return deflated.length < bytes.length ? Buffer.concat([DEFLATED, deflated]) : Buffer.concat([PLAIN, bytes]);
}

async function unpack(packed: Buffer): Promise<Buffer | undefined> {
  const data = packed.subarray(1);
  if (packed[0] === PLAIN[0]) return data;
  return await promisify(inflateRaw)(data).catch(() => undefined);
}

const LOSSES = {
  expired: "has expired",
  dropped: "was dropped to make room for newer results",
};

const RUN_AGAIN = "Run the call again to get a new result, unless it must not run twice.";

function notFound(id: string, found: Extract<FoundResult, { kind: "lost" }> | undefined): DiscoveryError {
  if (found === undefined) {
    const message = `No stored result has the id ${JSON.stringify(id.slice(0, 64))}.`;
    return new DiscoveryError("RESULT_NOT_FOUND", message, {
      hint: `Use the id exactly as the answer of the call shows it. ${RUN_AGAIN}`,
      facts: { reason: "unknown" },
    });
  }
  const { loss, server, tool } = found;
  return new DiscoveryError("RESULT_NOT_FOUND", `The stored result ${id} of ${server}:${tool} ${LOSSES[loss]}.`, {
    hint: RUN_AGAIN,
    facts: { reason: loss },
    server,
    tool,
  });
}

function damaged({ id, server, tool }: ResultRecord): DiscoveryError {
  const message = `The stored result ${id} of ${server}:${tool} is damaged: its content does not match its hash, or it was encrypted with another key.`;
  const facts = { reason: "damaged" };
  return new DiscoveryError("RESULT_NOT_FOUND", message, { hint: RUN_AGAIN, facts, server, tool });
}
