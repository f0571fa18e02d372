import { DiscoveryError } from "../../errors.js";
import { readBytes } from "../read-bytes.js";
import { removeToolFile, toolFilePath, writeToolFile } from "../write-tool-file.js";
import { MOST_MEMBER_BYTES } from "./bundle.js";
import type { InstallPlan, PlannedFile } from "./plan-install.js";

/**
 * Writes all files of a plan, then has `settle` make them count. Whatever fails, everything is as it was before: until their
 * key is trusted, files are not used by anybody.
 */
export async function installFiles({ folder, files }: InstallPlan, settle: () => Promise<void>): Promise<void> {
  const written: PlannedFile[] = [];
  try {
    for (const planned of files.filter(({ kind }) => kind !== "same")) {
      await assertUntouched(folder, planned);
      written.push(planned);
      await writeToolFile(folder, planned.file.toolId, planned.bytes);
    }
    await settle();
  } catch (error) {
    for (const planned of written.reverse()) await putBack(folder, planned).catch(() => undefined);
    throw error;
  }
}

/** Somebody may have changed a file since it was looked at. */
async function assertUntouched(folder: string, { file, before }: PlannedFile): Promise<void> {
  const path = toolFilePath(folder, file.toolId);
  const there = await readBytes(path, MOST_MEMBER_BYTES);
  const isSame =
    there.kind === "bytes" ? before?.bytes.equals(there.bytes) : there.kind === "gone" && before === undefined;
  if (isSame === true) return;
  throw new DiscoveryError("INVALID_REQUEST", `${path} was changed meanwhile, so nothing was installed.`, {
    hint: "Run the command again.",
  });
}

async function putBack(folder: string, { file, before }: PlannedFile): Promise<void> {
  if (before === undefined) await removeToolFile(folder, file.toolId);
  else await writeToolFile(folder, file.toolId, before.bytes);
}
