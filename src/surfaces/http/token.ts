// Reads the local user's bearer token from its file, and creates the file if it does not exist.
import { randomBytes } from "node:crypto";
import { chmod, link, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { DiscoveryError } from "../../errors.js";
import { ensurePrivateFolder, writePrivateFile } from "../../util/private-files.js";
import { readRegularText } from "../../util/regular-file.js";
import { isToken, TOKEN_BYTES } from "./token-entry.js";

const GROUP_AND_OTHERS = 0o077;

/** Returns the token. It stays the same until the file is removed, because programs store it. */
export async function openToken(file: string, warn: (message: string) => void): Promise<string> {
  try {
    const known = await readToken(file);
    if (known === undefined) await createToken(file);
    else await restrictPermissions(file, warn);
    return known ?? (await readToken(file)) ?? unusable(file, "disappeared");
  } catch (error) {
    if (error instanceof DiscoveryError) throw error;
    const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
    throw new DiscoveryError("CONFIGURATION_ERROR", `The token file ${file} cannot be read or created${code}.`, {
      hint: "Correct the permissions of the file and its folder, or free up disk space.",
      cause: error,
    });
  }
}

async function readToken(file: string): Promise<string | undefined> {
  const text = await readRegularText(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  const token = text?.trim();
  return token === undefined || isToken(token) ? token : unusable(file, "does not contain a valid token");
}

/**
 * Creates the token file atomically, by writing a temporary file and linking it: if several processes start at once,
 * all use the same token, and none reads a partial one.
 */
async function createToken(file: string): Promise<void> {
  await ensurePrivateFolder(dirname(file));
  const temporary = `${file}.${process.pid}.${randomBytes(6).toString("hex")}`;
  try {
    await writePrivateFile(temporary, `${randomBytes(TOKEN_BYTES).toString("base64url")}\n`);
    await link(temporary, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  } finally {
    await rm(temporary, { force: true });
  }
}

async function restrictPermissions(file: string, warn: (message: string) => void): Promise<void> {
  if (process.platform === "win32" || ((await stat(file)).mode & GROUP_AND_OTHERS) === 0) return;
  await chmod(file, 0o600);
  warn(
    `${file} contains a token and was readable by other users. The gateway has removed this permission. If another user may have read the token, remove the file: the next start creates a new one.`,
  );
}

function unusable(file: string, what: string): never {
  throw new DiscoveryError("CONFIGURATION_ERROR", `The token file ${file} ${what}.`, {
    hint: "Remove the file: the next start creates a new one.",
  });
}
