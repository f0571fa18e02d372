import { DiscoveryError } from "../../errors.js";
import { climbs, isDots } from "./path.js";

/** Where all requests of an API go: an origin, and a path without a slash at its end. */
export interface BaseAddress {
  readonly origin: string;
  readonly prefix: string;
}

export interface AddressGiven {
  readonly server: string;
  readonly address: string;
  /** Where the document came from, if from the web: its addresses may be relative to it. */
  readonly documentUrl?: string | undefined;
}

export function parseBaseAddress({ server, address, documentUrl }: AddressGiven): BaseAddress {
  if (!URL.canParse(address, documentUrl)) throw notAnAddress(server, "is not a whole web address");
  const url = new URL(address, documentUrl);
  if (url.protocol !== "https:" && url.protocol !== "http:") throw notAnAddress(server, "is neither https nor http");
  if (url.username !== "" || url.password !== "") throw notAnAddress(server, "holds a user name or a password");
  if (url.search !== "" || url.hash !== "") throw notAnAddress(server, "holds a query or a fragment");
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, "") };
}

/** The one place where an address becomes final: whatever its parts were, it lies below the base. */
export function below(base: BaseAddress, path: string, query: string): URL | undefined {
  const rest = path.startsWith("/") || path === "" ? path : `/${path}`;
  if (rest.split(/[/\\]/).some(isDots)) return undefined;
  const address = `${base.origin}${base.prefix}${rest}${query === "" ? "" : `?${query}`}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url !== undefined && hasPrefix(base, url) && url.username === "" && url.hash === "" ? url : undefined;
}

/** Of an address that somebody else made: no server on the way may read it as one that is elsewhere. */
export function isBelow(base: BaseAddress, url: URL): boolean {
  return hasPrefix(base, url) && !climbs(url.pathname);
}

function hasPrefix({ origin, prefix }: BaseAddress, { origin: own, pathname }: URL): boolean {
  return own === origin && (pathname === prefix || pathname.startsWith(`${prefix}/`));
}

export function notAnAddress(server: string, what: string): DiscoveryError {
  return new DiscoveryError("CONFIGURATION_ERROR", `The base address of ${server} ${what}.`, {
    hint: `Set adapters.${server}.baseUrl to the address of the API, such as "https://host/v1".`,
    server,
  });
}
