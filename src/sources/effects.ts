import { effectLine } from "../util/effect-line.js";
import type { Candidate } from "./candidate.js";
import type { FileRead } from "./files.js";
import type { ImportedServer } from "./imported.js";

/** A file that came with the project: nothing of it is used until a person has said yes to these bytes. */
export interface UntrustedFile {
  /** The folder itself where the person's own servers would run what is in it; it has no content. */
  readonly file: string;
  readonly content: Uint8Array;
  /** What it would do, one line each: for the eyes of whoever decides. */
  readonly effects: readonly string[];
}

export function toUntrusted({ path, bytes }: FileRead, servers: readonly Candidate[]): UntrustedFile {
  const used = servers.filter(({ imported }) => imported === undefined || isUsed(imported));
  return { file: path, content: bytes, effects: used.map(effectOf) };
}

/** What other programs do not use is not used here either. */
export function isUsed({ disabled, isGateway }: ImportedServer): boolean {
  return disabled === undefined && !isGateway;
}

export function effectOf({ definition: { name, connection }, envFile }: Candidate): string {
  return effectLine({ name, ...connection, envFile });
}
