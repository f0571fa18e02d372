// Exports tool files with the public keys that signed them to an archive or a folder.
import type { Hint } from "../../model/next-steps.js";
import type { DiscoveryEngine } from "../../engine.js";
import { DiscoveryError } from "../../errors.js";
import { nearestNames } from "../../search/nearest.js";
import { toArchive } from "../../toolfiles/archive/archive.js";
import type { Bundle, BundledKey } from "../../toolfiles/archive/bundle.js";
import { writeBundleFolder } from "../../toolfiles/archive/bundle-folder.js";
import type { RefusedFile, VerifiedFile } from "../../toolfiles/read-tool-files.js";
import { absolutePath } from "../../util/home-path.js";
import { writeOutput } from "../files/write-output.js";
import { type ListedToolFile, openToolFiles, pick, toFound, type ToolFileFolders } from "./open-tool-files.js";

const ARCHIVE = /\.(?:tgz|tar\.gz)$/i;

/** Which tool files to export, and where to. */
export interface ExportToolFilesRequest {
  /** The path to write to: an archive if the name ends in `.tgz` or `.tar.gz`, otherwise a folder. */
  readonly output: string;
  /** Ids of tool files. Default: all. */
  readonly ids?: readonly string[];
  /** Instead of `ids`: all files of this server. */
  readonly server?: string | undefined;
  /** Replace an existing archive. */
  readonly isForced?: boolean;
  /** Called for each invalid file that is not exported. If `ids` names an invalid file, the export fails instead. */
  readonly onLeftOut?: (file: RefusedFile) => void;
}

/** The tool files and public keys that were exported. */
export interface ExportedToolFiles {
  readonly output: string;
  /** Ids of the exported files. */
  readonly files: readonly string[];
  /** The public keys that signed the exported files. */
  readonly keys: readonly BundledKey[];
}

/**
 * Writes signed tool files with their public keys to an archive or a folder, for `installToolFiles` on another machine.
 */
export async function exportToolFiles(
  engine: DiscoveryEngine,
  request: ExportToolFilesRequest,
): Promise<ExportedToolFiles> {
  const folders = openToolFiles(await engine.stages());
  const { home, cwd } = folders.stages.runtime;
  const output = absolutePath(request.output, { home, baseDir: cwd });
  const chosen = choose(request, toFound(await folders.read()), folders);
  const bundle = await toBundle(chosen, folders);
  if (ARCHIVE.test(output)) {
    const bytes = await toArchive(bundle);
    await writeOutput(output, { isForced: request.isForced === true }, (handle) => handle.writeFile(bytes));
  } else await writeBundleFolder(output, bundle);
  return { output, files: bundle.files.map(({ toolId }) => toolId), keys: bundle.keys };
}

/** Chooses the files to export. Throws if a named file is invalid. Without ids, invalid files are skipped. */
function choose(
  { ids = [], server, onLeftOut }: ExportToolFilesRequest,
  found: readonly ListedToolFile[],
  { folders }: ToolFileFolders,
): VerifiedFile[] {
  if (ids.length > 0 && server !== undefined)
    throw invalidRequest("The request has both tool ids and --server.", "Pass either tool ids or --server.");
  const good = found.flatMap((one) => (one.kind === "good" ? [one.verified] : []));
  if (ids.length > 0) {
    const picked = pick(found, ids, folders);
    const usable = new Set(good.map(({ file }) => file.toolId));
    const bad = picked.find((one) => one.kind === "refused" && !usable.has(one.toolId));
    if (bad?.kind === "refused") throw bad.refused.error;
    return good.filter(({ file }) => ids.includes(file.toolId));
  }
  for (const one of found) {
    if (one.kind === "refused" && one.refused.reason !== "shadowed") onLeftOut?.(one.refused);
  }
  const chosen = good.filter(({ file }) => server === undefined || file.server === server);
  if (chosen.length > 0) return chosen;
  if (server === undefined)
    throw invalidRequest("There is no valid tool file to export.", {
      action: "run-command",
      command: "anygpt mcp verify",
      purpose: "see the tool files",
    });
  const near = nearestNames(server, new Set(good.map(({ file }) => file.server)));
  throw invalidRequest(
    `There is no valid tool file of the server ${JSON.stringify(server)}.`,
    near.length > 0
      ? `Did you mean ${near.join(" or ")}?`
      : {
          action: "run-command",
          command: "anygpt mcp verify",
          purpose: "see the tool files",
        },
  );
}

async function toBundle(chosen: readonly VerifiedFile[], { keys }: ToolFileFolders): Promise<Bundle> {
  const used = new Map<string, BundledKey>();
  for (const { trust, path } of chosen) {
    if (trust.kind !== "signed") {
      throw invalidRequest(`${path} has no signature.`, [
        "Sign the file first, or do not export it.",
        { action: "run-command", command: "anygpt mcp sign", purpose: "sign it" },
      ]);
    }
    const key = used.has(trust.keyId) ? undefined : await keys.find(trust.keyId);
    if (key !== undefined) used.set(key.keyId, { keyId: key.keyId, publicKey: key.publicKey, name: key.name });
  }
  return { files: chosen.map(({ file, bytes }) => ({ toolId: file.toolId, bytes })), keys: [...used.values()] };
}

function invalidRequest(message: string, hint: Hint): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", message, { hint });
}
