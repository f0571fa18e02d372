import { sha256 } from "../util/sha256.js";

/** The hash that binds a record to its position: it covers the sequence number, the previous hash and the body. */
export function chainHash(seq: number, previous: string, body: string): string {
  return sha256(`${seq}\n${previous}\n${body}`);
}
