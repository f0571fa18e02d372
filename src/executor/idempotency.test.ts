import { afterEach, describe, expect, it } from "vitest";
import { ANSWER, closeExecutors, setUpExecutor, toTool } from "../../test/support/executor.js";
import { DiscoveryError, type Executed } from "../errors.js";
import type { CallResult } from "../model/call.js";
import type { JsonObject } from "../model/json.js";

afterEach(closeExecutors);

const KEYED = { idempotencyKey: "order-1" };
const UUID = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/) as string;
const lost = (executed: Executed) => () =>
  Promise.reject(new DiscoveryError("TOOL_EXECUTION_ERROR", "It broke off.", { executed }));

describe("a call with an idempotency key", () => {
  it("runs once; a repeated call gets the same answer, with the id of the call that ran", async () => {
    const { call, sent, records } = await setUpExecutor();
    expect(await call(KEYED)).toBe(ANSWER);
    for (let n = 0; n < 10; n += 1) {
      expect(await call(KEYED)).toEqual({
        ...ANSWER,
        _meta: { kept: true, "anygpt/replayed": { request_id: "id-1" } },
      });
    }
    expect(sent).toHaveLength(1);
    expect(records.at(-1)).toMatchObject({ outcome: "ok", replayed_from: "id-1", idempotency_key: "order-1" });
    expect(records.filter(({ kind }) => kind === "intent")).toHaveLength(1);
  });

  it("replays the answer byte by byte", async () => {
    const odd: CallResult = { structuredContent: { b: 1, a: [1.5, null, "é\u2028"] }, content: [], z: 1 };
    const { call } = await setUpExecutor({ send: () => Promise.resolve(odd) });
    await call(KEYED);
    const { _meta, ...again } = await call(KEYED);
    expect(JSON.stringify(again)).toBe(JSON.stringify(odd));
  });

  it("is rejected with other arguments than the first call", async () => {
    const { call, sent } = await setUpExecutor();
    await call(KEYED);
    await expect(call({ ...KEYED, arguments: { title: "y" } })).rejects.toMatchObject({
      code: "IDEMPOTENCY_CONFLICT",
      executed: "no",
      facts: { original_request_id: "id-1" },
    });
    expect(sent).toHaveLength(1);
  });

  it("is the same call if only the order of its arguments differs", async () => {
    const { call, sent } = await setUpExecutor();
    await call({ ...KEYED, arguments: { title: "x", body: "b" } });
    await call({ ...KEYED, arguments: { body: "b", title: "x" } });
    expect(sent).toHaveLength(1);
  });

  it("runs once for 100 concurrent calls; the others fail with IDEMPOTENCY_IN_PROGRESS", async () => {
    const { call, sent } = await setUpExecutor();
    const ends = await Promise.allSettled(Array.from({ length: 100 }, () => call(KEYED)));
    const codes = ends.map((end) => (end.status === "fulfilled" ? "ok" : (end.reason as DiscoveryError).code));
    expect(sent).toHaveLength(1);
    expect(new Set(codes)).toEqual(new Set(["ok", "IDEMPOTENCY_IN_PROGRESS"]));
  });

  it.each<[string, object]>([
    ["wrong arguments", { arguments: { title: true } }],
    ["a request that JSON parsing changed", { flaws: [{ path: "/x", message: "occurs twice" }] }],
  ])("leaves the key free after %s", async (_case, wrong) => {
    const { call, sent } = await setUpExecutor();
    await expect(call({ ...KEYED, ...wrong })).rejects.toMatchObject({ code: "TOOL_VALIDATION_ERROR" });
    await call(KEYED);
    expect(sent).toHaveLength(1);
  });

  it("leaves the key free when nothing was sent", async () => {
    const failing = await setUpExecutor({ send: lost("no") });
    await expect(failing.call(KEYED)).rejects.toMatchObject({ executed: "no" });
    const working = await setUpExecutor({ sharesStoreWith: failing });
    expect(await working.call(KEYED)).toBe(ANSWER);
  });

  it("replays an error result of the tool and a definite failure", async () => {
    const wrong: CallResult = { content: [{ type: "text", text: "no such repo" }], isError: true };
    const erring = await setUpExecutor({ send: () => Promise.resolve(wrong) });
    await erring.call(KEYED);
    expect(await erring.call(KEYED)).toMatchObject({ ...wrong, _meta: { "anygpt/replayed": { request_id: "id-1" } } });
    expect(erring.sent).toHaveLength(1);
    const failing = await setUpExecutor({ send: lost("yes") });
    await expect(failing.call(KEYED)).rejects.toMatchObject({ executed: "yes" });
    await expect(failing.call(KEYED)).rejects.toMatchObject({
      code: "TOOL_EXECUTION_ERROR",
      message: "It broke off.",
      executed: "yes",
      facts: { replayed: true, original_request_id: "id-1" },
    });
    expect(failing.sent).toHaveLength(1);
  });

  it("does not run again after an unknown outcome until an operator resolves it", async () => {
    const { call, sent, idempotency, records } = await setUpExecutor({ send: lost("unknown") });
    await expect(call(KEYED)).rejects.toMatchObject({ code: "TOOL_EXECUTION_ERROR", executed: "unknown" });
    await expect(call(KEYED)).rejects.toMatchObject({
      code: "IDEMPOTENCY_OUTCOME_UNKNOWN",
      executed: "unknown",
      hint: expect.stringContaining("anygpt mcp idempotency resolve"),
    });
    expect(sent).toHaveLength(1);
    const [unknown] = await idempotency.list({ state: "unknown" });
    expect(await idempotency.resolve(unknown?.id ?? 0, "not_committed", "mia")).toMatchObject({ state: "unknown" });
    expect(records.at(-1)).toMatchObject({ kind: "note", action: "resolve_key_not_committed", by: "mia" });
    await expect(call(KEYED)).rejects.toMatchObject({ code: "TOOL_EXECUTION_ERROR" });
    expect(sent).toHaveLength(2);
    const [again] = await idempotency.list({ state: "unknown" });
    await idempotency.resolve(again?.id ?? 0, "committed", "mia");
    await expect(call(KEYED)).rejects.toMatchObject({ code: "IDEMPOTENCY_OUTCOME_UNKNOWN", executed: "yes" });
    expect(sent).toHaveLength(2);
    expect(await idempotency.resolve(again?.id ?? 0, "committed", "mia")).toBeUndefined();
  });

  it("runs again after an unknown outcome if the tool is idempotent", async () => {
    const tool = toTool({}, { annotations: { idempotentHint: true } });
    const failing = await setUpExecutor({ tool, send: lost("unknown") });
    await expect(failing.call(KEYED)).rejects.toMatchObject({ executed: "unknown" });
    const working = await setUpExecutor({ tool, sharesStoreWith: failing });
    expect(await working.call(KEYED)).toBe(ANSWER);
  });

  it.each<[string, object, object, object]>([
    ["as metadata", { _meta: { "anygpt/idempotencyKey": true } }, {}, { meta: { "anygpt/idempotencyKey": UUID } }],
    [
      "as the argument that the tool names",
      { _meta: { "anygpt/idempotencyKey": "ref" } },
      {},
      { arguments: { title: "x", ref: UUID } },
    ],
    [
      "as the argument that the configuration names",
      {},
      { idempotency: { tools: [{ tools: "create_issue", sendKeyAs: "ref" }] } },
      { arguments: { title: "x", ref: UUID } },
    ],
  ])("sends its key to the server %s", async (_case, definition, policy, expected) => {
    const { call, sent } = await setUpExecutor({ tool: toTool({}, definition), policy });
    await call(KEYED);
    expect(sent).toMatchObject([expected]);
  });

  it("sends the same key for the same call, and another one for another caller, tool or key", async () => {
    const sentKey = async ({ actor = "ann", key = "order-1", id = "shop:pay" } = {}) => {
      const tool = toTool({ id }, { _meta: { "anygpt/idempotencyKey": true } });
      const { call, sent } = await setUpExecutor({ tool });
      await call({ idempotencyKey: key, actor: { id: actor, surface: "http" } });
      return String(sent[0]?.meta?.["anygpt/idempotencyKey"]);
    };
    const keys = [await sentKey(), await sentKey({ actor: "bob" }), await sentKey({ key: "order-2" })];
    keys.push(await sentKey({ id: "shop:refund" }));
    expect(new Set(keys).size).toBe(4);
    expect(await sentKey()).toBe(keys[0]);
  });

  it("sends its key unchanged if the configuration says so", async () => {
    const policy = { idempotency: { tools: [{ tools: "*", sendKeyAs: "_meta", sendKeyUnchanged: true }] } };
    const { call, sent } = await setUpExecutor({ policy });
    await call(KEYED);
    expect(sent[0]?.meta).toEqual({ "anygpt/idempotencyKey": "order-1" });
  });

  it("fails with OVERLOADED, for this caller only, once the caller has stored too much", async () => {
    const large: CallResult = { content: [{ type: "text", text: "x".repeat(700_000) }] };
    const policy = { idempotency: { maxBytesPerActor: 1024 * 1024 } };
    const { call, sent } = await setUpExecutor({ policy, send: () => Promise.resolve(large) });
    await call({ idempotencyKey: "a" });
    await call({ idempotencyKey: "b" });
    await expect(call({ idempotencyKey: "c" })).rejects.toMatchObject({ code: "OVERLOADED", executed: "no" });
    expect(await call({ idempotencyKey: "a" })).toMatchObject({ _meta: { "anygpt/replayed": {} } });
    await call({});
    await call({ idempotencyKey: "c", actor: { id: "bob", surface: "http" } });
    expect(sent).toHaveLength(4);
  });

  it("does not send its key to a server that does not accept keys", async () => {
    const { call, sent } = await setUpExecutor();
    await call(KEYED);
    expect(JSON.stringify(sent)).not.toContain("order-1");
  });

  it.each<[string, JsonObject, JsonObject | undefined]>([
    ["alone", {}, undefined],
    ["with other members, which are sent", { trace: "t" }, { trace: "t" }],
  ])("does not send a key that came as metadata: %s", async (_case, meta, expected) => {
    const { call, sent } = await setUpExecutor();
    await call({ ...KEYED, meta: { "anygpt/idempotencyKey": "order-1", ...meta } });
    expect(sent[0]?.meta).toEqual(expected);
  });

  it.each(["", "a b", "é", "x".repeat(256), "a\n"])("rejects the key %j", async (idempotencyKey) => {
    const { call, sent } = await setUpExecutor();
    await expect(call({ idempotencyKey })).rejects.toMatchObject({ code: "INVALID_REQUEST" });
    expect(sent).toEqual([]);
  });

  it("does not run again if the answer was too large to be stored", async () => {
    const large: CallResult = { content: [{ type: "text", text: "x".repeat(1_100_000) }] };
    const { call, sent } = await setUpExecutor({ send: () => Promise.resolve(large) });
    await call(KEYED);
    await expect(call(KEYED)).rejects.toMatchObject({ code: "RESULT_TOO_LARGE", executed: "yes" });
    expect(sent).toHaveLength(1);
  });

  it("stores answers encrypted with the key of the machine", async () => {
    const { call, store } = await setUpExecutor({
      send: () => Promise.resolve({ content: [{ type: "text", text: "attack at dawn" }] }),
    });
    await call(KEYED);
    const record = await store.keys.find(
      { actor: "local", tool: "github:create_issue", key: "order-1" },
      Date.UTC(2026, 0, 1),
    );
    expect(Buffer.from(record?.answer ?? []).toString("latin1")).not.toContain("dawn");
  });

  it("is authorized again before its answer is replayed", async () => {
    const first = await setUpExecutor();
    await first.call(KEYED);
    const policy = { scopes: [{ tools: "*", required_scopes: ["gone"] }], localScopes: [] };
    const later = await setUpExecutor({ sharesStoreWith: first, policy });
    await expect(later.call(KEYED)).rejects.toMatchObject({ code: "SCOPE_REQUIRED" });
  });

  it("runs again after the TTL of its key", async () => {
    const { call, sent, clock } = await setUpExecutor();
    await call(KEYED);
    clock.now += 86_400_001;
    await call(KEYED);
    expect(sent).toHaveLength(2);
  });

  it.each<[string, "finish" | "release", Executed]>([
    ["the write of an outcome", "finish", "yes"],
    ["the release of a key", "release", "no"],
  ])("repeats %s that failed in the store, also after a reload", async (_case, method, executed) => {
    const first = await setUpExecutor({ send: lost(executed) });
    const { keys } = first.store;
    const original = keys[method] as (...args: unknown[]) => Promise<unknown>;
    let isFull = true;
    Object.assign(keys, {
      [method]: (...args: unknown[]) =>
        isFull ? Promise.reject(new DiscoveryError("AUDIT_UNAVAILABLE", "full.")) : original(...args),
    });
    await expect(first.call(KEYED)).rejects.toMatchObject({ code: "AUDIT_UNAVAILABLE", executed });
    isFull = false;
    const reloaded = await setUpExecutor({ sharesStoreWith: first });
    const end = await reloaded.call(KEYED).catch((error: unknown) => error);
    expect(end).toMatchObject(executed === "no" ? ANSWER : { code: "TOOL_EXECUTION_ERROR" });
    expect(reloaded.sent).toHaveLength(executed === "no" ? 1 : 0);
  });

  it("releases a key that was reserved although the store reported a failure", async () => {
    const { call, store, sent } = await setUpExecutor();
    const { reserve } = store.keys;
    let isLate = true;
    Object.assign(store.keys, {
      reserve: async (...args: Parameters<typeof reserve>) => {
        const made = await reserve(...args);
        if (isLate) throw new DiscoveryError("AUDIT_UNAVAILABLE", "too late.");
        return made;
      },
    });
    await expect(call(KEYED)).rejects.toMatchObject({ code: "AUDIT_UNAVAILABLE", executed: "no" });
    isLate = false;
    await call(KEYED);
    expect(sent).toHaveLength(1);
  });

  it("writes each pending outcome once, also with many concurrent calls", async () => {
    const { call, store } = await setUpExecutor();
    const { finish } = store.keys;
    let finishes = 0;
    Object.assign(store.keys, {
      finish: (...args: Parameters<typeof finish>) => {
        finishes += 1;
        return finish(...args);
      },
    });
    await Promise.all(Array.from({ length: 50 }, (_, n) => call({ idempotencyKey: `k${n}` })));
    expect(finishes).toBe(50);
  });

  it("adds the key to its argument before the arguments are validated", async () => {
    const inputSchema = { ...toTool().definition.inputSchema, required: ["title", "body"] };
    const policy = { idempotency: { tools: [{ tools: "*", sendKeyAs: "body" }] } };
    const { call, sent } = await setUpExecutor({ tool: toTool({}, { inputSchema }), policy });
    await call(KEYED);
    expect(sent[0]?.arguments).toEqual({ title: "x", body: UUID });
    await expect(call({ ...KEYED, arguments: { title: "x", body: "other" } })).rejects.toMatchObject({
      code: "INVALID_REQUEST",
    });
  });

  it("writes an outcome that failed in the store as soon as the store works again", async () => {
    const { call, sent, store } = await setUpExecutor();
    const { finish } = store.keys;
    let isFull = true;
    Object.assign(store.keys, {
      finish: (...args: Parameters<typeof finish>) =>
        isFull ? Promise.reject(new DiscoveryError("AUDIT_UNAVAILABLE", "full.")) : finish(...args),
    });
    await expect(call(KEYED)).rejects.toMatchObject({ code: "AUDIT_UNAVAILABLE", executed: "yes" });
    isFull = false;
    expect(await call(KEYED)).toMatchObject(ANSWER.content ? { content: ANSWER.content } : {});
    expect(sent).toHaveLength(1);
  });
});

describe("a call without a key", () => {
  it("is rejected for high risk in the profile `gateway`", async () => {
    const policy = { risk: [{ tools: "*", risk: "high" }] };
    const { call, sent } = await setUpExecutor({ policy, parts: { profile: "gateway" } });
    await expect(call()).rejects.toMatchObject({ code: "IDEMPOTENCY_REQUIRED" });
    expect(sent).toEqual([]);
    await call(KEYED);
    expect(sent).toHaveLength(1);
  });

  it.each(["gateway", "elsewhere"])("is accepted for low risk whatever the policy requires (%s)", async (where) => {
    const policy = {
      risk: [{ tools: "*", risk: "low" }],
      idempotency: { requiredFrom: { gateway: "low", elsewhere: "low" } },
    };
    const parts = where === "gateway" ? { profile: "gateway" as const } : {};
    const { call, sent } = await setUpExecutor({ policy, parts });
    await call();
    await call();
    expect(sent).toHaveLength(2);
  });

  it("of low risk with a key says that its stored result is not fresh", async () => {
    const { call, sent } = await setUpExecutor({ policy: { risk: [{ tools: "*", risk: "low" }] } });
    expect((await call(KEYED))["_meta"]).not.toHaveProperty("anygpt/replayed");
    expect((await call(KEYED))["_meta"]).toHaveProperty("anygpt/replayed");
    expect(sent).toHaveLength(1);
  });

  it.each(["high", "destructive"])("is rejected if the policy requires a key for %s risk", async (risk) => {
    const policy = {
      risk: [{ tools: "*", risk }],
      idempotency: { requiredFrom: { elsewhere: "high" } },
      confirmation: { mode: "never" },
    };
    const { call, sent } = await setUpExecutor({ policy });
    await expect(call()).rejects.toMatchObject({
      code: "IDEMPOTENCY_REQUIRED",
      nextSteps: [{ action: "pass-key" }],
    });
    expect(sent).toEqual([]);
    await call(KEYED);
    expect(sent).toHaveLength(1);
  });
});
