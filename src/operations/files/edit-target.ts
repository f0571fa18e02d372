// Edits a configuration file atomically, with a backup. Every command that edits a configuration uses this.
import { parseConfig } from "../../config/load.js";
import type { Trust } from "../../config/trust.js";
import { DiscoveryError } from "../../errors.js";
import type { Change } from "../../sources/rewrite/change.js";
import { addKey, type ConfigView, editConfig } from "../../sources/rewrite/edit-config.js";
import type { Backups } from "./backups.js";
import type { EditTarget } from "./target.js";
import { templateFor } from "./template.js";
import { writeAll } from "./write.js";

/** The number of edits that can be undone. Older backups are deleted. */
export const MAX_EDITS = 50;

/** Returns the new content of the file. Throws if it is not a valid configuration. */
export async function planEdit(
  target: EditTarget,
  toChanges: (view: ConfigView) => readonly Change[],
): Promise<Uint8Array> {
  const { file, format, isShared, isImplicit } = target;
  assertEditable(target);
  const result = await editConfig(
    { bytes: target.bytes ?? Buffer.from(templateFor(file)), format: format === "yaml" ? "yaml" : "json", isShared },
    // A file without servers implies `sources: all`. When the first server is added, this must be written explicitly.
    (view) => [...(isImplicit ? [addKey(view, "sources", "all")] : []), ...toChanges(view)],
  );
  if (result.kind === "refused") {
    throw new DiscoveryError("CONFIGURATION_ERROR", `${file} ${result.reason}, so nothing was changed in it.`, {
      hint: "Make the change in an editor, or name another file with --config.",
    });
  }
  parseConfig(result.value, file);
  return result.bytes;
}

function assertEditable({ file, format }: EditTarget): void {
  if (format !== "program") return;
  throw new DiscoveryError(
    "CONFIGURATION_ERROR",
    `${file} is a JavaScript or TypeScript module, which the gateway does not edit.`,
    {
      hint: "Make the change in an editor, or name another file with --config.",
    },
  );
}

/** Throws for an untrusted file of a project: an edit would trust content that the user has not reviewed. */
export function assertTrusted(
  { file, bytes, isProject }: Pick<EditTarget, "file" | "bytes" | "isProject">,
  trust: Trust,
): void {
  if (!isProject || bytes === undefined || trust.isTrusted(file, bytes)) return;
  throw new DiscoveryError("CONFIGURATION_ERROR", `${file} belongs to this project and is not trusted yet.`, {
    hint: ["Review the file.", { action: "run-command", command: "anygpt mcp config trust", purpose: "trust it" }],
  });
}

export interface WriteEditParts {
  readonly backups: Backups;
  readonly trust: Trust;
}

/** Writes the file unless another process has changed it. Trusts the new content of a project's file. */
export async function writeEdit(
  { file, bytes, isProject }: EditTarget,
  after: Uint8Array,
  { backups, trust }: WriteEditParts,
): Promise<void> {
  const mark = isProject ? { isProject: true as const } : {};
  const write = { role: "config", path: file, before: bytes, after, sections: [], what: "", ...mark } as const;
  const [written] = await writeAll([write], backups);
  if (written?.failure !== undefined) throw written.failure;
  if (isProject) await trust.record(file, after);
  await backups.forgetEdits(MAX_EDITS);
}
