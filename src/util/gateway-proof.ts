// How a gateway that serves HTTP proves to a program of the same user that it knows the user's token, before that
// program sends the token: any program can listen on a port while no gateway does.
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Socket } from "node:net";

/** The request header with a random value, and the header of the answer with the proof. */
export const CHALLENGE_HEADER = "anygpt-challenge";
export const PROOF_HEADER = "anygpt-proof";

const CHALLENGE = /^[\w-]{43}$/;
const CHALLENGE_BYTES = 32;

export function createChallenge(): string {
  return randomBytes(CHALLENGE_BYTES).toString("base64url");
}

/**
 * The proof for a challenge, or undefined if it is not one. `endpoint`: the address and port on which the gateway
 * accepted the connection. It is part of the proof, so that a program cannot pass on the proof of a gateway that listens
 * elsewhere.
 */
export function proofOfToken(token: string, challenge: unknown, endpoint: string): string | undefined {
  if (typeof challenge !== "string" || !CHALLENGE.test(challenge)) return undefined;
  const key = createHash("sha256").update(token).digest();
  return createHmac("sha256", key).update(`anygpt http gateway\0${endpoint}\0${challenge}`).digest("base64url");
}

export function isSameProof(given: unknown, expected: string | undefined): boolean {
  if (typeof given !== "string" || expected === undefined || given.length !== expected.length) return false;
  return timingSafeEqual(Buffer.from(given), Buffer.from(expected));
}

/** The gateway's end of a connection, as the gateway sees it. */
export function servedEndpoint({ localAddress, localPort }: Socket): string {
  return endpointOf(localAddress, localPort);
}

/** The gateway's end of a connection, as its client sees it. */
export function reachedEndpoint({ remoteAddress, remotePort }: Socket): string {
  return endpointOf(remoteAddress, remotePort);
}

/** A server that listens on IPv6 and IPv4 reports IPv4 addresses as `::ffff:127.0.0.1`. */
function endpointOf(address = "", port = 0): string {
  return `${address.replace(/^::ffff:/i, "")} ${port}`;
}
