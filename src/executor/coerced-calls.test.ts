import { afterEach, describe, expect, it } from "vitest";
import { ANSWER, closeExecutors, setUpExecutor, toTool } from "../../test/support/executor.js";

afterEach(closeExecutors);

const COUNTED = toTool(
  {},
  {
    inputSchema: {
      type: "object",
      properties: { title: { type: "string" }, count: { type: "integer", maximum: 10 }, labels: { type: "array" } },
      required: ["title"],
      additionalProperties: false,
    },
  },
);
const KEYED = { idempotencyKey: "k-1" };

describe("a call with arguments of the wrong type", () => {
  it("is sent with the converted arguments, and the audit records name what was converted", async () => {
    const { call, sent, records } = await setUpExecutor({ tool: COUNTED });
    await call({ arguments: { title: 100, count: "3", labels: "bug" } });
    expect(sent).toMatchObject([{ arguments: { title: "100", count: 3, labels: ["bug"] } }]);
    const coerced = ["/title: number to string", "/count: string to number", "/labels: string to array"];
    const params_hash = 'hash of {"title":"100","count":3,"labels":["bug"]}';
    expect(records).toMatchObject([
      { kind: "intent", coerced, params_hash },
      { kind: "outcome", coerced, params_hash, arguments: { title: "100", count: 3, labels: ["bug"] } },
    ]);
  });

  it("is sent as the caller wrote it if the arguments are valid, and nothing is recorded as converted", async () => {
    const { call, sent, records } = await setUpExecutor({ tool: COUNTED });
    await call({ arguments: { title: "100", count: 3 } });
    expect(sent).toMatchObject([{ arguments: { title: "100", count: 3 } }]);
    expect(records.some((record) => (record as { coerced?: unknown }).coerced !== undefined)).toBe(false);
  });

  it.each<[string, object]>([
    ["a value that cannot be converted", { title: "x", count: "007" }],
    ["another invalid argument", { title: "x", count: "3", unknown: 1 }],
    ["a converted value outside the limits", { title: "x", count: "11" }],
  ])("is rejected with the signature because of %s", async (_, args) => {
    const { call, sent, records } = await setUpExecutor({ tool: COUNTED });
    await expect(call({ arguments: args })).rejects.toMatchObject({
      code: "TOOL_VALIDATION_ERROR",
      facts: {
        violations: expect.arrayContaining(['/count is string, must be "integer"']),
        signature: expect.stringContaining("count?: integer"),
      },
    });
    expect(sent).toEqual([]);
    expect(records).toMatchObject([{ decision: "refused", params_hash: `hash of ${JSON.stringify(args)}` }]);
  });

  it("uses the idempotency key of the same call with the right types", async () => {
    const { call, sent } = await setUpExecutor({ tool: COUNTED });
    expect(await call({ ...KEYED, arguments: { title: "x", count: "3" } })).toBe(ANSWER);
    const replay = await call({ ...KEYED, arguments: { title: "x", count: 3 } });
    expect(replay).toMatchObject({ _meta: { "anygpt/replayed": {} } });
    expect(sent).toHaveLength(1);
  });

  it("uses the approval of the same call with the right types", async () => {
    const policy = { confirmation: { mode: "auto", from: "medium" } };
    const { call, sent } = await setUpExecutor({ tool: COUNTED, policy });
    await expect(call({ arguments: { title: "x", count: "3" } })).rejects.toMatchObject({
      code: "CONFIRMATION_REQUIRED",
    });
    await call({ arguments: { title: "x", count: 3 }, confirmed: true });
    expect(sent).toMatchObject([{ arguments: { title: "x", count: 3 } }]);
  });
});
