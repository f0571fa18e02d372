import { DiscoveryError } from "../../errors.js";
import { hasDotSegments, isDots } from "./path.js";

/** The base address of an API: an origin, and a path without a trailing slash. */
export interface BaseAddress {
  readonly origin: string;
  readonly prefix: string;
}

export interface BaseAddressParts {
  readonly server: string;
  readonly address: string;
  /** The URL of the API document, if it was fetched from the web. `address` may be relative to it. */
  readonly documentUrl?: string | undefined;
}

export function parseBaseAddress({ server, address, documentUrl }: BaseAddressParts): BaseAddress {
  if (!URL.canParse(address, documentUrl)) throw baseAddressError(server, "is not an absolute URL");
  const url = new URL(address, documentUrl);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw baseAddressError(server, "is neither https nor http");
  if (url.username !== "" || url.password !== "") throw baseAddressError(server, "contains a user name or a password");
  if (url.search !== "" || url.hash !== "") throw baseAddressError(server, "contains a query or a fragment");
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, "") };
}

/**
 * Builds the URL of a request. No other function does that. The result is always below the base address; undefined if
 * that is impossible.
 */
export function below(base: BaseAddress, path: string, query: string): URL | undefined {
  const rest = path.startsWith("/") || path === "" ? path : `/${path}`;
  if (rest.split(/[/\\]/).some(isDots)) return undefined;
  const address = `${base.origin}${base.prefix}${rest}${query === "" ? "" : `?${query}`}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url !== undefined && hasPrefix(base, url) && url.username === "" && url.hash === "" ? url : undefined;
}

/** Whether the URL of a redirect is below the base address, even for a server that decodes dot segments in the path. */
export function isBelow(base: BaseAddress, url: URL): boolean {
  return hasPrefix(base, url) && !hasDotSegments(url.pathname);
}

function hasPrefix({ origin, prefix }: BaseAddress, { origin: urlOrigin, pathname }: URL): boolean {
  return urlOrigin === origin && (pathname === prefix || pathname.startsWith(`${prefix}/`));
}

export function baseAddressError(server: string, what: string): DiscoveryError {
  return new DiscoveryError("CONFIGURATION_ERROR", `The base address of ${server} ${what}.`, {
    hint: {
      action: "edit-config",
      key: `adapters.${server}.baseUrl`,
      value: 'the address of the API, such as "https://host/v1"',
    },
    server,
  });
}
