// Checks that npm installed the content that the configuration pins for a server's package.
import { join } from "node:path";
import { DiscoveryError } from "../../errors.js";
import { isJsonObject } from "../../model/json.js";
import type { CommandToStart } from "./installations.js";
import { installerOf } from "./installer.js";
import { npxFolderOf } from "./npx-cache.js";
import { readRegularTextSync } from "../../util/regular-file.js";

/**
 * Compares the pinned integrity with the one that npm recorded in the npx folder when it installed the package.
 * Returns undefined if they are equal or if nothing is recorded: the package is not installed yet, or npx uses a
 * local installation.
 */
export function integrityError(
  { command, args, env, cwd }: CommandToStart,
  pinned: string | undefined,
  server: string,
): DiscoveryError | undefined {
  if (pinned === undefined) return undefined;
  const installer = installerOf(command, args);
  const folder = installer && npxFolderOf(installer, env, cwd);
  const [spec = ""] = installer?.packages ?? [];
  const name = spec.replace(/(?<=.)@[^@/]*$/, "");
  const found = folder === undefined ? undefined : recordedIn(folder, name);
  if (found === undefined || found === pinned) return undefined;
  return new DiscoveryError(
    "SIGNATURE_INVALID",
    `${server} is not started: npm installed ${spec} with the integrity ${found}, but the configuration pins ${pinned}.`,
    {
      server,
      hint: [
        `Review the package in ${folder}. If you trust it, update the pinned integrity.`,
        { action: "edit-config", key: `servers.${server}.integrity`, change: "correct" },
      ],
    },
  );
}

function recordedIn(folder: string, name: string): string | undefined {
  try {
    const lock: unknown = JSON.parse(readRegularTextSync(join(folder, "node_modules/.package-lock.json")));
    const packages = isJsonObject(lock) && isJsonObject(lock["packages"]) ? lock["packages"] : {};
    const entry = packages[`node_modules/${name}`];
    const integrity = isJsonObject(entry) ? entry["integrity"] : undefined;
    return typeof integrity === "string" ? integrity : undefined;
  } catch {
    return undefined;
  }
}
