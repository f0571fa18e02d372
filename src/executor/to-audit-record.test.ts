import { expect, it } from "vitest";
import { DiscoveryError, type ErrorCode } from "../errors.js";
import { localActor } from "../model/actor.js";
import type { CallRecord } from "./execute.js";
import { toAuditRecord } from "./to-audit-record.js";

const audit = {
  hashParams: (params: unknown) => Promise.resolve(`hash of ${JSON.stringify(params)}`),
  record: () => Promise.resolve(),
  prepare: () => Promise.resolve(),
  release: () => Promise.resolve(),
  close: () => Promise.resolve(),
};
const record = (outcome: CallRecord["outcome"]) =>
  toAuditRecord(
    {
      requestId: "r",
      actor: localActor("cli"),
      toolId: "a:b",
      arguments: { secret: 1 },
      startedAt: 0,
      durationMs: 1.23456,
      outcome,
    },
    audit,
  );

it("keeps who, what, when and how it ended", async () => {
  expect(await record({ kind: "answered", isError: false })).toEqual({
    request_id: "r",
    timestamp: "1970-01-01T00:00:00.000Z",
    actor_id: "local",
    surface: "cli",
    tool_id: "a:b",
    params_hash: 'hash of {"secret":1}',
    decision: "allowed",
    outcome: "ok",
    duration_ms: 1.235,
  });
  expect(await record({ kind: "answered", isError: true })).toMatchObject({ outcome: "tool_error" });
});

it.each<[ErrorCode, "allowed" | "refused"]>([
  ["TOOL_NOT_FOUND", "refused"],
  ["TOOL_DISABLED", "refused"],
  ["TOOL_VALIDATION_ERROR", "refused"],
  ["SERVER_CONNECTION_ERROR", "allowed"],
  ["TOOL_EXECUTION_TIMEOUT", "allowed"],
  ["CANCELLED", "allowed"],
])("counts %s as %s", async (code, decision) => {
  const error = new DiscoveryError(code, "It failed.");
  expect(await record({ kind: "failed", error })).toMatchObject({ decision, outcome: "error", error_code: code });
});
