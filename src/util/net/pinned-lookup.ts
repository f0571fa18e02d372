import { lookup as systemLookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { addressIn, isOwnName, reachOf } from "./inward.js";
import { refusedAddress } from "./network-error.js";

export type FoundAddress = { readonly address: string; readonly family: number };

/** All addresses of a name. */
export type Lookup = (hostname: string) => Promise<readonly FoundAddress[]>;

export const lookUpAtSystem: Lookup = (hostname) =>
  new Promise((resolve, reject) => {
    systemLookup(hostname, { all: true, verbatim: true }, (error, found) => (error ? reject(error) : resolve(found)));
  });

/** Why an address that needs no looking up is not connected to; undefined when nothing speaks against it. */
export function whyNotAsked(url: URL, isWritten: boolean): string | undefined {
  if (url.protocol !== "https:" && url.protocol !== "http:") return `${url.protocol} addresses are not fetched`;
  if (url.username !== "" || url.password !== "") return "its address holds a user name or a password";
  if (isWritten) return undefined;
  const address = addressIn(url.hostname);
  if (isOwnName(url.hostname) || (address !== undefined && reachOf(address) !== "outward")) {
    return `${url.hostname} lies inside this machine or its network`;
  }
  return url.protocol === "http:" ? `${url.origin} is not encrypted` : undefined;
}

/**
 * Looks names up for a socket and gives it only addresses that were checked: those that it connects to are the same, whatever
 * a name server says a moment later. A name of which any address lies inward is refused as a whole.
 */
export function createPinnedLookup(server: string, lookup: Lookup, isWritten: boolean): LookupFunction {
  return (hostname, options, answer) => {
    const check = (found: readonly FoundAddress[]): void => {
      const wrong = found.find(({ address }) => !mayConnect(address, isWritten));
      const [first] = found;
      if (wrong !== undefined || first === undefined) {
        const why = `${hostname} leads inside this machine or its network`;
        answer(first === undefined ? notFound(hostname) : refusedAddress(server, why), "", 0);
      } else if (options.all === true) answer(null, [...found]);
      else answer(null, first.address, first.family);
    };
    lookup(hostname).then(check, (error: NodeJS.ErrnoException) => answer(error, "", 0));
  };
}

/** A name that the person wrote may stand for a machine of theirs, but never for the place where clouds keep credentials. */
function mayConnect(address: string, isWritten: boolean): boolean {
  const reach = reachOf(address);
  return reach === "outward" || (isWritten && reach !== "special");
}

function notFound(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${hostname} has no address.`), { code: "ENOTFOUND" });
}
