import { BlockList, isIPv4, isIPv6 } from "node:net";

/**
 * The network to which an IP address belongs: the public internet, this machine (`loopback`), a private network, or a
 * special range.
 */
export type Reach = "public" | "loopback" | "private" | "special";

const LOOPBACK = listOf(["127.0.0.0/8"], ["::1/128"]);
const PRIVATE = listOf(["10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16"], ["fc00::/7"]);
/**
 * Special IP ranges: link-local (including cloud metadata services), multicast, reserved, documentation and "this
 * network".
 */
const SPECIAL = listOf(
  [
    "0.0.0.0/8",
    "169.254.0.0/16",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.31.196.0/24",
    "192.52.193.0/24",
    "192.88.99.0/24",
    "192.175.48.0/24",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/4",
    "240.0.0.0/4",
  ],
  // Special ranges inside 2000::/3, the only allocated part of IPv6: Teredo, benchmarking, ORCHID, documentation, 6to4.
  ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "2620:4f:8000::/48"],
);
const ALLOCATED = listOf([], ["2000::/3"]);
/** The well-known NAT64 prefix: the last 32 bits are an IPv4 address. */
const NAT64 = listOf([], ["64:ff9b::/96"]);
const MAPPED = listOf([], ["::ffff:0:0/96"]);

/**
 * Returns the network to which an IP address belongs. Returns `special` for any other text, including an IPv6 address
 * in brackets or with a zone.
 */
export function reachOf(address: string): Reach {
  const [plain = "", zone] = address.split("%");
  if (isIPv4(plain)) return reachOfIPv4(plain);
  if (!isIPv6(plain) || zone !== undefined) return "special";
  if (MAPPED.check(plain, "ipv6") || NAT64.check(plain, "ipv6")) return reachOfIPv4(lastFourBytes(plain));
  if (LOOPBACK.check(plain, "ipv6")) return "loopback";
  if (PRIVATE.check(plain, "ipv6")) return "private";
  return ALLOCATED.check(plain, "ipv6") && !SPECIAL.check(plain, "ipv6") ? "public" : "special";
}

function reachOfIPv4(address: string): Reach {
  if (LOOPBACK.check(address)) return "loopback";
  if (PRIVATE.check(address)) return "private";
  return SPECIAL.check(address) ? "special" : "public";
}

/** The IP address in the host of a URL, without brackets; undefined if the host is a name. */
export function addressIn(hostname: string): string | undefined {
  const bare = hostname.replace(/^\[(.*)\]$/, "$1");
  return isIPv4(bare) || isIPv6(bare) ? bare : undefined;
}

/** Whether a host name always means this machine, whatever DNS says. */
export function isLocalhostName(hostname: string): boolean {
  return /(?:^|\.)localhost\.?$/i.test(hostname);
}

function lastFourBytes(address: string): string {
  const [high = "", low = ""] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split(":").slice(-2);
  const [first, second] = [high, low].map((group) => Number.parseInt(group || "0", 16)) as [number, number];
  return [first >> 8, first & 255, second >> 8, second & 255].join(".");
}

function listOf(ipv4: readonly string[], ipv6: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ipv4) add(list, range, "ipv4");
  for (const range of ipv6) add(list, range, "ipv6");
  return list;
}

function add(list: BlockList, range: string, family: "ipv4" | "ipv6"): void {
  const [net = "", prefix = ""] = range.split("/");
  list.addSubnet(net, Number(prefix), family);
}
