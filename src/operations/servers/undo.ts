import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Place } from "../../place.js";
import { type Backup, createBackups } from "../files/backups.js";
import { selectLast, type Undone, undoBackups } from "../files/undo.js";

/** A command that wrote files and can be undone. */
export interface UndoStep {
  /** `add github`, or `import`. */
  readonly action: string;
  /** When it was done, as its backups' folder says: `2026-11-16T20-19-05-123Z`. */
  readonly at: string;
  readonly files: readonly string[];
}

export interface UndoReport {
  /** Undefined when there is nothing to undo. */
  readonly step?: UndoStep;
  readonly undone: readonly Undone[];
  /** How many steps are left. */
  readonly left: number;
}

/** The steps that can be undone, the last first. */
export async function listUndoSteps(place: Place): Promise<UndoStep[]> {
  const all = await createBackups(folderOf(place), place.now).list();
  const runs = [...new Set(all.map(({ run }) => run))];
  return runs.map((run) => toStep(all.filter((backup) => backup.run === run)));
}

/** Puts back every byte that the last step wrote. A file that was changed since is left alone unless forced. */
export async function undoLast(place: Place, { isForced }: { readonly isForced: boolean }): Promise<UndoReport> {
  const backups = createBackups(folderOf(place), place.now);
  const selected = selectLast(await backups.list());
  const undone = await undoBackups(selected, backups, { isForced, isDryRun: false });
  for (const backup of selected) await trustAgain(backup, undone, place);
  const left = (await listUndoSteps(place)).length;
  return { ...(selected.length === 0 ? {} : { step: toStep(selected) }), undone, left };
}

function folderOf({ stateFolder }: Place): string {
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

/** A project's file was trusted as it was before the edit. */
async function trustAgain({ isProject, path }: Backup, undone: readonly Undone[], { trust }: Place): Promise<void> {
  const isRestored = undone.some((one) => one.path === path && one.status === "restored" && !one.overwritten);
  if (isProject === true && isRestored) await trust.record(path, await readFile(path));
}
