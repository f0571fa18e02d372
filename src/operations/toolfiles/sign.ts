// Signs tool files with a key of the user.
import { dirname } from "node:path";
import type { DiscoveryEngine } from "../../engine.js";
import { DiscoveryError } from "../../errors.js";
import { claimFolder } from "../../gateway/tool-files.js";
import { MAX_TOOL_FILE_BYTES } from "../../toolfiles/format/tool-file.js";
import { isToolId } from "../../toolfiles/ids/tool-id.js";
import type { SigningKey } from "../../toolfiles/keys/known-key.js";
import { signerName } from "../../toolfiles/keys/signer-name.js";
import { readBytes } from "../../toolfiles/read-bytes.js";
import type { RefusedFile } from "../../toolfiles/read-tool-files.js";
import { rankOf } from "../../toolfiles/version-history.js";
import { absolutePath } from "../../util/home-path.js";
import { realPath } from "../../util/inside.js";
import {
  isInConfiguredFolder,
  type ListedToolFile,
  noteAction,
  openToolFiles,
  pick,
  toFound,
  type ToolFileFolders,
} from "./open-tool-files.js";
import { assertAllReadable, readOwnSigned, readUnsigned, type Signable, writeSigned } from "./signable.js";

/** Which tool files to sign, and with which key. */
export interface SignRequest {
  /** Ids of tool files, or paths. */
  readonly files?: readonly string[];
  /** Instead of `files`: all files that a key of this user has signed, including expired keys. */
  readonly isAll?: boolean;
  /** The id of the user's key to sign with. Default: the newest. */
  readonly keyId?: string | undefined;
}

/** @internal */
export interface SigningPlan {
  /** Paths of the files that the request names. Undefined with `isAll`. */
  readonly named: readonly string[] | undefined;
  /** The key to sign with. Undefined if there is no key yet; `applySigning` then creates one. */
  readonly key: SigningKey | undefined;
  /** The name of the key that signs. */
  readonly keyName: string;
  readonly files: readonly Signable[];
  /** The files that the key has not signed yet. */
  readonly open: readonly Signable[];
}

/** The tool files that were signed, and the key that signed them. */
export interface SignedToolFiles {
  /** Ids of the files that this operation signed. */
  readonly signed: readonly string[];
  /** The key that signed the files. Undefined if no file needed a signature. */
  readonly key: { readonly keyId: string; readonly name: string } | undefined;
  readonly isNewKey: boolean;
  /** Signed files outside the configured folders. */
  readonly outside: readonly string[];
  /** Files that the gateway does not use although they are signed. */
  readonly refused: readonly RefusedFile[];
}

/** Reads the files to sign. Writes nothing. @internal */
export async function planSigning(request: SignRequest, folders: ToolFileFolders): Promise<SigningPlan> {
  const { files: names = [], isAll = false } = request;
  if (names.length > 0 === isAll) {
    throw new DiscoveryError("INVALID_REQUEST", "The request needs either files or --all.", {
      hint: { action: "run-command", command: "anygpt mcp verify", purpose: "see which tool files need a signature" },
    });
  }
  const found = toFound(await folders.read());
  const paths = isAll
    ? await findOwnFiles(found, folders)
    : [...new Set(names.flatMap((word) => toPaths(word, found, folders)))];
  const key = await findKey(request.keyId, folders);
  const moment = { keyId: key?.keyId, keys: await folders.keys.list(), now: folders.stages.runtime.now() };
  const files = assertAllReadable(await Promise.all(paths.map((path) => readUnsigned(path, moment))));
  const open = files.filter(({ isSigned }) => !isSigned);
  return { named: isAll ? undefined : paths, key, keyName: key?.name ?? signerName(), files, open };
}

/** Signs the files of a plan with the content that was read. Creates a key if there is none. @internal */
export async function applySigning(plan: SigningPlan, folders: ToolFileFolders): Promise<SignedToolFiles> {
  const { open, named } = plan;
  const key = plan.key ?? (open.length > 0 ? await createKey(folders) : undefined);
  if (key !== undefined) for (const signable of open) await write(signable, key, folders);
  const { refused } = await folders.read();
  return {
    signed: open.map(({ file }) => file.toolId),
    key: key && { keyId: key.keyId, name: key.name },
    isNewKey: plan.key === undefined,
    outside: (named ?? []).filter((path) => !isInConfiguredFolder(path, folders)),
    refused: refused.filter(({ path, reason }) => (named?.includes(path) ?? true) && reason !== "shadowed"),
  };
}

/**
 * Signs tool files with a key of the user. Review the commands and URLs in the files first: the gateway will use them.
 */
export async function signToolFiles(engine: DiscoveryEngine, request: SignRequest): Promise<SignedToolFiles> {
  const folders = openToolFiles(await engine.stages());
  return await applySigning(await planSigning(request, folders), folders);
}

/**
 * Paths of files that this user's keys signed. Excludes files that were reset to an older version: the user must name
 * those.
 */
async function findOwnFiles(found: readonly ListedToolFile[], { keys, stages }: ToolFileFolders): Promise<string[]> {
  const moment = { keys: await keys.list(), now: stages.runtime.now() };
  const isOwn = async (one: ListedToolFile): Promise<boolean> => {
    if (one.kind === "good") return readOwnSigned(one.path, one.verified.bytes, moment) !== undefined;
    const read = await readBytes(one.path, MAX_TOOL_FILE_BYTES * 2);
    const own = read.kind === "bytes" ? readOwnSigned(one.path, read.bytes, moment) : undefined;
    if (own === undefined) return false;
    const seen = await stages.persistence.store.toolFiles.list(realPath(dirname(one.path)));
    return !seen.some(({ toolId, rank }) => toolId === own.toolId && rank > rankOf(own.version, own.validatedAt));
  };
  const paths = await Promise.all(found.map(async (one) => ((await isOwn(one)) ? [one.path] : [])));
  return [...new Set(paths.flat())];
}

function toPaths(word: string, found: readonly ListedToolFile[], { folders, stages }: ToolFileFolders): string[] {
  const { home, cwd } = stages.runtime;
  if (!isToolId(word)) return [absolutePath(word, { home, baseDir: cwd })];
  // If several folders have a file with this id, the gateway uses the file in the first folder.
  const [first] = pick(found, [word], folders).toSorted(
    (a, b) => folders.indexOf(dirname(a.path)) - folders.indexOf(dirname(b.path)),
  );
  return first === undefined ? [] : [first.path];
}

/**
 * Finds the signing key with this id, or the active key if `wanted` is undefined. Undefined if there is no active key
 * yet.
 */
async function findKey(wanted: string | undefined, { keys }: ToolFileFolders): Promise<SigningKey | undefined> {
  const known = wanted === undefined ? await keys.active() : await keys.signing(wanted);
  if (known === undefined && wanted !== undefined) {
    throw cannotSign(`The key ${JSON.stringify(wanted)} cannot sign on this machine`);
  }
  return known;
}

async function createKey({ keys }: ToolFileFolders): Promise<SigningKey> {
  await keys.create({ name: signerName() });
  const created = await keys.active();
  if (created === undefined) throw cannotSign("The new key cannot sign");
  return created;
}

function cannotSign(what: string): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", `${what}.`, {
    hint: {
      action: "run-command",
      command: "anygpt mcp keys list",
      purpose: "see all keys and their problems",
    },
  });
}

async function write(signable: Signable, key: SigningKey, { stages }: ToolFileFolders): Promise<void> {
  const { path, file } = signable;
  await noteAction(stages, "sign_tool_file", `${path} ${file.version}`);
  await claimFolder(stages.runtime, dirname(path));
  await writeSigned(signable, { key, now: stages.runtime.now() });
}
