import { BlockList, isIP, isIPv4, isIPv6 } from "node:net";
import { addressIn, isLocalhostName, reachOf } from "./address-reach.js";

/** One entry of NO_PROXY: everything, a host with its subdomains, or an IP range. */
type Entry = { readonly port?: string } & (
  | { readonly kind: "all" }
  | { readonly kind: "host"; readonly name: string }
  | { readonly kind: "range"; readonly list: BlockList; readonly family: "ipv4" | "ipv6" }
);

/**
 * Returns a function that says whether a URL bypasses the proxy. As in curl, `example.com`, `.example.com` and
 * `*.example.com` mean the host and its subdomains, `host:8080` means only that port, and entries are separated by
 * commas or white space. Names and addresses of this machine always bypass the proxy.
 */
export function createBypass(noProxy: string): (url: URL) => boolean {
  const entries = noProxy.split(/[\s,]+/).flatMap(parseEntry);
  return (url) => isThisMachine(url) || entries.some((entry) => matches(entry, url));
}

function isThisMachine({ hostname }: URL): boolean {
  const address = addressIn(hostname);
  return isLocalhostName(hostname) || (address !== undefined && reachOf(address) === "loopback");
}

function parseEntry(text: string): Entry[] {
  if (text === "") return [];
  if (text === "*") return [{ kind: "all" }];
  const range = parseRange(text);
  if (range !== undefined) return [range];
  // An IPv6 address without brackets contains colons, and has no port.
  const [, host = text, port] = isIPv6(text) ? [] : (/^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(text) ?? []);
  const name = withoutBrackets(host)
    .toLowerCase()
    .replace(/^\*?\./, "")
    .replace(/\.$/, "");
  return name === "" ? [] : [{ kind: "host", name, ...(port === undefined ? {} : { port }) }];
}

function parseRange(text: string): Entry | undefined {
  const [, net = "", prefix = ""] = /^\[?([0-9a-f.:]+)\]?\/(\d{1,3})$/i.exec(text) ?? [];
  const family = isIPv4(net) ? "ipv4" : "ipv6";
  if (isIP(net) === 0 || Number(prefix) > (family === "ipv4" ? 32 : 128)) return undefined;
  const list = new BlockList();
  list.addSubnet(net, Number(prefix), family);
  return { kind: "range", list, family };
}

function matches(entry: Entry, url: URL): boolean {
  if (entry.port !== undefined && entry.port !== portOf(url)) return false;
  if (entry.kind === "all") return true;
  const host = withoutBrackets(url.hostname).toLowerCase().replace(/\.$/, "");
  if (entry.kind === "host") return host === entry.name || (isIP(host) === 0 && host.endsWith(`.${entry.name}`));
  return isIP(host) === (entry.family === "ipv4" ? 4 : 6) && entry.list.check(host, entry.family);
}

export function portOf({ port, protocol }: URL): string {
  return port === "" ? (protocol === "https:" ? "443" : "80") : port;
}

export function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}
