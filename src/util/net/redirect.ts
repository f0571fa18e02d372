import type { DiscoveryError, Executed } from "../../errors.js";
import { refusedAddress } from "./network-error.js";

export interface Hop {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | undefined;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** All that another origin gets to see. Any other header may be a credential, whatever its name. */
const HARMLESS = new Set(["accept", "accept-encoding", "accept-language", "user-agent", "range"]);
const ABOUT_BODIES = new Set(["content-type", "content-length", "content-encoding", "content-language"]);

export function isRedirect(status: number, location: string | undefined): location is string {
  return REDIRECTS.has(status) && location !== undefined;
}

/** Whatever comes next: after 303 the request was carried out, and after 302 it may have been. */
export function executedBy(status: number): Executed {
  if (status === 303) return "yes";
  return status === 302 ? "unknown" : "no";
}

/** The request that a redirect asks for, or why it is not made. */
export function follow(server: string, hop: Hop, answer: { status: number; location: string }): Hop | DiscoveryError {
  const { status, location } = answer;
  const refuse = (why: string): DiscoveryError => refusedAddress(server, why, { facts: { status } });
  if (!URL.canParse(location, hop.url.href)) return refuse("it redirects to something that is no address");
  const url = new URL(location, hop.url);
  if (hop.url.protocol === "https:" && url.protocol === "http:") {
    return refuse(`it redirects to ${url.origin}, which is not encrypted`);
  }
  const next = { ...asMethod(hop, status), url };
  if (url.origin === hop.url.origin) return next;
  if (next.body !== undefined) return refuse(`it wants the request sent again to ${url.origin}, another place`);
  return { ...next, headers: pick(next.headers, (name) => HARMLESS.has(name)) };
}

/** As browsers do it: what was posted is fetched at the new place, except after 307 and 308. */
function asMethod(hop: Hop, status: number): Omit<Hop, "url"> {
  const { method, headers, body } = hop;
  const becomesGet = (status === 303 && method !== "HEAD") || (status < 303 && method === "POST");
  if (!becomesGet) return { method, headers, body };
  return { method: "GET", headers: pick(headers, (name) => !ABOUT_BODIES.has(name)) };
}

function pick(headers: Readonly<Record<string, string>>, keeps: (name: string) => boolean): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => keeps(name.toLowerCase())));
}
