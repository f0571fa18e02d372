import { commandLine } from "../util/command-line.js";
import type { FileRead } from "./files.js";
import type { ImportedServer } from "./imported.js";

/** A file of another program that came with the project: nothing of it is used until a person has said yes to these bytes. */
export interface UntrustedFile {
  readonly file: string;
  readonly content: Uint8Array;
  /** What it would do, one line each: for the eyes of whoever decides. */
  readonly effects: readonly string[];
}

export function toUntrusted({ path, bytes }: FileRead, servers: readonly ImportedServer[]): UntrustedFile {
  const used = servers.filter(({ disabled, isGateway }) => disabled === undefined && !isGateway);
  return { file: path, content: bytes, effects: used.map(effectOf) };
}

function effectOf({ definition: { name, connection } }: ImportedServer): string {
  if (connection.kind !== "stdio") return `${name} speaks to ${connection.url}`;
  return `${name} starts ${commandLine([connection.command, ...connection.args])}`;
}
