import { expect, it } from "vitest";
import type { JsonObject } from "../../model/json.js";
import { parseFrame } from "./frames.js";
import { findInvalidParams } from "./handshake-params.js";

const HELLO = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "a", version: "1" } };

it.each<[string, JsonObject | undefined, string | undefined]>([
  ["initialize", HELLO, undefined],
  ["initialize", { ...HELLO, protocolVersion: 5 }, 'initialize needs a string in "protocolVersion".'],
  ["initialize", { ...HELLO, capabilities: [] }, 'initialize needs an object in "capabilities".'],
  [
    "initialize",
    { ...HELLO, clientInfo: { name: "a" } },
    'initialize needs an object with the strings "name" and "version" in "clientInfo".',
  ],
  ["initialize", undefined, 'initialize needs a string in "protocolVersion".'],
  ["logging/setLevel", { level: "warning" }, undefined],
  [
    "logging/setLevel",
    { level: "loud" },
    'logging/setLevel needs one of these values in "level": debug, info, notice, warning, error, critical, alert, emergency.',
  ],
  ["initialize", { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } }, undefined],
  ["ping", undefined, undefined],
])("validates the parameters of %s: %j", (method, params, wrong) => {
  expect(findInvalidParams(method, params)).toBe(wrong);
});

it("answers a request with invalid parameters under its id", () => {
  const line = Buffer.from('{"jsonrpc":"2.0","id":3,"method":"logging/setLevel","params":{"level":1}}');
  expect(parseFrame(line)).toMatchObject({ kind: "refused", answer: { id: 3, error: { code: -32602 } } });
});
