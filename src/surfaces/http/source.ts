import type { IncomingMessage } from "node:http";
import { BlockList, isIP, isIPv6 } from "node:net";
import { reachOf } from "../../util/net/address-reach.js";

/** Where a request comes from. */
export interface RequestSource {
  /** The address for counting invalid tokens: an IPv4 address or an IPv6 /64 network. */
  readonly key: string;
  /** Whether the request comes from this machine without a proxy. */
  readonly isLocal: boolean;
}

const FORWARDED = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip"];
const UNKNOWN = "unknown";

/**
 * Determines the source of a request. Behind a trusted proxy, it is the last address in `X-Forwarded-For` that is not a
 * trusted proxy.
 */
export function createSourceOf(proxies: readonly string[]): (incoming: IncomingMessage) => RequestSource {
  const known = toBlockList(proxies);
  const isProxy = (address: string): boolean =>
    proxies.length > 0 && known.check(address, isIPv6(address) ? "ipv6" : "ipv4");
  return ({ socket, headers }) => {
    const peer = toAddress(socket.remoteAddress ?? "") ?? UNKNOWN;
    if (peer === UNKNOWN || !isProxy(peer)) {
      const isForwarded = FORWARDED.some((name) => headers[name] !== undefined);
      return { key: toKey(peer), isLocal: isLoopback(peer) && !isForwarded };
    }
    const hops = String(headers["x-forwarded-for"] ?? "").split(",");
    let caller = peer;
    for (const hop of hops.reverse()) {
      const address = toAddress(hop.trim());
      if (address === undefined) break;
      caller = address;
      if (!isProxy(address)) break;
    }
    return { key: toKey(caller), isLocal: false };
  };
}

/** Whether an address is a loopback address. The common ones are recognized without parsing. */
function isLoopback(address: string): boolean {
  return address === "127.0.0.1" || address === "::1" || reachOf(address) === "loopback";
}

/**
 * Returns an IP address without brackets, with an IPv4-mapped IPv6 address converted to IPv4; undefined if the text is
 * not an IP address.
 */
function toAddress(text: string): string | undefined {
  const plain = text.replace(/^\[(.*)\]$/, "$1").replace(/^::ffff:(?=\d+\.)/i, "");
  return isIP(plain) === 0 ? undefined : plain;
}

/**
 * Returns the key under which invalid tokens from an address are counted. An IPv6 customer usually has a whole /64
 * network, so all addresses of such a network have the same key.
 */
function toKey(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = "", tail] = address.split("%", 1)[0]?.split("::") ?? [];
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const all =
    tail === undefined ? left : [...left, ...Array<string>(8 - left.length - right.length).fill("0"), ...right];
  return `${all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`;
}

function toBlockList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    const family = isIPv6(address) ? "ipv6" : "ipv4";
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}
