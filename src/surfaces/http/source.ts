import type { IncomingMessage } from "node:http";
import { BlockList, isIP, isIPv6 } from "node:net";
import { reachOf } from "../../util/net/inward.js";

/** Where a request came from. */
export interface Source {
  /** What wrong tokens are counted by: an address, or the network that one customer gets. */
  readonly key: string;
  /** From this machine, and from nobody in front of it. */
  readonly isLocal: boolean;
}

const FORWARDED = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip"];
const UNKNOWN = "unknown";

/** `X-Forwarded-For` is believed from the right, as far as known proxies have written it. */
export function createSourceOf(proxies: readonly string[]): (incoming: IncomingMessage) => Source {
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

/** The usual ones are known at sight. */
function isLoopback(address: string): boolean {
  return address === "127.0.0.1" || address === "::1" || reachOf(address) === "loopback";
}

/** Digits without brackets; IPv4 as such, also where it was written as IPv6. */
function toAddress(text: string): string | undefined {
  const plain = text.replace(/^\[(.*)\]$/, "$1").replace(/^::ffff:(?=\d+\.)/i, "");
  return isIP(plain) === 0 ? undefined : plain;
}

/** Whoever has an address of IPv6 has 2⁶⁴ of them. */
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
