// The file with the bearer token comes in, made if there is none; the token goes out.
import { randomBytes } from "node:crypto";
import { chmod, link, readFile, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DiscoveryError } from "../../errors.js";
import { ensurePrivateFolder, writePrivateFile } from "../../util/private-files.js";
import { isToken, TOKEN_BYTES } from "./token-entry.js";

const OTHERS = 0o077;

export function tokenFile(stateFolder: string): string {
  return join(stateFolder, "http.token");
}

/** The same for every start until a person removes the file: programs keep the token. */
export async function openToken(file: string, warn: (message: string) => void): Promise<string> {
  try {
    const known = await readToken(file);
    if (known === undefined) await makeToken(file);
    else await closeToOthers(file, warn);
    return known ?? (await readToken(file)) ?? unusable(file, "disappeared");
  } catch (error) {
    if (error instanceof DiscoveryError) throw error;
    const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
    throw new DiscoveryError("CONFIGURATION_ERROR", `The token file ${file} cannot be read or made${code}.`, {
      hint: "Correct the permissions of the file and its folder, or free the disk.",
      cause: error,
    });
  }
}

async function readToken(file: string): Promise<string | undefined> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  const token = text?.trim();
  return token === undefined || isToken(token) ? token : unusable(file, "holds no token that can be used");
}

/** Written whole beside its place and then linked there: of several processes one wins, and none sees half a token. */
async function makeToken(file: string): Promise<void> {
  await ensurePrivateFolder(dirname(file));
  const draft = `${file}.${process.pid}.${randomBytes(6).toString("hex")}`;
  try {
    await writePrivateFile(draft, `${randomBytes(TOKEN_BYTES).toString("base64url")}\n`);
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  } finally {
    await rm(draft, { force: true });
  }
}

async function closeToOthers(file: string, warn: (message: string) => void): Promise<void> {
  if (process.platform === "win32" || ((await stat(file)).mode & OTHERS) === 0) return;
  await chmod(file, 0o600);
  warn(
    `${file} holds a token and could be read by other users; now it cannot. If one of them may have, remove it: a new one is made at the next start.`,
  );
}

function unusable(file: string, what: string): never {
  throw new DiscoveryError("CONFIGURATION_ERROR", `The token file ${file} ${what}.`, {
    hint: "Remove it: a new one is made at the next start.",
  });
}
