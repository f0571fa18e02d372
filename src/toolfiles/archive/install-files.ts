import { DiscoveryError } from "../../errors.js";
import { readBytes } from "../read-bytes.js";
import { removeToolFile, toolFilePath, writeToolFile } from "../write-tool-file.js";
import { MAX_MEMBER_BYTES } from "./bundle.js";
import type { InstallPlan, InstallFile } from "./plan-install.js";

/**
 * Writes all files of a plan, then calls `settle`, which trusts their signing keys. If anything fails, the previous
 * files are restored. Files are not used before their key is trusted.
 */
export async function installFiles({ folder, files }: InstallPlan, settle: () => Promise<void>): Promise<void> {
  const written: InstallFile[] = [];
  try {
    for (const planned of files.filter(({ kind }) => kind !== "same")) {
      await assertUnchanged(folder, planned);
      written.push(planned);
      await writeToolFile(folder, planned.file.toolId, planned.bytes);
    }
    await settle();
  } catch (error) {
    for (const planned of written.reverse()) await restore(folder, planned).catch(() => undefined);
    throw error;
  }
}

/** Throws if another process has changed the file since the plan was made. */
async function assertUnchanged(folder: string, { file, before }: InstallFile): Promise<void> {
  const path = toolFilePath(folder, file.toolId);
  const there = await readBytes(path, MAX_MEMBER_BYTES);
  const isSame =
    there.kind === "bytes" ? before?.bytes.equals(there.bytes) : there.kind === "gone" && before === undefined;
  if (isSame === true) return;
  throw new DiscoveryError("INVALID_REQUEST", `${path} was changed by another process, so nothing was installed.`, {
    hint: "Run the command again.",
  });
}

async function restore(folder: string, { file, before }: InstallFile): Promise<void> {
  if (before === undefined) await removeToolFile(folder, file.toolId);
  else await writeToolFile(folder, file.toolId, before.bytes);
}
