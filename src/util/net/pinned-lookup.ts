import { lookup as systemLookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { addressIn, isLocalhostName, reachOf } from "./address-reach.js";
import { refusedAddress } from "./network-error.js";

export type FoundAddress = { readonly address: string; readonly family: number };

/** Resolves a host name to all its IP addresses. */
export type LookupAddresses = (hostname: string) => Promise<readonly FoundAddress[]>;

export const lookUpAtSystem: LookupAddresses = (hostname) =>
  new Promise((resolve, reject) => {
    systemLookup(hostname, { all: true, verbatim: true }, (error, found) => (error ? reject(error) : resolve(found)));
  });

/** Returns why a URL must not be requested, as far as this is known without DNS; undefined if it may be requested. */
export function whyRefusedUrl(url: URL, isConfigured: boolean): string | undefined {
  if (url.protocol !== "https:" && url.protocol !== "http:") return `${url.protocol} addresses are not fetched`;
  if (url.username !== "" || url.password !== "") return "its URL contains a user name or a password";
  if (isConfigured) return undefined;
  const address = addressIn(url.hostname);
  if (isLocalhostName(url.hostname) || (address !== undefined && reachOf(address) !== "public")) {
    return `${url.hostname} is an address of this machine or of a private network`;
  }
  return url.protocol === "http:" ? `${url.origin} is not encrypted` : undefined;
}

/**
 * Creates a DNS lookup for a socket that returns only checked IP addresses. The socket connects to exactly these, so
 * that DNS rebinding has no effect. A name is rejected if a connection to any of its addresses is not allowed.
 */
export function createPinnedLookup(server: string, lookup: LookupAddresses, isConfigured: boolean): LookupFunction {
  return (hostname, options, answer) => {
    const check = (found: readonly FoundAddress[]): void => {
      const wrong = found.find(({ address }) => !mayConnect(address, isConfigured));
      const [first] = found;
      if (wrong !== undefined || first === undefined) {
        const why = `${hostname} resolves to an address of this machine or of a private network`;
        answer(first === undefined ? notFound(hostname) : refusedAddress(server, why), "", 0);
      } else if (options.all === true) answer(null, [...found]);
      else answer(null, first.address, first.family);
    };
    lookup(hostname).then(check, (error: NodeJS.ErrnoException) => answer(error, "", 0));
  };
}

/**
 * Whether a connection to an IP address is allowed. A host that the operator configured may resolve to a private
 * address or to this machine, but never to a special address such as that of a cloud metadata service.
 */
function mayConnect(address: string, isConfigured: boolean): boolean {
  const reach = reachOf(address);
  return reach === "public" || (isConfigured && reach !== "special");
}

function notFound(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${hostname} has no address.`), { code: "ENOTFOUND" });
}
