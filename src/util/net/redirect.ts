import type { DiscoveryError, Executed } from "../../errors.js";
import { refusedAddress, refusedRedirect } from "./network-error.js";
import { isSafe } from "./safe-method.js";

export interface Hop {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | undefined;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** The only headers that are sent to another origin after a redirect. Any other header may be a credential. */
const HARMLESS = new Set(["accept", "accept-encoding", "accept-language", "user-agent", "range"]);
const ABOUT_BODIES = new Set(["content-type", "content-length", "content-encoding", "content-language"]);

export function isRedirect(status: number, location: string | undefined): location is string {
  return REDIRECTS.has(status) && location !== undefined;
}

/**
 * Whether the request was executed, according to the status of a redirect. After 303 it was. After 302, and after 301
 * for a method that is not safe, it may have been.
 */
export function executedBy(method: string, status: number): Executed {
  if (status === 303) return "yes";
  return status === 302 || (status === 301 && !isSafe(method)) ? "unknown" : "no";
}

export interface Redirection {
  readonly status: number;
  readonly location: string;
  /** Whether a URL of the same origin may receive credentials and bodies. Default: all may. */
  readonly isWithin?: ((url: URL) => boolean) | undefined;
  /** Whether a request with an unsafe method was already sent a second time. */
  readonly isResent?: boolean;
}

/** Returns the request to send after a redirect, or the reason why it is not sent. */
export function follow(server: string, hop: Hop, answer: Redirection): Hop | DiscoveryError {
  const { status, location, isWithin } = answer;
  const refuse = (why: string): DiscoveryError => refusedAddress(server, why, { facts: { status } });
  if (!URL.canParse(location, hop.url.href)) return refuse("it redirects to an invalid address");
  const url = new URL(location, hop.url);
  if (hop.url.protocol === "https:" && url.protocol === "http:") {
    return refuse(`it redirects to ${url.origin}, which is not encrypted`);
  }
  const next = { ...asMethod(hop, status), url };
  const isSameOrigin = url.origin === hop.url.origin;
  const keepsCredentials = isSameOrigin && (isWithin === undefined || isWithin(url));
  const why = whyNotFollowed(next, { ...answer, isSameOrigin, keepsCredentials });
  if (why !== undefined) return refusedRedirect(server, why, { status, executed: executedBy(hop.method, status) });
  return keepsCredentials ? next : { ...next, headers: pick(next.headers, (name) => HARMLESS.has(name)) };
}

function whyNotFollowed(
  { url, method, body }: Hop,
  to: Redirection & { readonly isSameOrigin: boolean; readonly keepsCredentials: boolean },
): string | undefined {
  if (!isSafe(method) && to.status < 303) return `HTTP ${to.status} does not say whether the call ran`;
  if (!isSafe(method) && to.isResent === true) return "the call would be sent a third time";
  // A safe request without a body may be redirected to another origin without credentials; file downloads often need
  // this.
  const isSafeWithoutBody = isSafe(method) && body === undefined;
  if (to.keepsCredentials || isSafeWithoutBody) return undefined;
  return to.isSameOrigin ? "it leads outside the base URL" : `it leads to ${url.origin}, another origin`;
}

/**
 * The method, headers and body after a redirect. 303 means that the request was executed and that GET returns its
 * result.
 */
function asMethod({ method, headers, body }: Hop, status: number): Omit<Hop, "url"> {
  if (status !== 303 || method === "HEAD") return { method, headers, body };
  return { method: "GET", headers: pick(headers, (name) => !ABOUT_BODIES.has(name)) };
}

function pick(headers: Readonly<Record<string, string>>, keeps: (name: string) => boolean): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => keeps(name.toLowerCase())));
}
