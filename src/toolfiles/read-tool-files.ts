// Folders come in; out go the tool files in them that somebody vouches for, and every other one with the reason why it is
// refused. It refuses to know what is done with a tool, and reads each file once: what is parsed is what was verified.
import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { realPath } from "../util/inside.js";
import { LARGEST_BYTES, type ToolFile } from "./format/tool-file.js";
import { isToolId, TOOL_ID_RULE } from "./ids/tool-id.js";
import type { Keys } from "./keys/open-keys.js";
import { parseVerified } from "./parse-verified.js";
import { readBytes } from "./read-bytes.js";
import { createKeyring, type Keyring } from "./signing/keyring.js";
import { type Refusal, refuse } from "./signing/refusal.js";
import { type Signatures, type Trust, verify } from "./signing/verify.js";
import { type Dated, type NewerThan, refuseRolledBack, rememberVersions, type VersionBook } from "./version-book.js";

export interface ReadParts {
  /** The first that holds a tool's id has it. */
  readonly folders: readonly string[];
  readonly keys: Pick<Keys, "list">;
  readonly versions: VersionBook;
  readonly signatures: Signatures;
  readonly now: number;
  /** What was read before: it stands in for a file that has turned bad since. */
  readonly previous?: readonly VerifiedFile[];
}

export interface VerifiedFile {
  readonly file: ToolFile;
  readonly path: string;
  /** The whole file, as it was verified. */
  readonly bytes: Buffer;
  readonly trust: Trust;
  readonly validatedAt: string;
}

export interface RefusedFile extends Refusal {
  /** Of the file, or of the folder where all of it is refused. */
  readonly path: string;
  /** The file as it was before, which is used in its place. */
  readonly kept?: VerifiedFile;
}

export interface ReadToolFiles {
  readonly files: readonly VerifiedFile[];
  readonly refused: readonly RefusedFile[];
}

export const MOST_FILES = 10_000;
const AT_ONCE = 32;
/** The two lines above the body take less. */
const ENVELOPE_BYTES = 512;

interface Desk extends Omit<ReadParts, "keys" | "folders" | "previous"> {
  readonly keys: Keyring;
  readonly previous: ReadonlyMap<string, VerifiedFile>;
}

type Result =
  | { readonly kind: "verified"; readonly verified: VerifiedFile }
  | { readonly kind: "refused"; readonly refused: RefusedFile };

/** A file or a folder that is bad costs nothing but itself. */
export async function readToolFiles(parts: ReadParts): Promise<ReadToolFiles> {
  const { folders, keys, versions, signatures, now, previous = [] } = parts;
  const desk: Desk = {
    keys: createKeyring(await keys.list()),
    versions,
    signatures,
    now,
    previous: new Map(previous.map((file) => [file.path, file])),
  };
  const real = folders.map(realPath);
  const results: Result[] = [];
  for (const [index, folder] of folders.entries()) {
    if (real.indexOf(real[index] ?? "") === index) results.push(...(await readFolder(folder, desk)));
  }
  return shareOut(results);
}

async function readFolder(folder: string, desk: Desk): Promise<Result[]> {
  const { entries, trouble } = await listFolder(folder);
  if (entries.length === 0 && trouble === undefined) return [];
  const read: Result[] = [];
  for (let start = 0; start < entries.length; start += AT_ONCE) {
    const some = entries.slice(start, start + AT_ONCE);
    read.push(...(await Promise.all(some.map((entry) => readOne(folder, entry, desk)))).flat());
  }
  const { results, newerThan } = await settleVersions(folder, read, desk);
  const kept = results.map((result): Result => {
    if (result.kind === "verified") return result;
    const before = stillGood(result.refused.path, newerThan, desk);
    return before === undefined ? result : { kind: "refused", refused: { ...result.refused, kept: before } };
  });
  if (trouble === undefined) return kept;
  const unseen = trouble.reason === "unreadable" ? [...desk.previous.keys()] : [];
  const left = unseen
    .filter((path) => dirname(path) === folder)
    .flatMap((path) => stillGood(path, newerThan, desk) ?? []);
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
    if (entries.length <= MOST_FILES) return { entries };
    const what = `holds ${entries.length} tool files, and only the first ${MOST_FILES} by name are read`;
    const refusal = refuse(folder, "too-large", { what, hint: "Move those away that nobody needs." });
    return { entries: entries.slice(0, MOST_FILES), trouble: { path: folder, ...refusal } };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown";
    return code === "ENOENT" ? { entries: [] } : { entries: [], trouble: unreadable(folder, code) };
  }
}

/** None where there is no file any more. */
async function readOne(folder: string, { name, isLink }: Entry, desk: Desk): Promise<Result[]> {
  const path = join(folder, name);
  const refused = (file: RefusedFile): Result[] => [{ kind: "refused", refused: file }];
  if (!isToolId(basename(name, ".yaml"))) {
    const hint = `The name before .yaml is the tool's id and ${TOOL_ID_RULE}.`;
    return refused({ path, ...refuse(path, "wrong-name", { what: "has a name that no tool file can have", hint }) });
  }
  const read = await readBytes(path, LARGEST_BYTES + ENVELOPE_BYTES);
  switch (read.kind) {
    case "gone":
      return isLink ? refused(unreadable(path, "it is a link that leads nowhere")) : [];
    case "unreadable":
      return refused(unreadable(path, read.reason));
    case "too-large":
      return refused({ path, ...refuse(path, "too-large", { what: "is too large for a tool file", hint: TOO_LARGE }) });
    case "bytes":
      return [examine(path, read.bytes, desk)];
  }
}

const TOO_LARGE = `A tool file has at most ${LARGEST_BYTES / 1024} KiB; move it away if it is none.`;

function examine(path: string, bytes: Buffer, { keys, signatures, now, previous }: Desk): Result {
  const verdict = verify(bytes, { file: path, keys, signatures, now });
  if (verdict.kind === "refused") return { kind: "refused", refused: { path, ...verdict.refusal } };
  const { trust, validatedAt } = verdict;
  const before = previous.get(path);
  if (before?.bytes.equals(bytes) === true) return toResult({ ...before, trust });
  const parsed = parseVerified(path, verdict);
  if (parsed.kind === "refused") return { kind: "refused", refused: { path, ...parsed.refusal } };
  return toResult({ file: parsed.file, path, bytes, trust, validatedAt });
}

/** After the files were read: one that is older than what anybody had seen by then is refused. */
async function settleVersions(folder: string, read: readonly Result[], { versions }: Desk) {
  try {
    const files = read.flatMap((result) => (result.kind === "verified" ? [toDated(result.verified)] : []));
    const newerThan = await rememberVersions(versions, realPath(folder), files);
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

/** What was signed before and is still vouched for by the keys of now. */
function stillGood(path: string, newerThan: NewerThan, { keys, now, previous }: Desk): VerifiedFile | undefined {
  const before = previous.get(path);
  if (before?.trust.kind !== "signed" || newerThan(toDated(before)) !== undefined) return undefined;
  return verify(before.bytes, { file: path, keys, signatures: "required", now }).kind === "intact" ? before : undefined;
}

function toDated({ file: { toolId, version }, validatedAt, trust }: VerifiedFile): Dated {
  return { toolId, version, validatedAt, isSigned: trust.kind === "signed" };
}

function toResult(verified: VerifiedFile): Result {
  return { kind: "verified", verified };
}

/** Gives each id to the first file that somebody has signed for it, else to the first that has it. */
function shareOut(results: readonly Result[]): ReadToolFiles {
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

/** For a file in whose place another one is used. */
export function shadowed({ path }: Pick<VerifiedFile, "path">, used: Pick<VerifiedFile, "path">): RefusedFile {
  const what = `is not used, for another file describes the same tool: ${used.path}`;
  const hint = "Remove one of the two, or give one of them another tool_id.";
  return { path, ...refuse(path, "shadowed", { what, hint, facts: { by: used.path } }) };
}

function unreadable(path: string, reason: string): RefusedFile {
  const hint = "Correct its permissions or take it away.";
  return { path, ...refuse(path, "unreadable", { what: `cannot be read: ${reason}`, hint }) };
}

function unknownVersion(path: string, cause: unknown): RefusedFile {
  const what = "is not used, for nobody can tell which version of it was here before";
  const hint = "Make the store in the state folder usable; `anygpt mcp doctor` says what is wrong with it.";
  return { path, ...refuse(path, "unreadable", { what, hint, cause }) };
}
