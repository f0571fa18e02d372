// Comes in: a configuration file and what is to change in it; goes out: the file changed in one step, with a backup. Every
// command that edits a configuration goes through here.
import { parseConfig } from "../../config/load.js";
import type { Trust } from "../../config/trust.js";
import { DiscoveryError } from "../../errors.js";
import type { Change } from "../../sources/rewrite/change.js";
import { addKey, type ConfigView, editConfig } from "../../sources/rewrite/edit-config.js";
import type { Backups } from "./backups.js";
import type { Target } from "./target.js";
import { templateFor } from "./template.js";
import { writeAll } from "./write.js";

/** Edits that can be undone; older ones are forgotten. */
export const MOST_EDITS = 50;

/** The bytes of the file with the changes made, checked as the gateway will check them. */
export async function planEdit(
  target: Target,
  toChanges: (view: ConfigView) => readonly Change[],
): Promise<Uint8Array> {
  const { file, format, isShared, isImplicit } = target;
  assertEditable(target);
  const result = await editConfig(
    { bytes: target.bytes ?? Buffer.from(templateFor(file)), format: format === "yaml" ? "yaml" : "json", isShared },
    // A file that names no servers uses those of every client. Once it names one, it must say so.
    (view) => [...(isImplicit ? [addKey(view, "sources", "all")] : []), ...toChanges(view)],
  );
  if (result.kind === "refused") {
    throw new DiscoveryError("CONFIGURATION_ERROR", `${file} ${result.reason}, so nothing was changed in it.`, {
      hint: "Make the change in the file by hand, or name another file with --config.",
    });
  }
  parseConfig(result.value, file);
  return result.bytes;
}

function assertEditable({ file, format }: Target): void {
  if (format !== "program") return;
  throw new DiscoveryError("CONFIGURATION_ERROR", `${file} is a program, which only you can change.`, {
    hint: "Make the change there by hand, or name another file with --config.",
  });
}

/** A project's file that was not reviewed must not come into force by an edit. */
export function assertTrusted(
  { file, bytes, isProject }: Pick<Target, "file" | "bytes" | "isProject">,
  trust: Trust,
): void {
  if (!isProject || bytes === undefined || trust.isTrusted(file, bytes)) return;
  throw new DiscoveryError("CONFIGURATION_ERROR", `${file} belongs to this project and is not trusted yet.`, {
    hint: "Review it, then run `anygpt mcp config trust`.",
  });
}

export interface WriteEditParts {
  readonly backups: Backups;
  readonly trust: Trust;
}

/** Writes the file, unless it was changed in the meantime. What the user wrote into a project's file is trusted. */
export async function writeEdit(
  { file, bytes, isProject }: Target,
  after: Uint8Array,
  { backups, trust }: WriteEditParts,
): Promise<void> {
  const mark = isProject ? { isProject: true as const } : {};
  const write = { role: "config", path: file, before: bytes, after, sections: [], what: "", ...mark } as const;
  const [written] = await writeAll([write], backups);
  if (written?.failure !== undefined) throw written.failure;
  if (isProject) await trust.record(file, after);
  await backups.forgetEdits(MOST_EDITS);
}
