// One record per execution comes in and is on disk before the promise resolves. It refuses to know arguments and results.
import { createHmac, randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DiscoveryError, type ErrorCode } from "../errors.js";
import type { Surface } from "../model/actor.js";
import { canonicalJson } from "../util/canonical-json.js";
import { ensurePrivateFolder } from "../util/private-files.js";

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
    return await open(file, APPEND, 0o600);
  };

  // Records that arrive during a sync share the next one: the cost of durability does not grow with the load.
  const flush = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        handle ??= openLog();
        const log = await handle;
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

  return {
    record(entry) {
      return new Promise((resolve, reject) => {
        waiting.push({ line: `${JSON.stringify(entry)}\n`, resolve, reject });
        flushing ??= flush();
      });
    },
    async hashParams(params) {
      key ??= openKey(keyFile);
      const secret = await key.catch((error: unknown) => {
        key = undefined;
        throw toUnavailable(error, keyFile);
      });
      return createHmac("sha256", secret).update(canonicalJson(params)).digest("hex");
    },
    async close() {
      await flushing;
      await closeQuietly(handle);
      handle = undefined;
    },
  };
}

async function closeQuietly(handle: Promise<FileHandle> | undefined): Promise<void> {
  await handle?.then((log) => log.close()).catch(() => undefined);
}

/** The first process makes the key; `wx` lets exactly one of several win, the others read its file. */
async function openKey(file: string): Promise<Buffer> {
  await ensurePrivateFolder(dirname(file));
  try {
    const handle = await open(file, "wx", 0o600);
    try {
      const secret = randomBytes(32);
      await handle.writeFile(secret);
      await handle.datasync();
      return secret;
    } finally {
      await handle.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    const secret = await readFile(file);
    if (secret.length < 32) throw new Error(`${file} holds no whole key.`, { cause: error });
    return secret;
  }
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
