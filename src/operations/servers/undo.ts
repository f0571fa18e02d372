import { join } from "node:path";
import type { OpenOptions } from "../../gateway/engine-options.js";
import { environmentFor } from "../../gateway/find-configuration.js";
import type { RuntimeEnvironment } from "../../gateway/runtime-environment.js";
import { type Backup, createBackups } from "../files/backups.js";
import { selectLast, type Undone, undoBackups } from "../files/undo.js";
import { readRegularFile } from "../../util/regular-file.js";

/** A command that wrote files and can be undone. */
export interface UndoStep {
  /** The command that wrote the files, such as `add github` or `import`. */
  readonly action: string;
  /** The time of the command in the form of the backup folder's name, such as `2026-11-16T20-19-05-123Z`. */
  readonly at: string;
  readonly files: readonly string[];
}

/** The result of `undoLast`. */
export interface UndoReport {
  /** The command that was undone. Undefined if there was nothing to undo. */
  readonly step?: UndoStep;
  readonly undone: readonly Undone[];
  /** The number of steps that can still be undone. */
  readonly left: number;
}

/** Lists the commands that can be undone, latest first. */
export async function listUndoSteps(options: OpenOptions = {}): Promise<UndoStep[]> {
  const runtime = environmentFor(options);
  const all = await createBackups(folderOf(runtime), runtime.now).list();
  const runs = [...new Set(all.map(({ run }) => run))];
  return runs.map((run) => toStep(all.filter((backup) => backup.run === run)));
}

/**
 * Restores every file that the last command wrote. A file that was changed after that is restored only with `force`.
 */
export async function undoLast(
  options: OpenOptions = {},
  { force = false }: { readonly force?: boolean } = {},
): Promise<UndoReport> {
  const runtime = environmentFor(options);
  const backups = createBackups(folderOf(runtime), runtime.now);
  const selected = selectLast(await backups.list());
  const undone = await undoBackups(selected, backups, { isForced: force, isDryRun: false });
  for (const backup of selected) await trustAgain(backup, undone, runtime);
  const left = (await listUndoSteps(options)).length;
  return { ...(selected.length === 0 ? {} : { step: toStep(selected) }), undone, left };
}

function folderOf({ stateFolder }: RuntimeEnvironment): string {
  return join(stateFolder, "backups");
}

function toStep(backups: readonly Backup[]): UndoStep {
  const [first] = backups;
  return {
    action: first?.action ?? "import",
    at: first?.run.replace(/-[0-9a-f]+$/, "") ?? "",
    files: backups.map(({ path }) => path),
  };
}

/** Trusts the restored content of a project's file: the user had trusted it before the edit. */
async function trustAgain(
  { isProject, path }: Backup,
  undone: readonly Undone[],
  { trust }: RuntimeEnvironment,
): Promise<void> {
  const isRestored = undone.some((one) => one.path === path && one.status === "restored" && !one.overwritten);
  if (isProject === true && isRestored) await trust.record(path, await readRegularFile(path));
}
