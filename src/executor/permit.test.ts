import { afterEach, describe, expect, it } from "vitest";
import type { GivenCall } from "../../test/support/calls.js";
import { ANSWER, closeExecutors, setUpExecutor, toPolicy, toTool } from "../../test/support/executor.js";
import { DiscoveryError } from "../errors.js";
import { localActor } from "../model/actor.js";
import type { AskPerson, Question } from "../model/call.js";

afterEach(closeExecutors);

const DESTRUCTIVE = toTool({}, { annotations: { destructiveHint: true } });
const auto = () => setUpExecutor({ tool: DESTRUCTIVE });
const human = () => setUpExecutor({ tool: DESTRUCTIVE, policy: { confirmation: { mode: "human" } } });

async function refused(promise: Promise<unknown>, code = "CONFIRMATION_REQUIRED"): Promise<DiscoveryError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown as DiscoveryError,
  );
  expect(error).toMatchObject({ code, executed: "no" });
  return error as DiscoveryError;
}

describe("a call that must be confirmed", () => {
  it("does not run, and the error names the pending approval and the next step", async () => {
    const { call, sent, records, confirmations } = await auto();
    const { facts, hint } = await refused(call());
    expect(facts).toMatchObject({ approval_id: expect.stringMatching(/^ap_[0-9a-z]{26}$/), expires_in_seconds: 300 });
    expect(hint).toContain("repeat the same call unchanged with the option `confirmed: true`");
    expect(sent).toEqual([]);
    expect(records).toMatchObject([{ risk: "destructive", decision: "refused", error_code: "CONFIRMATION_REQUIRED" }]);
    expect(await confirmations.list()).toMatchObject([
      { id: facts["approval_id"], tool: "github:create_issue", state: "pending", call: { arguments: { title: "x" } } },
    ]);
  });

  it("runs once when the caller repeats it with confirmed: true, and then must be confirmed again", async () => {
    const { call, sent, records } = await auto();
    const first = await refused(call());
    expect(await call({ confirmed: true })).toBe(ANSWER);
    expect(records.at(-1)).toMatchObject({ outcome: "ok", approval_id: first.facts["approval_id"] });
    await refused(call({ confirmed: true }));
    expect(sent).toHaveLength(1);
  });

  it("runs once when the caller sends it six times with confirmed: true, and again after a new question", async () => {
    const { call, sent, confirmations } = await auto();
    for (let n = 0; n < 6; n += 1) await call({ confirmed: true }).catch(() => undefined);
    expect(sent).toHaveLength(1);
    expect(await confirmations.list()).toEqual([]);
    const { hint } = await refused(call({ confirmed: true }));
    expect(hint).toContain("send it without `confirmed` first");
    await refused(call());
    await call({ confirmed: true });
    expect(sent).toHaveLength(2);
  });

  it("does not run with confirmed: true if no confirmation was requested before", async () => {
    const { call, sent } = await auto();
    await refused(call({ confirmed: true }));
    expect(sent).toEqual([]);
  });

  it.each<[string, GivenCall]>([
    ["other arguments", { arguments: { title: "y" } }],
    ["one argument more", { arguments: { title: "x", body: "" } }],
    ["another actor", { actor: { ...localActor("mcp"), id: "eve" } }],
  ])("does not run with the confirmation of a call with %s", async (_case, other) => {
    const { call, sent } = await auto();
    await refused(call());
    await refused(call({ ...other, confirmed: true }));
    expect(sent).toEqual([]);
  });

  it("is the same call with the same arguments in another order", async () => {
    const { call, sent } = await auto();
    await refused(call({ arguments: { title: "x", body: "b" } }));
    await call({ arguments: { body: "b", title: "x" }, confirmed: true });
    expect(sent).toHaveLength(1);
  });

  it("is another call when the tool's definition has changed", async () => {
    const first = await auto();
    await refused(first.call());
    const changed = await setUpExecutor({ tool: { ...DESTRUCTIVE, hash: "other" }, sharesStoreWith: first });
    await refused(changed.call({ confirmed: true }));
    expect(changed.sent).toEqual([]);
  });

  it("must be confirmed within five minutes", async () => {
    const { call, sent, clock } = await auto();
    await refused(call());
    clock.now += 300_001;
    await refused(call({ confirmed: true }));
    expect(sent).toEqual([]);
  });

  it("runs once when 100 concurrent calls repeat it", async () => {
    const { call, sent } = await auto();
    await refused(call());
    const ends = await Promise.allSettled(Array.from({ length: 100 }, () => call({ confirmed: true })));
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(sent).toHaveLength(1);
  });

  it("requests no confirmation for invalid arguments", async () => {
    const { call, confirmations } = await auto();
    const { facts } = await refused(call({ arguments: { title: true } }));
    expect(facts).toMatchObject({ violations: ['/title is boolean, must be "string"'] });
    expect(await confirmations.list()).toEqual([]);
  });

  it("is rejected when its arguments are too large for a user to review", async () => {
    const { call, confirmations } = await auto();
    await refused(call({ arguments: { title: "x".repeat(70_000) } }), "POLICY_DENIED");
    expect(await confirmations.list()).toEqual([]);
  });

  it("needs no second confirmation to replay its answer", async () => {
    const { call, sent } = await auto();
    await refused(call({ idempotencyKey: "k" }));
    await call({ idempotencyKey: "k", confirmed: true });
    expect(await call({ idempotencyKey: "k" })).toMatchObject({ content: ANSWER.content });
    expect(sent).toHaveLength(1);
  });
});

describe("a call that only a user can confirm", () => {
  it("does not run with confirmed: true of the caller", async () => {
    const { call, sent } = await human();
    const { hint, facts } = await refused(call());
    expect(hint).toContain(`anygpt mcp approve ${String(facts["approval_id"])}`);
    await refused(call({ confirmed: true }));
    await refused(call({ confirmed: true }));
    expect(sent).toEqual([]);
  });

  it("runs once after a user's approval, which is recorded", async () => {
    const { call, sent, confirmations, records } = await human();
    const { facts } = await refused(call());
    const id = String(facts["approval_id"]);
    expect(await confirmations.answer(id, "approved", "mia")).toMatchObject({ state: "approved", decidedBy: "mia" });
    expect(records.at(-1)).toMatchObject({ kind: "note", action: "approve", subject: id, by: "mia" });
    await call();
    await refused(call());
    expect(sent).toHaveLength(1);
    expect(await confirmations.answer(id, "approved", "mia")).toBeUndefined();
  });

  it("is rejected for a while after a user's denial", async () => {
    const { call, sent, confirmations, clock } = await human();
    const { facts } = await refused(call());
    await confirmations.answer(String(facts["approval_id"]), "denied", "mia");
    await refused(call(), "POLICY_DENIED");
    await refused(call({ confirmed: true }), "POLICY_DENIED");
    clock.now += 300_001;
    await refused(call());
    expect(sent).toEqual([]);
  });

  it("still needs a user's approval when the mode becomes auto", async () => {
    const first = await human();
    const asked = await refused(first.call());
    const later = await setUpExecutor({ tool: DESTRUCTIVE, sharesStoreWith: first });
    const again = await refused(later.call({ confirmed: true }));
    expect(again.facts["approval_id"]).toBe(asked.facts["approval_id"]);
    expect(later.sent).toEqual([]);
  });

  it("needs a user's approval when the mode becomes human, and keeps needing it", async () => {
    const first = await auto();
    await refused(first.call());
    const strict = await setUpExecutor({
      tool: DESTRUCTIVE,
      policy: { confirmation: { mode: "human" } },
      sharesStoreWith: first,
    });
    await refused(strict.call());
    await refused(first.call({ confirmed: true }));
    expect([...first.sent, ...strict.sent]).toEqual([]);
  });

  it("is not sent with the caller's own confirmation when the mode becomes human while it waits", async () => {
    const strict = await toPolicy({ confirmation: { mode: "human" } });
    let isReloaded = false;
    const options = await toPolicy({});
    const { call, sent } = await setUpExecutor({
      tool: DESTRUCTIVE,
      parts: { policy: options, currentPolicy: () => (isReloaded ? strict : options) },
    });
    await refused(call());
    isReloaded = true;
    await refused(call({ confirmed: true }));
    expect(sent).toEqual([]);
  });
});

describe("a tool that declares that it needs a user's approval", () => {
  const tool = toTool({}, { annotations: { readOnlyHint: true }, _meta: { "anygpt/needsPerson": true } });

  it.each(["auto", "human", "never"])("does not run with its caller's confirmation in mode %s", async (mode) => {
    const { call, sent, confirmations } = await setUpExecutor({ tool, policy: { confirmation: { mode } } });
    const { hint } = await refused(call());
    expect(hint).toContain("anygpt mcp approve ap_");
    await refused(call({ confirmed: true }));
    expect(sent).toEqual([]);
    const [waiting] = await confirmations.list();
    await confirmations.answer(waiting!.id, "approved", "ann");
    expect(await call()).toBe(ANSWER);
  });
});

describe("a caller that supports elicitation", () => {
  const asking = async (answer: Awaited<ReturnType<AskPerson>>) => {
    const asked: Question[] = [];
    const ask: AskPerson = (question) => {
      asked.push(question);
      return Promise.resolve(answer);
    };
    return { ...(await auto()), asked, ask };
  };

  it("runs when the user accepts after seeing what would be sent", async () => {
    const { call, sent, asked, ask, records } = await asking("accepted");
    expect(await call({ ask })).toBe(ANSWER);
    expect(asked).toMatchObject([
      { toolId: "github:create_issue", risk: "destructive", arguments: { title: "x" }, ttlMs: 300_000 },
    ]);
    expect(sent).toHaveLength(1);
    expect(records[0]).toMatchObject({ kind: "note", action: "approve", by: "client" });
  });

  it("asks the user each time, even with confirmed: true", async () => {
    const { call, asked, ask } = await asking("accepted");
    await call({ ask, confirmed: true });
    await call({ ask, confirmed: true });
    expect(asked).toHaveLength(2);
  });

  it("is rejected when the user declines", async () => {
    const { call, sent, ask } = await asking("declined");
    await refused(call({ ask }), "POLICY_DENIED");
    expect(sent).toEqual([]);
  });

  it("gets a pending error when the user does not answer", async () => {
    const { call, sent, ask } = await asking("unanswered");
    const first = await refused(call({ ask }));
    const second = await refused(call({ ask, confirmed: true }));
    expect(second.facts["approval_id"]).toBe(first.facts["approval_id"]);
    expect(sent).toEqual([]);
  });
});

describe("limits, scopes and pins", () => {
  const policy = {
    buckets: { few: { calls: 2, perSeconds: 60 } },
    rateLimits: [{ tools: "*", rate_limit_bucket: "few" }],
  };

  it("allows as many calls as the limit, and reports when to retry", async () => {
    const { call, sent } = await setUpExecutor({ policy });
    await call();
    await call();
    const { facts } = await refused(call(), "RATE_LIMITED");
    expect(facts).toMatchObject({ bucket: "few", retry_after_seconds: expect.any(Number) });
    expect(sent).toHaveLength(2);
  });

  it("does not count rejected, replayed, dry-run or unsent calls", async () => {
    const unreached = new DiscoveryError("SERVER_CONNECTION_ERROR", "gone.");
    let isGone = true;
    const send = () => (isGone ? Promise.reject(unreached) : Promise.resolve(ANSWER));
    const { call, sent } = await setUpExecutor({ policy, send });
    for (let n = 0; n < 3; n += 1) await refused(call(), "SERVER_CONNECTION_ERROR");
    for (let n = 0; n < 3; n += 1) await refused(call({ arguments: {} }), "TOOL_VALIDATION_ERROR");
    for (let n = 0; n < 3; n += 1) await call({ dryRun: true });
    isGone = false;
    for (let n = 0; n < 3; n += 1) await call({ idempotencyKey: "k" });
    await call();
    await refused(call(), "RATE_LIMITED");
    await refused(call({ dryRun: true }), "RATE_LIMITED");
    expect(sent).toHaveLength(5);
  });

  it("names the scopes that are missing", async () => {
    const { call } = await setUpExecutor({
      policy: { scopes: [{ server: "github", required_scopes: ["repo", "issues"] }], localScopes: ["repo"] },
    });
    expect((await refused(call(), "SCOPE_REQUIRED")).facts).toMatchObject({ missing_scopes: ["issues"] });
  });

  it("uses the scopes of the caller, and the local scopes only for the local user", async () => {
    const scopes = [{ server: "github", required_scopes: ["repo"] }];
    const { call, sent } = await setUpExecutor({ policy: { scopes, localScopes: ["*"] } });
    const as = (granted: readonly string[]) => call({ actor: { id: "token:ci", surface: "http", scopes: granted } });
    for (const granted of [[], ["issues"], ["repo:read"]]) {
      const { facts, hint } = await refused(as(granted), "SCOPE_REQUIRED");
      expect(facts).toMatchObject({ missing_scopes: ["repo"] });
      expect(hint).toContain("a token that has the missing scopes");
    }
    expect(sent).toEqual([]);
    await as(["repo"]);
    await call();
    expect(sent).toHaveLength(2);
  });

  it("rejects a tool whose definition changed, and names the changed members", async () => {
    const pinOf = () => ({ kind: "changed" as const, differences: ["/description"] });
    const { call } = await setUpExecutor({ policy: { pinning: "enforce" }, parts: { pinOf } });
    expect((await refused(call(), "TOOL_QUARANTINED")).facts).toMatchObject({ changed: ["/description"] });
  });

  it("checks the current policy again before it sends", async () => {
    const stricter = await toPolicy({ scopes: [{ tools: "*", required_scopes: ["x"] }], localScopes: [] });
    const { call, sent } = await setUpExecutor({ parts: { currentPolicy: () => stricter } });
    await refused(call(), "SCOPE_REQUIRED");
    expect(sent).toEqual([]);
  });
});

describe("a dry run", () => {
  it("describes the outcome, sends nothing and counts nothing", async () => {
    const { call, sent, records, confirmations } = await auto();
    expect((await call({ dryRun: true, idempotencyKey: "k" })).structuredContent).toEqual({
      dry_run: true,
      would: "ask_for_confirmation",
      tool: "github:create_issue",
      risk: "destructive",
      risk_origin: "the server says destructiveHint: true",
      idempotency_key: "new",
    });
    expect(records).toMatchObject([{ kind: "outcome", outcome: "dry_run" }]);
    expect(await confirmations.list()).toEqual([]);
    await refused(call({ idempotencyKey: "k" }));
    expect((await call({ dryRun: true, confirmed: true })).structuredContent).toMatchObject({ would: "execute" });
    await call({ idempotencyKey: "k", confirmed: true });
    expect((await call({ dryRun: true, idempotencyKey: "k" })).structuredContent).toMatchObject({
      would: "replay",
      idempotency_key: "known",
    });
    expect(sent).toHaveLength(1);
  });

  it.each<[string, GivenCall, string]>([
    ["invalid arguments", { arguments: {} }, "TOOL_VALIDATION_ERROR"],
    ["an invalid key", { idempotencyKey: " " }, "INVALID_REQUEST"],
  ])("fails as the call would for %s", async (_case, rest, code) => {
    const { call } = await setUpExecutor();
    expect(await refused(call({ ...rest, dryRun: true }), code)).toMatchObject({ code });
  });
});
