import { expect, it } from "vitest";
import { toCall } from "../../test/support/calls.js";
import { DiscoveryError } from "../errors.js";
import type { Call, CallResult } from "../model/call.js";
import { withRequestIds } from "./with-request-ids.js";

const CALL = { server: "a", tool: "b" };

function setUp(result: CallResult) {
  const calls: Call[] = [];
  const execute = withRequestIds(
    (call) => (calls.push(call), Promise.resolve(result)),
    () => "req-1",
  );
  return { calls, execute };
}

it.each<[string, CallResult, string]>([
  [
    "without metadata",
    { content: [{ type: "text", text: "done" }], structuredContent: { b: 1, a: [2] } },
    '{"content":[{"type":"text","text":"done"}],"structuredContent":{"b":1,"a":[2]},"_meta":{"anygpt/execution":{"request_id":"req-1"}}}',
  ],
  [
    "with metadata, and keeps the order of its members",
    { _meta: { "example.com/cost": 2 }, content: [], isError: true, extra: null },
    '{"_meta":{"example.com/cost":2,"anygpt/execution":{"request_id":"req-1"}},"content":[],"isError":true,"extra":null}',
  ],
  [
    "that claims another id",
    { content: [], _meta: { "anygpt/execution": { request_id: "forged" } } },
    '{"content":[],"_meta":{"anygpt/execution":{"request_id":"req-1"}}}',
  ],
  [
    "with invalid metadata",
    { content: [], _meta: "x" },
    '{"content":[],"_meta":{"anygpt/execution":{"request_id":"req-1"}}}',
  ],
])("adds the id of the audit record to a result %s", async (_, result, expected) => {
  const { calls, execute } = setUp(result);
  const before = JSON.stringify(result);
  expect(JSON.stringify(await execute(toCall(CALL)))).toBe(expected);
  expect(calls).toMatchObject([{ requestId: "req-1" }]);
  expect(JSON.stringify(result)).toBe(before);
});

it("keeps an id that the caller chose, and passes errors on", async () => {
  const { calls, execute } = setUp({ content: [] });
  expect(await execute(toCall({ ...CALL, requestId: "mine" }))).toEqual({
    content: [],
    _meta: { "anygpt/execution": { request_id: "mine" } },
  });
  expect(calls).toMatchObject([{ requestId: "mine" }]);
  const failure = new DiscoveryError("TOOL_NOT_FOUND", "No such tool.");
  const failing = withRequestIds(
    () => Promise.reject(failure),
    () => "req-2",
  );
  await expect(failing(toCall(CALL))).rejects.toBe(failure);
});
