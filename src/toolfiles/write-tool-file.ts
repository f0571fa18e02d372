import { randomBytes } from "node:crypto";
import { mkdir, open, rename, rm, unlink } from "node:fs/promises";
import { join } from "node:path";
import { DiscoveryError } from "../errors.js";
import { syncFolder } from "../util/sync-folder.js";
import { isToolId, TOOL_ID_RULE } from "./ids/tool-id.js";

/**
 * Replaces a tool file atomically with exactly these bytes and returns its path. A symbolic link is replaced, not
 * followed.
 */
export async function writeToolFile(folder: string, toolId: string, bytes: Uint8Array): Promise<string> {
  const path = toolFilePath(folder, toolId);
  const draft = join(folder, `.${toolId}.${process.pid}.${randomBytes(6).toString("hex")}.tmp`);
  try {
    await mkdir(folder, { recursive: true });
    await writeDraft(draft, bytes);
    await rename(draft, path);
    await syncFolder(folder);
    return path;
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw unusable(error, `The tool file ${path} could not be written`);
  }
}

/** Removes a tool file. Returns whether it existed. */
export async function removeToolFile(folder: string, toolId: string): Promise<boolean> {
  const path = toolFilePath(folder, toolId);
  try {
    await unlink(path);
    await syncFolder(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw unusable(error, `The tool file ${path} could not be removed`);
  }
}

/** The path of a tool file. It is always directly in the folder; throws if the id is invalid. */
export function toolFilePath(folder: string, toolId: string): string {
  if (isToolId(toolId)) return join(folder, `${toolId}.yaml`);
  throw new DiscoveryError("INVALID_REQUEST", `${JSON.stringify(toolId)} cannot be the id of a tool file.`, {
    hint: `It ${TOOL_ID_RULE}.`,
  });
}

async function writeDraft(draft: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(draft, "wx", 0o644);
  try {
    await handle.writeFile(bytes);
    // Readable by all users, independent of the umask, because several users may work in the project.
    await handle.chmod(0o644);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function unusable(error: unknown, what: string): DiscoveryError {
  const code = (error as NodeJS.ErrnoException).code;
  return new DiscoveryError("CONFIGURATION_ERROR", `${what}${code === undefined ? "" : ` (${code})`}.`, {
    hint: "Make the folder writable, or free disk space.",
    cause: error,
  });
}
