// Detects whether a running npx has installed its package or has nothing to install. Used by the gateway and by the
// reaper.
import { processTree, readProcFile } from "../process/process-tree.js";
import { npxInstalledAt, npxStateOf } from "./npx-cache.js";

export interface NpxStart {
  readonly npxFolder: string;
  /**
   * The result of `npxInstalledAt` before the process was started. Without it, a folder that was complete before an
   * update would look like a finished update.
   */
  readonly installedBefore: number | undefined;
}

/**
 * Whether npx has finished installing. On a platform without /proc, only a change of the npx folder shows that, so the
 * result stays false if the package is already installed and npx changes nothing.
 */
export function isNpxDone({ npxFolder, installedBefore }: NpxStart, pid: number | undefined): boolean {
  if (npxStateOf(npxFolder, Date.now) !== "complete") return false;
  return npxInstalledAt(npxFolder) !== installedBefore || (pid !== undefined && hasStartedServer(pid));
}

/**
 * Whether npx has started the server. npm 7 to 11 run it with `npm_lifecycle_event=npx`, and installation scripts with
 * other values.
 */
function hasStartedServer(npx: number): boolean {
  const [leader = npx, ...descendants] = processTree(npx);
  return !isNpxScript(leader) && descendants.some(isNpxScript);
}

function isNpxScript(pid: number): boolean {
  return `\0${readProcFile(pid, "environ") ?? ""}`.includes("\0npm_lifecycle_event=npx\0");
}
