import { effectLine } from "../util/effect-line.js";
import type { ServerCandidate } from "./candidate.js";
import type { FileRead } from "./files.js";
import type { ImportedServer } from "./imported.js";

/** A file in the project folder; its content is not used until the user trusts exactly these bytes. */
export interface UntrustedFile {
  /**
   * The path of the file. If the user's own servers would run files in the project folder, it is the path of that
   * folder, and `content` is empty.
   */
  readonly file: string;
  readonly content: Uint8Array;
  /** The effects of the file, one line each, shown to the user who decides about trust. */
  readonly effects: readonly string[];
}

export function toUntrusted({ path, bytes }: FileRead, servers: readonly ServerCandidate[]): UntrustedFile {
  const used = servers.filter(({ imported }) => imported === undefined || isUsed(imported));
  return { file: path, content: bytes, effects: used.map(effectOf) };
}

/** Whether an imported server is used: it is neither disabled in the other program nor this gateway itself. */
export function isUsed({ disabled, isGateway }: ImportedServer): boolean {
  return disabled === undefined && !isGateway;
}

export function effectOf({ definition: { name, connection }, envFile }: ServerCandidate): string {
  return effectLine({ name, ...connection, envFile });
}
