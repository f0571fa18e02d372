import type { HttpConnection, SseConnection } from "../../model/server.js";
import { sha256 } from "../../util/sha256.js";

/** A connection to a remote server, which may require sign-in. Its variables are already replaced. */
export type RemoteConnection = HttpConnection | SseConnection;

/** Whether the configuration sets the Authorization header. If so, the gateway does not sign in. */
export function hasOwnAuthorization({ headers }: RemoteConnection): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
}

/** A hash of the URL that a credential is bound to. The credential is sent to no other URL. */
export function addressKey({ url }: RemoteConnection): string {
  return sha256(URL.canParse(url) ? withoutFragment(url) : url);
}

export function withoutFragment(url: string): string {
  const parsed = new URL(url);
  parsed.hash = "";
  return parsed.href;
}
