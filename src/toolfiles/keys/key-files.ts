import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { ensurePrivateFolder, writePrivateFile } from "../../util/private-files.js";
import { openRegularFile, readToEnd } from "../../util/regular-file.js";
import { syncFolder } from "../../util/sync-folder.js";
import { KEY_ID, keyIdOf, parseKeyBytes, publicKeyOf } from "./ed25519.js";
import { keyName, publicKeyText } from "./key-line.js";
import type { KeyProblem } from "./known-key.js";

const FILE = /^([0-9a-f]{32})\.(private|public|revoked)\.json$/;
const MAX_KEY_FILE_BYTES = 16_384;
const READABLE_BY_OTHERS = 0o077;
const WRITABLE_BY_OTHERS = 0o022;

const time = z.iso.datetime();
const identity = { keyId: z.string().regex(KEY_ID), publicKey: publicKeyText, name: keyName };
const MAX_OVERLAP_MS = 10 * 366 * 24 * 60 * 60_000;

/**
 * How long the previous key remains valid after this one is created. Only keys created on this machine have an overlap.
 */
export const overlapMs = z.number().int().min(0).max(MAX_OVERLAP_MS);

const privateRecord = z.strictObject({ ...identity, privateKey: publicKeyText, createdAt: time, overlapMs });
const publicRecord = z.strictObject({
  ...identity,
  trustedAt: time,
  notAfter: time.optional(),
  overlapMs: overlapMs.optional(),
});
const revokedRecord = z.strictObject({ keyId: identity.keyId, revokedAt: time });

export type PrivateRecord = z.infer<typeof privateRecord>;
export type PublicRecord = z.infer<typeof publicRecord>;
export type RevokedRecord = z.infer<typeof revokedRecord>;

export interface KeyFolder {
  readonly privates: ReadonlyMap<string, PrivateRecord>;
  readonly publics: ReadonlyMap<string, PublicRecord>;
  readonly revoked: ReadonlyMap<string, string>;
  readonly problems: readonly KeyProblem[];
}

/**
 * A file of the key folder. Each kind of record has its own file, and files are never modified, so that concurrent
 * processes do not undo each other's changes.
 */
type KeyFile =
  | { readonly kind: "private"; readonly record: PrivateRecord }
  | { readonly kind: "public"; readonly record: PublicRecord }
  | { readonly kind: "revoked"; readonly record: RevokedRecord };

export async function writeKeyFile(folder: string, { kind, record }: KeyFile): Promise<void> {
  await ensurePrivateFolder(folder);
  await namesIn(folder);
  await writePrivateFile(join(folder, `${record.keyId}.${kind}.json`), `${JSON.stringify(record, null, 2)}\n`);
  await syncFolder(folder);
}

/** Reads all usable keys in the folder. Unusable files are skipped and reported in `problems`. */
export async function readKeyFolder(folder: string): Promise<KeyFolder> {
  const privates = new Map<string, PrivateRecord>();
  const publics = new Map<string, PublicRecord>();
  const revoked = new Map<string, string>();
  const problems: KeyProblem[] = [];
  try {
    for (const name of await namesIn(folder)) {
      const [, keyId, kind] = FILE.exec(name) ?? [];
      if (keyId === undefined) continue;
      const file = join(folder, name);
      // The name of a file alone revokes the key, even if its content is damaged.
      if (kind === "revoked") revoked.set(keyId, new Date(0).toISOString());
      try {
        const content = await readKeyFile(file);
        if (kind === "private") privates.set(keyId, checkPrivate(parse(privateRecord, content), keyId));
        else if (kind === "public") publics.set(keyId, checkPublic(parse(publicRecord, content), keyId));
        else revoked.set(keyId, parse(revokedRecord, content).revokedAt);
      } catch (error) {
        problems.push({ file, keyId, reason: fileErrorReason(error) });
      }
    }
  } catch (error) {
    problems.push({ file: folder, reason: fileErrorReason(error) });
  }
  return { privates, publics, revoked, problems };
}

class UnusableKeyError extends Error {
  override readonly name = "UnusableKeyError";
}

async function namesIn(folder: string): Promise<string[]> {
  const found = await stat(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (found === undefined) return [];
  if (isOpenTo(found.mode, WRITABLE_BY_OTHERS)) {
    throw new UnusableKeyError("other users can write to it; give it mode 700 and check its files");
  }
  return (await readdir(folder)).sort();
}

async function readKeyFile(file: string): Promise<string> {
  const handle = await openRegularFile(file, { refusesLink: true }).catch((error: NodeJS.ErrnoException) => {
    const isOther = error.code === "EISDIR" || error.code === "NOT_A_REGULAR_FILE";
    throw isOther ? new UnusableKeyError("it is not a regular file") : error;
  });
  try {
    const { mode, size } = await handle.stat();
    if (isOpenTo(mode, READABLE_BY_OTHERS)) {
      throw new UnusableKeyError(
        "other users can read or write it; give it mode 600 if no other user has read or changed it",
      );
    }
    if (size > MAX_KEY_FILE_BYTES) throw new UnusableKeyError("it is too large for a key");
    return (await readToEnd(handle, file, MAX_KEY_FILE_BYTES)).toString("utf8");
  } finally {
    await handle.close();
  }
}

function isOpenTo(mode: number, others: number): boolean {
  return process.platform !== "win32" && (mode & others) !== 0;
}

function parse<T>(schema: z.ZodType<T>, content: string): T {
  const json = z.string().transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      // Do not use the parser's message, which would quote the file.
      context.addIssue({ code: "custom", message: "it is not JSON" });
      return z.NEVER;
    }
  });
  const parsed = json.pipe(schema).safeParse(content);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UnusableKeyError(issue?.path.length ? `its ${issue.path.join(".")} is invalid` : "its content is invalid");
}

/**
 * Throws if the record does not belong to this file name. The id is computed from the key bytes, so that another key
 * cannot be stored under this name.
 */
function checkPublic<T extends { keyId: string; publicKey: string }>(record: T, keyId: string): T {
  const bytes = parseKeyBytes(record.publicKey);
  if (bytes === undefined || keyIdOf(bytes) !== keyId || record.keyId !== keyId) {
    throw new UnusableKeyError("it contains a key whose id differs from the file name");
  }
  return record;
}

function checkPrivate(record: PrivateRecord, keyId: string): PrivateRecord {
  if (publicKeyOf(record.privateKey) !== record.publicKey) {
    throw new UnusableKeyError("its private key and public key do not match");
  }
  return checkPublic(record, keyId);
}

/** The reason of an error, for messages. Never returns the text of an unknown error, which may quote the file. */
export function fileErrorReason(error: unknown): string {
  if (error instanceof UnusableKeyError) return error.message;
  const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
  return `it cannot be used${code}`;
}
