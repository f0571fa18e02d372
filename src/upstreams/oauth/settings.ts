import type { HttpConnection, SseConnection } from "../../model/server.js";
import { sha256 } from "../../util/sha256.js";

/** A connection over which one can sign in, with its variables replaced. */
export type RemoteConnection = HttpConnection | SseConnection;

/** A header that the person wrote is the sign-in already. */
export function hasOwnAuthorization({ headers }: RemoteConnection): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
}

/** What a credential is bound to: it is sent to this address and to no other. */
export function addressKey({ url }: RemoteConnection): string {
  return sha256(URL.canParse(url) ? withoutFragment(url) : url);
}

export function withoutFragment(url: string): string {
  const parsed = new URL(url);
  parsed.hash = "";
  return parsed.href;
}
