import { afterEach, describe, expect, it } from "vitest";
import { ANSWER, closeExecutors, type ExecutorSetup, setUpExecutor } from "../../test/support/executor.js";
import { DiscoveryError } from "../errors.js";
import { createRepeats } from "./repeats.js";

afterEach(closeExecutors);

const RISKY = { risk: [{ tools: "*", risk: "high" }], confirmation: { mode: "never" } };

const setUpRisky = (more: ExecutorSetup = {}) => setUpExecutor({ policy: RISKY, ...more });

describe("a risky call with the same arguments as a recent one", () => {
  it.each<[string, object, object]>([
    ["with another key", { idempotencyKey: "a" }, { idempotencyKey: "b" }],
    [
      "with its arguments in another order",
      { idempotencyKey: "a", arguments: { title: "x", body: "b" } },
      { idempotencyKey: "b", arguments: { body: "b", title: "x" } },
    ],
  ])("runs, and the log, the audit record and the result name the earlier call: %s", async (_case, first, second) => {
    const { call, sent, records, logged, clock } = await setUpRisky();
    expect(await call(first)).toBe(ANSWER);
    clock.now += 42_000;
    const answer = await call(second);
    expect(answer).toEqual({
      ...ANSWER,
      _meta: { kept: true, "anygpt/repeats": { request_id: "id-1", seconds_ago: 42 } },
    });
    expect(sent).toHaveLength(2);
    expect(logged).toEqual([
      "github:create_issue is called with the same arguments as 42 s ago (request id-1), but without the same idempotency key.",
    ]);
    expect(records.filter(({ request_id }) => request_id === "id-2")).toMatchObject([
      { kind: "intent", repeats: "id-1" },
      { kind: "outcome", repeats: "id-1" },
    ]);
  });

  it("is not reported without a key if the earlier call was answered", async () => {
    const { call, logged } = await setUpRisky();
    await call();
    await call();
    expect(logged).toEqual([]);
  });

  it("is reported without a key if the answer of the earlier call was lost", async () => {
    const lost = new DiscoveryError("TOOL_EXECUTION_TIMEOUT", "No answer.", { executed: "unknown" });
    const { call } = await setUpRisky({ send: () => Promise.reject(lost) });
    await expect(call()).rejects.not.toHaveProperty("facts.repeats");
    await expect(call()).rejects.toMatchObject({ facts: { repeats: { request_id: "id-1" } } });
  });

  it("names the earlier call also when it fails", async () => {
    const lost = new DiscoveryError("TOOL_EXECUTION_TIMEOUT", "No answer.", { executed: "unknown" });
    const { call } = await setUpRisky({ send: () => Promise.reject(lost) });
    await expect(call({ idempotencyKey: "a" })).rejects.not.toHaveProperty("facts.repeats");
    await expect(call({ idempotencyKey: "b" })).rejects.toMatchObject({
      code: "TOOL_EXECUTION_TIMEOUT",
      facts: { repeats: { request_id: "id-1", seconds_ago: 0 } },
    });
  });

  it("gets its own answer with the same report when it is replayed", async () => {
    const { call } = await setUpRisky();
    await call({ idempotencyKey: "a" });
    const first = await call({ idempotencyKey: "b" });
    const again = await call({ idempotencyKey: "b" });
    expect(again["_meta"]).toEqual({ ...(first["_meta"] as object), "anygpt/replayed": { request_id: "id-2" } });
  });

  it.each<[string, object, object]>([
    ["other arguments", {}, { arguments: { title: "y" } }],
    ["another actor", {}, { actor: { id: "other", surface: "http", scopes: [] } }],
  ])("is not reported with %s", async (_case, first, second) => {
    const { call, logged } = await setUpRisky();
    await call({ idempotencyKey: "a", ...first });
    await call({ idempotencyKey: "b", ...second });
    expect(logged).toEqual([]);
  });

  it.each<[string, object]>([
    ["of low risk", { risk: [{ tools: "*", risk: "low" }] }],
    ["of an idempotent tool", { ...RISKY, idempotency: { tools: [{ tools: "*", idempotent: true }] } }],
  ])("is not reported for calls %s", async (_case, policy) => {
    const { call, logged, sent } = await setUpExecutor({ policy });
    await call({ idempotencyKey: "a" });
    await call({ idempotencyKey: "b" });
    expect([sent.length, logged]).toEqual([2, []]);
  });

  it("names the last call that was sent, not a later one that was not sent", async () => {
    const endings = [undefined, new DiscoveryError("SERVER_CONNECTION_ERROR", "It is gone.", { executed: "no" })];
    const { call, records } = await setUpRisky({
      send: () => {
        const ending = endings.shift();
        return ending === undefined ? Promise.resolve(ANSWER) : Promise.reject(ending);
      },
    });
    await call({ idempotencyKey: "a" });
    await expect(call({ idempotencyKey: "b" })).rejects.toThrow("gone");
    await call({ idempotencyKey: "c" });
    expect(records.at(-1)).toMatchObject({ request_id: "id-3", repeats: "id-1" });
  });
});

describe("createRepeats", () => {
  const call = (text: string, requestId: string) => ({
    actorId: "ann",
    toolId: "a:b",
    arguments: { text },
    key: requestId,
    requestId,
  });

  it("forgets calls after ten minutes, and the oldest ones beyond 10,000", () => {
    const clock = { now: 0 };
    const repeats = createRepeats(() => clock.now);
    repeats.register(call("x", "1"));
    clock.now = 599_999;
    expect(repeats.register(call("x", "2"))).toEqual({ requestId: "1", ageMs: 599_999 });
    clock.now += 600_000;
    expect(repeats.register(call("x", "3"))).toBeUndefined();
    for (let n = 0; n < 10_000; n += 1) repeats.register(call(`${n}`, `n${n}`));
    expect(repeats.register(call("x", "4"))).toBeUndefined();
    expect(repeats.register(call("9999", "5"))).toMatchObject({ requestId: "n9999" });
  });

  it("keeps the age of a call when a later one was not sent", () => {
    const clock = { now: 0 };
    const repeats = createRepeats(() => clock.now);
    repeats.register(call("x", "1"));
    clock.now = 500_000;
    repeats.register(call("y", "2"));
    repeats.register(call("x", "3"));
    repeats.forget(call("x", "3"));
    clock.now = 700_000;
    expect(repeats.register(call("x", "4"))).toBeUndefined();
  });

  it("does not report a call that is registered twice", () => {
    const repeats = createRepeats(() => 0);
    repeats.register(call("x", "1"));
    expect(repeats.register(call("x", "1"))).toBeUndefined();
  });
});
