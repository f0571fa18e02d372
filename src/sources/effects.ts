import { effectLine } from "../util/effect-line.js";
import type { ServerCandidate } from "./candidate.js";
import type { FileRead } from "./files.js";
import type { ImportedServer } from "./imported.js";

/** A file in the project folder; its content is not used until the user trusts exactly these bytes. */
export interface UntrustedFile {
  /** The path. It is the project folder itself if the user's own servers would run files in it; then `content` is empty. */
  readonly file: string;
  readonly content: Uint8Array;
  /** The effects of the file, one line each, shown to the user who decides about trust. */
  readonly effects: readonly string[];
}

export function toUntrusted({ path, bytes }: FileRead, servers: readonly ServerCandidate[]): UntrustedFile {
  const used = servers.filter(({ imported }) => imported === undefined || isUsed(imported));
  return { file: path, content: bytes, effects: used.map(effectOf) };
}

/** A server that is disabled in the other program, or that is this gateway, is not used here. */
export function isUsed({ disabled, isGateway }: ImportedServer): boolean {
  return disabled === undefined && !isGateway;
}

export function effectOf({ definition: { name, connection }, envFile }: ServerCandidate): string {
  return effectLine({ name, ...connection, envFile });
}
