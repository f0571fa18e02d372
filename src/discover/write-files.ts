// Signs and writes the planned tool files one by one and reports the outcome of each. A failure does not affect the
// other files.
import { DiscoveryError, toDiscoveryError } from "../errors.js";
import { MAX_TOOL_FILE_BYTES, type ToolFile } from "../toolfiles/format/tool-file.js";
import { toToolFileText } from "../toolfiles/format/to-text.js";
import type { SigningKey } from "../toolfiles/keys/known-key.js";
import type { Keys } from "../toolfiles/keys/open-keys.js";
import { readBytes } from "../toolfiles/read-bytes.js";
import { toValidatedAt } from "../toolfiles/signing/envelope.js";
import { signToolFile } from "../toolfiles/signing/sign.js";
import { recordVersions, type VersionHistory } from "../toolfiles/version-history.js";
import { removeToolFile, toolFilePath, writeToolFile } from "../toolfiles/write-tool-file.js";
import { realPath } from "../util/inside.js";
import type { FilePlan } from "./plan-files.js";

export type Note = (act: { readonly action: string; readonly subject: string }) => Promise<void>;

export interface WriteParts {
  readonly folder: string;
  readonly keys: Keys;
  /** The name of a new signing key, if one must be created. */
  readonly keyName: string;
  readonly versions: VersionHistory;
  /** Writes the action to the audit log before the file is signed. If this fails, the file is not written. */
  readonly note: Note;
  /** The signing time, the same for all files. */
  readonly now: number;
}

/** `kept`: the file was not changed. */
export type Done = "written" | "removed" | "kept" | "failed";

export interface FileOutcome extends FilePlan {
  readonly done: Done;
  readonly failure?: DiscoveryError;
}

export interface UsedKey {
  readonly keyId: string;
  readonly name: string;
  readonly isNew: boolean;
}

export interface WrittenToolFiles {
  readonly outcomes: readonly FileOutcome[];
  readonly key?: UsedKey;
}

export async function writeFiles(plans: readonly FilePlan[], parts: WriteParts): Promise<WrittenToolFiles> {
  const hasWork = plans.some(({ write }) => write !== undefined);
  const signer = hasWork ? await openSigner(parts) : undefined;
  const outcomes: FileOutcome[] = [];
  for (const plan of plans) outcomes.push(await carryOut(plan, signer?.key, parts));
  await remember(outcomes, parts);
  if (signer === undefined) return { outcomes };
  const { keyId, name } = signer.key;
  return { outcomes, key: { keyId, name, isNew: signer.isNew } };
}

async function openSigner({ keys, keyName }: WriteParts): Promise<{ key: SigningKey; isNew: boolean }> {
  const known = await keys.active();
  if (known !== undefined) return { key: known, isNew: false };
  await keys.create({ name: keyName });
  const created = await keys.active();
  if (created !== undefined) return { key: created, isNew: true };
  throw new DiscoveryError("CONFIGURATION_ERROR", "No usable key to sign tool files was found.", {
    hint: {
      action: "run-command",
      command: "anygpt mcp keys list",
      purpose: "see all keys and what is wrong with them",
    },
  });
}

async function carryOut(plan: FilePlan, key: SigningKey | undefined, parts: WriteParts): Promise<FileOutcome> {
  const { write, isRemoved, toolId } = plan;
  try {
    if (isRemoved === true) {
      await assertUnchanged(plan, parts);
      await removeToolFile(parts.folder, toolId);
      return { ...plan, done: "removed" };
    }
    if (write === undefined || key === undefined) return { ...plan, done: "kept" };
    await assertUnchanged(plan, parts);
    const subject = `${toolFilePath(parts.folder, toolId)} ${write.version}`;
    await parts.note({ action: "sign_tool_file", subject });
    await writeToolFile(parts.folder, toolId, toBytes(write, key, parts.now));
    return { ...plan, done: "written" };
  } catch (error) {
    return { ...plan, done: "failed", failure: toDiscoveryError(error, "no") };
  }
}

function toBytes(file: ToolFile, key: SigningKey, now: number): Buffer {
  return signToolFile(Buffer.from(toToolFileText(file)), key, now);
}

/** Throws if the file was changed after the plan was made. */
async function assertUnchanged({ existing, toolId }: FilePlan, { folder }: WriteParts): Promise<void> {
  const path = toolFilePath(folder, toolId);
  const found = await readBytes(path, MAX_TOOL_FILE_BYTES * 2);
  const before = existing?.bytes;
  const isSame =
    existing === undefined || before === undefined
      ? found.kind !== "bytes" || existing !== undefined
      : found.kind === "bytes" && found.bytes.equals(before);
  if (isSame) return;
  throw new DiscoveryError(
    "CONFIGURATION_ERROR",
    `${path} was changed during the discovery, so it was not overwritten.`,
    {
      hint: "Discover the server again.",
    },
  );
}

/** Records the version, so that a later rollback is detected. */
async function remember(outcomes: readonly FileOutcome[], { versions, folder, now }: WriteParts): Promise<void> {
  const files = outcomes.flatMap(({ done, write }) =>
    done === "written" && write !== undefined
      ? [{ toolId: write.toolId, version: write.version, validatedAt: toValidatedAt(now), isSigned: true }]
      : [],
  );
  if (files.length > 0) await recordVersions(versions, realPath(folder), files);
}
