// Reads the tool files in folders. Returns those with a valid signature or hash, and for every other file the reason
// why it is rejected. Each file is read once, so that exactly the verified bytes are parsed.
import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { realPath } from "../util/inside.js";
import { MAX_TOOL_FILE_BYTES, type ToolFile } from "./format/tool-file.js";
import { isToolId, TOOL_ID_RULE } from "./ids/tool-id.js";
import type { Keys } from "./keys/open-keys.js";
import { parseVerified } from "./parse-verified.js";
import { readBytes } from "./read-bytes.js";
import { createSigningKeyring, type SigningKeyring } from "./signing/keyring.js";
import { type SignatureRefusal, toSignatureRefusal } from "./signing/refusal.js";
import { type Signatures, type KeyTrust, verifyToolFile } from "./signing/verify.js";
import {
  type Dated,
  type NewerThan,
  refuseRolledBack,
  recordVersions,
  type VersionHistory,
} from "./version-history.js";

export interface ReadToolFilesParts {
  /**
   * The folders to read. If several have a file with the same id, the first signed file is used, otherwise the first
   * file.
   */
  readonly folders: readonly string[];
  readonly keys: Pick<Keys, "list">;
  readonly versions: VersionHistory;
  readonly signatures: Signatures;
  readonly now: number;
  /**
   * The files of the previous read. If a file has become invalid since, its previous version is used, provided that its
   * signature is still valid.
   */
  readonly previous?: readonly VerifiedFile[];
}

export interface VerifiedFile {
  readonly file: ToolFile;
  readonly path: string;
  /** The bytes of the whole file, as verified. */
  readonly bytes: Buffer;
  readonly trust: KeyTrust;
  readonly validatedAt: string;
}

/** A tool file that is rejected, and the reason. */
export interface RefusedFile extends SignatureRefusal {
  /** The path of the file, or of the folder if the whole folder is rejected. */
  readonly path: string;
  /** The previous version of the file, if it is used instead of the rejected one. @internal */
  readonly kept?: VerifiedFile;
}

export interface ReadToolFiles {
  readonly files: readonly VerifiedFile[];
  readonly refused: readonly RefusedFile[];
}

export const MAX_FILES_IN_FOLDER = 10_000;
const CONCURRENCY = 32;
/** The maximum size of the two signature lines above the body of a tool file. */
const ENVELOPE_BYTES = 512;

interface ReadContext extends Omit<ReadToolFilesParts, "keys" | "folders" | "previous"> {
  readonly keys: SigningKeyring;
  readonly previous: ReadonlyMap<string, VerifiedFile>;
}

type Result =
  | { readonly kind: "verified"; readonly verified: VerifiedFile }
  | { readonly kind: "refused"; readonly refused: RefusedFile };

/** Reads and verifies all tool files. An invalid file or folder does not affect the others. */
export async function readToolFiles(parts: ReadToolFilesParts): Promise<ReadToolFiles> {
  const { folders, keys, versions, signatures, now, previous = [] } = parts;
  const context: ReadContext = {
    keys: createSigningKeyring(await keys.list()),
    versions,
    signatures,
    now,
    previous: new Map(previous.map((file) => [file.path, file])),
  };
  const real = folders.map(realPath);
  const results: Result[] = [];
  for (const [index, folder] of folders.entries()) {
    if (real.indexOf(real[index] ?? "") === index) results.push(...(await readFolder(folder, context)));
  }
  return resolveDuplicates(results);
}

async function readFolder(folder: string, context: ReadContext): Promise<Result[]> {
  const { entries, trouble } = await listFolder(folder);
  if (entries.length === 0 && trouble === undefined) return [];
  const read: Result[] = [];
  for (let start = 0; start < entries.length; start += CONCURRENCY) {
    const some = entries.slice(start, start + CONCURRENCY);
    read.push(...(await Promise.all(some.map((entry) => readOne(folder, entry, context)))).flat());
  }
  const { results, newerThan } = await settleVersions(folder, read, context);
  const kept = results.map((result): Result => {
    if (result.kind === "verified") return result;
    const before = stillGood(result.refused.path, newerThan, context);
    return before === undefined ? result : { kind: "refused", refused: { ...result.refused, kept: before } };
  });
  if (trouble === undefined) return kept;
  const unseen = trouble.reason === "unreadable" ? [...context.previous.keys()] : [];
  const left = unseen
    .filter((path) => dirname(path) === folder)
    .flatMap((path) => stillGood(path, newerThan, context) ?? []);
  return [{ kind: "refused", refused: trouble }, ...kept, ...left.map(toResult)];
}

interface Entry {
  readonly name: string;
  readonly isLink: boolean;
}

async function listFolder(folder: string): Promise<{ entries: readonly Entry[]; trouble?: RefusedFile }> {
  try {
    const entries = (await readdir(folder, { withFileTypes: true }))
      .filter(({ name }) => name.endsWith(".yaml") && !name.startsWith("."))
      .map((entry) => ({ name: entry.name, isLink: entry.isSymbolicLink() }))
      .sort((a, b) => Number(a.name > b.name) - Number(a.name < b.name));
    if (entries.length <= MAX_FILES_IN_FOLDER) return { entries };
    const what = `contains ${entries.length} tool files; only the first ${MAX_FILES_IN_FOLDER} by name are read`;
    const refusal = toSignatureRefusal(folder, "too-large", {
      what,
      hint: "Move the files that are not needed to another folder.",
    });
    return { entries: entries.slice(0, MAX_FILES_IN_FOLDER), trouble: { path: folder, ...refusal } };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown";
    return code === "ENOENT" ? { entries: [] } : { entries: [], trouble: unreadable(folder, code) };
  }
}

/** Reads and verifies one file. Returns no result if the file no longer exists. */
async function readOne(folder: string, { name, isLink }: Entry, context: ReadContext): Promise<Result[]> {
  const path = join(folder, name);
  const refused = (file: RefusedFile): Result[] => [{ kind: "refused", refused: file }];
  if (!isToolId(basename(name, ".yaml"))) {
    const hint = `The name before .yaml is the tool's id and ${TOOL_ID_RULE}.`;
    return refused({
      path,
      ...toSignatureRefusal(path, "wrong-name", { what: "has a name that is not allowed for a tool file", hint }),
    });
  }
  const read = await readBytes(path, MAX_TOOL_FILE_BYTES + ENVELOPE_BYTES);
  switch (read.kind) {
    case "gone":
      return isLink ? refused(unreadable(path, "it is a broken link")) : [];
    case "unreadable":
      return refused(unreadable(path, read.reason));
    case "too-large":
      return refused({
        path,
        ...toSignatureRefusal(path, "too-large", { what: "is too large for a tool file", hint: TOO_LARGE }),
      });
    case "bytes":
      return [examine(path, read.bytes, context)];
  }
}

const TOO_LARGE = `Tool files have at most ${MAX_TOOL_FILE_BYTES / 1024} KiB. If this file is not a tool file, move it to another folder.`;

function examine(path: string, bytes: Buffer, { keys, signatures, now, previous }: ReadContext): Result {
  const verdict = verifyToolFile(bytes, { file: path, keys, signatures, now });
  if (verdict.kind === "refused") return { kind: "refused", refused: { path, ...verdict.refusal } };
  const { trust, validatedAt } = verdict;
  const before = previous.get(path);
  if (before?.bytes.equals(bytes) === true) return toResult({ ...before, trust });
  const parsed = parseVerified(path, verdict);
  if (parsed.kind === "refused") return { kind: "refused", refused: { path, ...parsed.refusal } };
  return toResult({ file: parsed.file, path, bytes, trust, validatedAt });
}

/** Rejects files that are older than a version that any process has used before. Runs after all files are read. */
async function settleVersions(folder: string, read: readonly Result[], { versions }: ReadContext) {
  try {
    const files = read.flatMap((result) => (result.kind === "verified" ? [toDated(result.verified)] : []));
    const newerThan = await recordVersions(versions, realPath(folder), files);
    const results = read.map((result): Result => {
      if (result.kind === "refused") return result;
      const { path } = result.verified;
      const dated = toDated(result.verified);
      const newer = newerThan(dated);
      return newer === undefined
        ? result
        : { kind: "refused", refused: { path, ...refuseRolledBack(path, dated, newer) } };
    });
    return { results, newerThan };
  } catch (error) {
    const results = read.map(
      (result): Result =>
        result.kind === "refused" ? result : { kind: "refused", refused: unknownVersion(result.verified.path, error) },
    );
    return { results, newerThan: () => undefined };
  }
}

/**
 * Returns the version of a file that was read last time, if it is signed, its signature is still valid with the
 * current keys, and the gateway has never used a newer version.
 */
function stillGood(path: string, newerThan: NewerThan, { keys, now, previous }: ReadContext): VerifiedFile | undefined {
  const before = previous.get(path);
  if (before?.trust.kind !== "signed" || newerThan(toDated(before)) !== undefined) return undefined;
  return verifyToolFile(before.bytes, { file: path, keys, signatures: "required", now }).kind === "intact"
    ? before
    : undefined;
}

function toDated({ file: { toolId, version }, validatedAt, trust }: VerifiedFile): Dated {
  return { toolId, version, validatedAt, isSigned: trust.kind === "signed" };
}

function toResult(verified: VerifiedFile): Result {
  return { kind: "verified", verified };
}

/**
 * If several files have the same tool id, uses the first signed one, otherwise the first one. Rejects the others,
 * unless they are identical to the used one.
 */
function resolveDuplicates(results: readonly Result[]): ReadToolFiles {
  const found = results.flatMap((result) =>
    result.kind === "verified" ? result.verified : (result.refused.kept ?? []),
  );
  const files = new Map<string, VerifiedFile>();
  for (const file of found) {
    const { toolId } = file.file;
    const before = files.get(toolId);
    if (before === undefined || (before.trust.kind === "hash" && file.trust.kind === "signed")) files.set(toolId, file);
  }
  const refused = results.flatMap((result) => (result.kind === "refused" ? [result.refused] : []));
  const others = found.flatMap((file) => {
    const used = files.get(file.file.toolId);
    return used === undefined || used.bytes.equals(file.bytes) ? [] : [shadowed(file, used)];
  });
  return { files: [...files.values()], refused: [...refused, ...others] };
}

/** The reason for rejecting a file whose tool id another file already uses. */
export function shadowed({ path }: Pick<VerifiedFile, "path">, used: Pick<VerifiedFile, "path">): RefusedFile {
  const what = `is not used, because another file describes the same tool: ${used.path}`;
  const hint = "Remove one of the two files, or give one of them another tool_id.";
  return { path, ...toSignatureRefusal(path, "shadowed", { what, hint, facts: { by: used.path } }) };
}

function unreadable(path: string, reason: string): RefusedFile {
  const hint = { action: "edit-file", path, change: "permissions" } as const;
  return { path, ...toSignatureRefusal(path, "unreadable", { what: `cannot be read: ${reason}`, hint }) };
}

function unknownVersion(path: string, cause: unknown): RefusedFile {
  const what = "is not used, because its previous version cannot be read from the store";
  const hint = {
    action: "run-command",
    command: "anygpt mcp doctor",
    purpose: "see what is wrong with the store",
  } as const;
  return { path, ...toSignatureRefusal(path, "unreadable", { what, hint, cause }) };
}
