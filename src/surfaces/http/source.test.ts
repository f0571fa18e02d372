import type { IncomingMessage } from "node:http";
import { expect, it } from "vitest";
import { createSourceOf } from "./source.js";

const from = (remoteAddress: string | undefined, headers: Record<string, string> = {}): IncomingMessage =>
  ({ socket: { remoteAddress }, headers }) as unknown as IncomingMessage;

it.each<[string, string | undefined, Record<string, string>, string, boolean]>([
  ["this machine", "127.0.0.1", {}, "127.0.0.1", true],
  ["this machine over IPv6", "::1", {}, "0:0:0:0::/64", true],
  ["this machine with an IPv4-mapped address", "::ffff:127.0.0.1", {}, "127.0.0.1", true],
  ["an unknown proxy on this machine", "127.0.0.1", { "x-forwarded-for": "9.9.9.9" }, "127.0.0.1", false],
  ["the same with the header Forwarded", "127.0.0.1", { forwarded: "for=9.9.9.9" }, "127.0.0.1", false],
  ["another machine", "203.0.113.9", {}, "203.0.113.9", false],
  [
    "another machine that sends X-Forwarded-For",
    "203.0.113.9",
    { "x-forwarded-for": "127.0.0.1" },
    "203.0.113.9",
    false,
  ],
  ["an IPv6 address", "2001:db8:1:2:3:4:5:6", {}, "2001:db8:1:2::/64", false],
  ["another address of the same /64 network", "2001:db8:1:2::9", {}, "2001:db8:1:2::/64", false],
  ["a proxy", "10.0.0.1", { "x-forwarded-for": "203.0.113.9" }, "203.0.113.9", false],
  ["two proxies", "10.0.0.1", { "x-forwarded-for": "1.1.1.1, 203.0.113.9, 10.2.3.4" }, "203.0.113.9", false],
  ["a proxy without X-Forwarded-For", "10.0.0.1", {}, "10.0.0.1", false],
  ["a proxy with an invalid X-Forwarded-For", "10.0.0.1", { "x-forwarded-for": "203.0.113.9, x" }, "10.0.0.1", false],
  [
    "a proxy on another machine that forwards a loopback address",
    "192.0.2.7",
    { "x-forwarded-for": "127.0.0.1" },
    "127.0.0.1",
    false,
  ],
  ["an unknown address", undefined, {}, "unknown", false],
])("identifies the source of a request from %s", (_, remote, headers, key, isLocal) => {
  const sourceOf = createSourceOf(["10.0.0.0/8", "192.0.2.7"]);
  expect(sourceOf(from(remote, headers))).toEqual({ key, isLocal });
});
