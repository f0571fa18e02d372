// One record per execution comes in and is on disk before the promise resolves. It refuses to know arguments and results.
import { createHmac, randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, link, open, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DiscoveryError, type ErrorCode } from "../errors.js";
import type { Surface } from "../model/actor.js";
import { canonicalJson } from "../util/canonical-json.js";
import { ensurePrivateFolder, writePrivateFile } from "../util/private-files.js";

export interface AuditRecord {
  readonly request_id: string;
  readonly timestamp: string;
  readonly actor_id: string;
  readonly surface: Surface;
  readonly tool_id: string;
  /** HMAC of the canonical arguments: equal calls can be recognised, guessed ones cannot be confirmed without the key. */
  readonly params_hash: string;
  readonly decision: "allowed" | "refused";
  readonly outcome: "ok" | "tool_error" | "error";
  readonly error_code?: ErrorCode;
  readonly duration_ms: number;
}

export interface AuditLog {
  /** Resolves when the record is durable; rejects with AUDIT_UNAVAILABLE. */
  record(entry: AuditRecord): Promise<void>;
  hashParams(params: unknown): Promise<string>;
  /** Opens what a record needs; rejects with AUDIT_UNAVAILABLE when none could be written. */
  prepare(): Promise<void>;
  /** Lets go of the file; the next record opens it anew, which may be another one under the same name. */
  release(): Promise<void>;
  close(): Promise<void>;
}

export interface AuditParts {
  readonly file: string;
  readonly keyFile: string;
}

/** With this flag a write returns when the data is on the disk: one step instead of two. Windows does not have it. */
const DSYNC = constants.O_DSYNC as number | undefined;
const APPEND = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | (DSYNC ?? 0);

/** Opens nothing until the first record: a start that executes no tool touches no file. */
export function createAuditLog({ file, keyFile }: AuditParts): AuditLog {
  let handle: Promise<FileHandle> | undefined;
  let key: Promise<Buffer> | undefined;
  let waiting: { line: string; resolve: () => void; reject: (error: unknown) => void }[] = [];
  let flushing: Promise<void> | undefined;

  const openLog = async (): Promise<FileHandle> => {
    await ensurePrivateFolder(dirname(file));
    const log = await open(file, APPEND, 0o600);
    // A line that a crash or a full disk cut short must not swallow the next one.
    if (await endsMidLine(file)) await log.appendFile("\n");
    return log;
  };
  const openedLog = async (): Promise<FileHandle> => {
    handle ??= openLog();
    return await handle;
  };
  const openedKey = async (): Promise<Buffer> => {
    key ??= openKey(keyFile);
    return await key.catch((error: unknown) => {
      key = undefined;
      throw toUnavailable(error, keyFile);
    });
  };

  // Records that arrive during a sync share the next one: the cost of durability does not grow with the load.
  const flush = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        const log = await openedLog();
        await log.appendFile(batch.map(({ line }) => line).join(""));
        if (DSYNC === undefined) await log.datasync();
        for (const { resolve } of batch) resolve();
      } catch (error) {
        await closeQuietly(handle);
        handle = undefined;
        for (const { reject } of batch) reject(toUnavailable(error, file));
      }
    }
    flushing = undefined;
  };

  const release = async (): Promise<void> => {
    await flushing;
    const opened = handle;
    handle = undefined;
    await closeQuietly(opened);
  };

  return {
    record(entry) {
      return new Promise((resolve, reject) => {
        waiting.push({ line: `${JSON.stringify(entry)}\n`, resolve, reject });
        flushing ??= flush();
      });
    },
    async hashParams(params) {
      return createHmac("sha256", await openedKey())
        .update(canonicalJson(params))
        .digest("hex");
    },
    async prepare() {
      await openedKey();
      await openedLog().catch((error: unknown) => {
        handle = undefined;
        throw toUnavailable(error, file);
      });
    },
    release,
    close: release,
  };
}

async function closeQuietly(handle: Promise<FileHandle> | undefined): Promise<void> {
  await handle?.then((log) => log.close()).catch(() => undefined);
}

async function endsMidLine(file: string): Promise<boolean> {
  const reader = await open(file, "r");
  try {
    const { size } = await reader.stat();
    if (size === 0) return false;
    const { buffer } = await reader.read(Buffer.alloc(1), 0, 1, size - 1);
    return buffer.toString() !== "\n";
  } finally {
    await reader.close();
  }
}

const KEY_BYTES = 32;

/**
 * The first process makes the key, the others take it. It is written whole beside its place and then linked there:
 * exactly one of several wins, and none ever sees half a key.
 */
async function openKey(file: string): Promise<Buffer> {
  const known = await readKey(file);
  if (known !== undefined) return known;
  await ensurePrivateFolder(dirname(file));
  const draft = `${file}.${process.pid}.${randomBytes(6).toString("hex")}`;
  try {
    await writePrivateFile(draft, randomBytes(KEY_BYTES));
    await link(draft, file).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
      // What is too short to be a key is the rest of a failed attempt.
      if ((await readKey(file)) === undefined) await rename(draft, file);
    });
  } finally {
    await rm(draft, { force: true });
  }
  const key = await readKey(file);
  if (key === undefined) throw new Error(`${file} cannot be made.`);
  return key;
}

async function readKey(file: string): Promise<Buffer | undefined> {
  const key = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  return key !== undefined && key.length >= KEY_BYTES ? key : undefined;
}

function toUnavailable(error: unknown, file: string): DiscoveryError {
  const code = (error as NodeJS.ErrnoException).code;
  return new DiscoveryError(
    "AUDIT_UNAVAILABLE",
    `The audit record could not be written to ${file}${code ? ` (${code})` : ""}.`,
    {
      hint: "Free the disk or correct the folder's permissions, or set audit.file to a writable place.",
      cause: error,
    },
  );
}

export function auditFiles(stateFolder: string, file: string | undefined): AuditParts {
  return { file: file ?? join(stateFolder, "audit.jsonl"), keyFile: join(stateFolder, "audit.key") };
}
