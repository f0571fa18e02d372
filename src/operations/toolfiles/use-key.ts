import type { DiscoveryEngine } from "../../engine.js";
import { invalidRequest } from "../../util/invalid-request.js";
import type { SigningKeys } from "./keys.js";

/** The public key of a signing key as one line of text. An empty id selects the active key. */
export async function exportSigningKey(
  id: string,
  { keys }: SigningKeys,
): Promise<{ readonly keyId: string; readonly publicLine: string }> {
  const keyId = id || (await keys.active())?.keyId;
  if (keyId === undefined) throw invalidRequest("You have no key yet.", "Create one with `anygpt mcp keys init`.");
  return { keyId, publicLine: await keys.exportLine(keyId) };
}

/** The number of tool files that are signed with the key. */
export async function signedFiles(keyId: string, engine: DiscoveryEngine): Promise<number> {
  const { files } = (await engine.stages()).configuredServers.toolFiles;
  return files.filter(({ trust }) => trust.kind === "signed" && trust.keyId === keyId).length;
}
