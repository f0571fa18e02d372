// Removes one broken folder of the npx cache, so that npx installs its package again.
import { lstat, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { DiscoveryError } from "../../errors.js";
import { isBeingInstalled } from "../../upstreams/install/installations.js";
import { npxStateOf } from "../../upstreams/install/npx-cache.js";

/** Removes the folder. Throws if it is not directly inside `_npx`, or if a package is being installed into it. */
export async function repairNpxCache(folder: string, installsFolder: string): Promise<void> {
  const parent = dirname(folder);
  const isNpx = /^[0-9a-f]{16}$/.test(basename(folder)) && basename(parent) === "_npx";
  if (!isNpx || !(await isRealFolder(parent)) || !(await isRealFolder(folder)))
    throw invalidRequest(
      `${folder} is not a folder of the npx cache.`,
      "Remove the folder by hand if it is not needed.",
    );
  if (isBeingInstalled(folder, installsFolder) || npxStateOf(folder, Date.now) === "installing")
    throw invalidRequest(
      `A package is being installed into ${folder} right now.`,
      "Try again when the installation has ended.",
    );
  // The rename hides the folder from npx during the removal, so that npx never uses a partly removed package.
  const aside = join(parent, `.${basename(folder)}-${process.pid}`);
  await rename(folder, aside);
  await rm(aside, { recursive: true, force: true, maxRetries: 3 });
}

/** Whether the path is a folder. False for a symbolic link, whose target is not part of the npx cache. */
async function isRealFolder(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isDirectory() === true;
}

function invalidRequest(message: string, hint: string): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", message, { hint });
}
