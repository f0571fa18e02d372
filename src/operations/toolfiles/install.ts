// Installs an archive of tool files into a folder and adds the archive's keys to the trusted keys.
import { stat } from "node:fs/promises";
import type { DiscoveryEngine } from "../../engine.js";
import { DiscoveryError } from "../../errors.js";
import { claimFolder } from "../../gateway/tool-files.js";
import { readArchive } from "../../toolfiles/archive/archive.js";
import { type Bundle, MAX_BUNDLE_BYTES, notABundle } from "../../toolfiles/archive/bundle.js";
import { readBundleFolder } from "../../toolfiles/archive/bundle-folder.js";
import { installFiles } from "../../toolfiles/archive/install-files.js";
import { type InstallPlan, planInstall } from "../../toolfiles/archive/plan-install.js";
import { readBytes } from "../../toolfiles/read-bytes.js";
import type { RefusedFile } from "../../toolfiles/read-tool-files.js";
import { absolutePath } from "../../util/home-path.js";
import { isInConfiguredFolder, noteAction, openToolFiles, pathOf, type ToolFileFolders } from "./open-tool-files.js";

/** The archive or folder to install tool files from. */
export interface InstallRequest {
  /** An archive or a folder that `exportToolFiles` wrote. */
  readonly origin: string;
  /** The folder to install the files into. Default: the first configured folder. */
  readonly folder?: string | undefined;
  /** Ids of keys to trust. */
  readonly trust?: readonly string[];
}

/** Installed files that the gateway does not use. */
export interface UnusedToolFiles {
  /** True if the folder is not configured, so that the gateway does not use its files. */
  readonly isOutside: boolean;
  /** Installed files that are refused. */
  readonly refused: readonly RefusedFile[];
}

/** The tool files that were installed, and the keys that were added to the trusted keys. */
export interface InstalledToolFiles extends UnusedToolFiles {
  readonly folder: string;
  readonly files: readonly { readonly toolId: string; readonly change: "new" | "same" | "replaced" }[];
  /** Keys that were added to the trusted keys. */
  readonly trusted: readonly { readonly keyId: string; readonly name: string }[];
}

/** Reads the archive and compares it with the installed files. Writes nothing. @internal */
export async function planInstallation(request: InstallRequest, folders: ToolFileFolders): Promise<InstallPlan> {
  const { runtime, persistence } = folders.stages;
  const at = (path: string): string => absolutePath(path, { home: runtime.home, baseDir: runtime.cwd });
  const { origin } = request;
  return await planInstall({
    bundle: await read(at(origin), origin),
    origin,
    folder: at(request.folder ?? folders.folders[0] ?? ""),
    keys: await folders.keys.list(),
    versions: persistence.store.toolFiles,
    now: runtime.now(),
  });
}

/** Whether the plan changes anything. @internal */
export function isInstallationOpen({ files, newKeys }: InstallPlan): boolean {
  return newKeys.length > 0 || files.some(({ kind }) => kind !== "same");
}

/**
 * Throws SIGNATURE_INVALID if the archive contains an untrusted key whose id the user did not name. The author of an
 * archive can put any key into it. @internal
 */
export function assertKeysTrusted({ newKeys }: InstallPlan, trusted: readonly string[]): void {
  const untrusted = newKeys.find(({ keyId }) => !trusted.includes(keyId));
  if (untrusted === undefined) return;
  throw new DiscoveryError(
    "SIGNATURE_INVALID",
    `The key ${untrusted.keyId} (${untrusted.name}) is not trusted on this machine.`,
    {
      hint: `Ask the owner of the key to confirm its id. Then add --trust ${untrusted.keyId}, or run the command in a terminal.`,
      facts: { reason: "unknown-key", keyId: untrusted.keyId },
    },
  );
}

/** Trusts the new keys of the plan and writes its files. @internal */
export async function applyInstallation(
  plan: InstallPlan,
  origin: string,
  folders: ToolFileFolders,
): Promise<UnusedToolFiles> {
  const { folder, files } = plan;
  await installFiles(plan, () => trust(plan, origin, folders));
  await claimFolder(folders.stages.runtime, folder);
  const paths = files.map(({ file }) => pathOf(folder, file.toolId));
  const isOutside = paths[0] !== undefined && !isInConfiguredFolder(paths[0], folders);
  const { refused } = isOutside ? { refused: [] } : await folders.read();
  return { isOutside, refused: refused.filter(({ path }) => paths.includes(path)) };
}

/** Installs an archive of tool files. A key that is not trusted yet must be named in `trust`. */
export async function installToolFiles(engine: DiscoveryEngine, request: InstallRequest): Promise<InstalledToolFiles> {
  const folders = openToolFiles(await engine.stages());
  const plan = await planInstallation(request, folders);
  assertKeysTrusted(plan, request.trust ?? []);
  const unused = await applyInstallation(plan, request.origin, folders);
  return {
    ...unused,
    folder: plan.folder,
    files: plan.files.map(({ file, kind }) => ({ toolId: file.toolId, change: kind })),
    trusted: plan.newKeys.map(({ keyId, name }) => ({ keyId, name })),
  };
}

async function read(path: string, origin: string): Promise<Bundle> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isFolder) return await readBundleFolder(path, origin);
  const bytes = await readBytes(path, MAX_BUNDLE_BYTES);
  switch (bytes.kind) {
    case "bytes":
      return await readArchive(bytes.bytes, origin);
    case "gone":
      throw new DiscoveryError("INVALID_REQUEST", `${origin} does not exist.`, {
        hint: [
          "Name an existing archive or folder.",
          { action: "run-command", command: "anygpt mcp tools export --help", purpose: "see how to create one" },
        ],
      });
    case "too-large":
      throw notABundle(origin, "it is too large");
    case "unreadable":
      throw notABundle(origin, `it cannot be read: ${bytes.reason}`);
  }
}

/** Adds the new keys to the trusted keys. Writes the audit records before the keys and files. */
async function trust({ newKeys, files, folder }: InstallPlan, origin: string, desk: ToolFileFolders): Promise<void> {
  const changed = files.filter(({ kind }) => kind !== "same").length;
  if (changed > 0) await noteAction(desk.stages, "install_tool_files", `${changed} of ${origin} into ${folder}`);
  for (const { keyId, publicKey, name } of newKeys) {
    await noteAction(desk.stages, "trust_key", keyId);
    await desk.keys.trust({ keyId, publicKey, name });
  }
}
