import { lstatSync, mkdirSync } from "node:fs";
import { DiscoveryError } from "../errors.js";

const OTHERS = 0o077;

/** Creates the folder if it is missing. Throws unless it is a real folder of this user that no other user can enter. */
export function openPrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  checkPrivate(folder);
}

/**
 * Throws unless the path is a folder or socket that belongs to this user and that no other user can access. A symbolic
 * link is rejected.
 */
export function checkPrivate(path: string): void {
  const stats = lstatSync(path);
  if (process.platform === "win32") return;
  if (!stats.isDirectory() && !stats.isSocket()) throw refused(path, "is neither a folder nor a socket");
  if (stats.uid !== process.getuid?.()) throw refused(path, "belongs to another user");
  if ((stats.mode & OTHERS) !== 0) throw refused(path, "can be used by other users");
}

function refused(path: string, why: string): DiscoveryError {
  return new DiscoveryError("CONFIGURATION_ERROR", `${path} ${why}.`, {
    hint: [
      { action: "edit-file", path, change: "remove" },
      "The gateway then creates the folder or socket again, with the right owner and permissions.",
    ],
  });
}
