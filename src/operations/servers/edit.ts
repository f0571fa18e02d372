// Lets the user edit a configuration file in an editor, then checks the file and stores a backup.
import { join } from "node:path";
import { type LoadParts, loadConfig } from "../../config/load.js";
import { DiscoveryError } from "../../errors.js";
import type { OpenOptions } from "../../gateway/engine-options.js";
import { environmentFor } from "../../gateway/find-configuration.js";
import type { RuntimeEnvironment } from "../../gateway/runtime-environment.js";
import type { FoundServers } from "../../gateway/configured-servers.js";
import { createBackups } from "../files/backups.js";
import { assertTrusted, MAX_EDITS } from "../files/edit-target.js";
import { replaceFile } from "../files/replace-file.js";
import { findTargetFile } from "../files/target.js";
import { NEW_CONFIG, templateFor } from "../files/template.js";
import { compareServers, type DeskOptions, findOffered } from "./desk.js";
import { readRegularFile } from "../../util/regular-file.js";

/** A configuration that is open in an editor. */
export interface OpenEdit {
  readonly file: string;
  readonly place: RuntimeEnvironment;
  readonly options: OpenOptions;
  readonly loadParts: LoadParts;
  readonly isProject: boolean;
  /** The content before the edit. Undefined if the file did not exist. */
  readonly before: Uint8Array | undefined;
  readonly offered: FoundServers | undefined;
  /** Another configuration file that the gateway uses in the working folder instead. */
  readonly overriddenBy?: string;
}

/** Finds the file, even if it is invalid. A missing file is created from the template. */
export async function beginEdit(options: OpenOptions, { isProject = false }: DeskOptions = {}): Promise<OpenEdit> {
  const { loadParts, ...place } = environmentFor(options);
  const { file, isNamed, isProject: isOfProject } = await findTargetFile(loadParts, { isProject, newName: NEW_CONFIG });
  const before = await readRegularFile(file).catch(() => undefined);
  assertTrusted({ file, bytes: before, isProject: isOfProject }, place.trust);
  const offered = await findOffered(options);
  const effective = isNamed || isProject ? undefined : await loadConfig(loadParts).catch(() => undefined);
  const isOverridden = effective?.origin === "project" && effective.file !== undefined;
  if (before === undefined) {
    await replaceFile({ path: file, expected: undefined, bytes: Buffer.from(templateFor(file)) });
  }
  const edit = { file, place, options, loadParts, isProject: isOfProject, before, offered };
  return isOverridden ? { ...edit, overriddenBy: effective.file } : edit;
}

export type EditOutcome =
  | { readonly kind: "unchanged" | "valid" }
  | { readonly kind: "invalid"; readonly error: DiscoveryError };

/** Checks whether the edited file is a valid configuration. */
export async function checkEdit({ file, before, loadParts }: OpenEdit): Promise<EditOutcome> {
  try {
    const now = await readRegularFile(file).catch((error: unknown) => {
      throw new DiscoveryError("CONFIGURATION_ERROR", `${file} no longer exists.`, { cause: error });
    });
    if (before !== undefined && Buffer.compare(before, now) === 0) return { kind: "unchanged" };
    await loadConfig({ ...loadParts, path: file });
    return { kind: "valid" };
  } catch (error) {
    if (error instanceof DiscoveryError) return { kind: "invalid", error };
    throw error;
  }
}

/** Whether the user has changed the file since it was opened. */
export async function isTouched({ file, before }: OpenEdit): Promise<boolean> {
  const now = await readRegularFile(file).catch(() => undefined);
  return now === undefined || Buffer.compare(now, before ?? Buffer.from(templateFor(file))) !== 0;
}

/** Stores a backup so that the edit can be undone, and returns the servers that the edit removed. */
export async function keepEdit(edit: OpenEdit): Promise<{ readonly lost: readonly string[] }> {
  const { file, before, place, isProject, offered, options } = edit;
  const backups = createBackups(join(place.stateFolder, "backups"), place.now, "edit");
  const after = await readRegularFile(file);
  const mark = isProject ? { isProject: true as const } : {};
  await backups.keep({ role: "config", path: file, before, after, sections: [], ...mark });
  if (isProject) await place.trust.record(file, after);
  await backups.forgetEdits(MAX_EDITS);
  return compareServers(offered, await findOffered(options));
}

/** Restores the content that the file had before the edit. */
export async function dropEdit({ file, before }: OpenEdit): Promise<void> {
  const now = await readRegularFile(file).catch(() => undefined);
  if (now === undefined ? before === undefined : before !== undefined && Buffer.compare(now, before) === 0) return;
  await replaceFile({ path: file, expected: now, bytes: before });
}
