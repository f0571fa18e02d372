import { constants } from "node:fs";
import { open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { ensurePrivateFolder, writePrivateFile } from "../../util/private-files.js";
import { syncFolder } from "../../util/sync-folder.js";
import { KEY_ID, keyIdOf, parseKeyBytes, publicKeyOf } from "./ed25519.js";
import { keyName, publicKeyText } from "./key-line.js";
import type { KeyProblem } from "./known-key.js";

const FILE = /^([0-9a-f]{32})\.(private|public|revoked)\.json$/;
const MOST_BYTES = 16_384;
const READABLE_BY_OTHERS = 0o077;
const WRITABLE_BY_OTHERS = 0o022;

const time = z.iso.datetime();
const identity = { keyId: z.string().regex(KEY_ID), publicKey: publicKeyText, name: keyName };
const MOST_OVERLAP_MS = 10 * 366 * 24 * 60 * 60_000;

/** How long the key before it stays good. Only a key that was made here has one. */
export const overlapMs = z.number().int().min(0).max(MOST_OVERLAP_MS);

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

/** A file of its own for each purpose: nobody ever reads, changes and writes one, so no process undoes what another did. */
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

/** Everything in the folder that can be relied on; what cannot is reported and left out. */
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
      // Whatever becomes of its content, the file's name alone says that the key is revoked.
      if (kind === "revoked") revoked.set(keyId, new Date(0).toISOString());
      try {
        const content = await readKeyFile(file);
        if (kind === "private") privates.set(keyId, checkPrivate(parse(privateRecord, content), keyId));
        else if (kind === "public") publics.set(keyId, checkPublic(parse(publicRecord, content), keyId));
        else revoked.set(keyId, parse(revokedRecord, content).revokedAt);
      } catch (error) {
        problems.push({ file, keyId, reason: reasonOf(error) });
      }
    }
  } catch (error) {
    problems.push({ file: folder, reason: reasonOf(error) });
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
    throw new UnusableKeyError("other users can write to it; give it mode 700 and look through it");
  }
  return (await readdir(folder)).sort();
}

async function readKeyFile(file: string): Promise<string> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { mode, size } = await checkRegular(handle);
    if (isOpenTo(mode, READABLE_BY_OTHERS)) {
      throw new UnusableKeyError("other users can read or write it; give it mode 600 if nobody has");
    }
    if (size > MOST_BYTES) throw new UnusableKeyError("it is too large for a key");
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
}

async function checkRegular(handle: Awaited<ReturnType<typeof open>>) {
  const found = await handle.stat();
  if (!found.isFile()) throw new UnusableKeyError("it is not a regular file");
  return found;
}

function isOpenTo(mode: number, others: number): boolean {
  return process.platform !== "win32" && (mode & others) !== 0;
}

function parse<T>(schema: z.ZodType<T>, content: string): T {
  const json = z.string().transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      // The parser's own words would quote the file.
      context.addIssue({ code: "custom", message: "it is not JSON" });
      return z.NEVER;
    }
  });
  const parsed = json.pipe(schema).safeParse(content);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UnusableKeyError(issue?.path.length ? `its ${issue.path.join(".")} is wrong` : "its content is broken");
}

/** The id is what the bytes say, not what the file says: another key cannot stand under this one's name. */
function checkPublic<T extends { keyId: string; publicKey: string }>(record: T, keyId: string): T {
  const bytes = parseKeyBytes(record.publicKey);
  if (bytes === undefined || keyIdOf(bytes) !== keyId || record.keyId !== keyId) {
    throw new UnusableKeyError("it holds another key than its name says");
  }
  return record;
}

function checkPrivate(record: PrivateRecord, keyId: string): PrivateRecord {
  if (publicKeyOf(record.privateKey) !== record.publicKey) {
    throw new UnusableKeyError("its two halves do not belong together");
  }
  return checkPublic(record, keyId);
}

/** Never the text of a foreign error: it may quote what the file holds. */
export function reasonOf(error: unknown): string {
  if (error instanceof UnusableKeyError) return error.message;
  const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
  return `it cannot be used${code}`;
}
