import type { IncomingMessage } from "node:http";
import { expect, it } from "vitest";
import { createSourceOf } from "./source.js";

const from = (remoteAddress: string | undefined, headers: Record<string, string> = {}): IncomingMessage =>
  ({ socket: { remoteAddress }, headers }) as unknown as IncomingMessage;

it.each<[string, string | undefined, Record<string, string>, string, boolean]>([
  ["this machine", "127.0.0.1", {}, "127.0.0.1", true],
  ["this machine by IPv6", "::1", {}, "0:0:0:0::/64", true],
  ["this machine by IPv4 in IPv6", "::ffff:127.0.0.1", {}, "127.0.0.1", true],
  ["a proxy on this machine that nobody named", "127.0.0.1", { "x-forwarded-for": "9.9.9.9" }, "127.0.0.1", false],
  ["the same that says it otherwise", "127.0.0.1", { forwarded: "for=9.9.9.9" }, "127.0.0.1", false],
  ["another machine", "203.0.113.9", {}, "203.0.113.9", false],
  ["another machine that says who it is", "203.0.113.9", { "x-forwarded-for": "127.0.0.1" }, "203.0.113.9", false],
  ["a network of IPv6", "2001:db8:1:2:3:4:5:6", {}, "2001:db8:1:2::/64", false],
  ["its neighbour", "2001:db8:1:2::9", {}, "2001:db8:1:2::/64", false],
  ["a proxy", "10.0.0.1", { "x-forwarded-for": "203.0.113.9" }, "203.0.113.9", false],
  ["two proxies", "10.0.0.1", { "x-forwarded-for": "1.1.1.1, 203.0.113.9, 10.2.3.4" }, "203.0.113.9", false],
  ["a proxy that says nothing", "10.0.0.1", {}, "10.0.0.1", false],
  ["a proxy that was told rubbish", "10.0.0.1", { "x-forwarded-for": "203.0.113.9, x" }, "10.0.0.1", false],
  ["a proxy for itself", "192.0.2.7", { "x-forwarded-for": "127.0.0.1" }, "127.0.0.1", false],
  ["nobody knows where", undefined, {}, "unknown", false],
])("knows %s", (_, remote, headers, key, isLocal) => {
  const sourceOf = createSourceOf(["10.0.0.0/8", "192.0.2.7"]);
  expect(sourceOf(from(remote, headers))).toEqual({ key, isLocal });
});
