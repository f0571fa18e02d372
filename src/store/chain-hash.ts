import { sha256 } from "../util/sha256.js";

/** What binds a record to its place: its number, all that came before it, and its text. */
export function chainHash(seq: number, previous: string, body: string): string {
  return sha256(`${seq}\n${previous}\n${body}`);
}
