import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ConfirmationState } from "./confirmation.js";
import { toNextSteps } from "../model/next-steps.js";
import {
  type CallFacts,
  type PolicyDecision,
  decidePolicy,
  type DecisionOptions,
  type PolicyActor,
  type PolicyQuestion,
} from "./decide.js";
import { policyOptions } from "./options.js";
import { type Risk, RISKS } from "./risk.js";
import { missingScopes } from "./scopes.js";

const options = (section: object = {}): DecisionOptions => policyOptions.parse(section);
const actor: PolicyActor = { id: "local", kind: "local", scopes: ["*"] };
const call: CallFacts = {
  profile: "discovery",
  hasKey: false,
  confirmed: false,
  canAsk: false,
  dryRun: false,
};
const ruling = (risk: Risk, rest: Partial<PolicyQuestion["ruling"]> = {}): PolicyQuestion["ruling"] => ({
  risk: { risk, origin: { kind: "config", detail: "policy.risk, entry 1" } },
  scopes: [],
  ...rest,
});
const ask = (rest: Partial<PolicyQuestion> = {}): PolicyQuestion => ({
  toolId: "bank:pay",
  ruling: ruling("low"),
  pin: "same",
  actor,
  call,
  ...rest,
});
const approval = (state: ConfirmationState) => ({ id: "ap_1", state });
const codeOf = (decision: PolicyDecision): string => ("code" in decision ? decision.code : decision.kind);

describe("decidePolicy", () => {
  const destructive = ruling("destructive");
  it.each<[string, PolicyQuestion, DecisionOptions, object]>([
    ["allows a low-risk call", ask(), options(), { kind: "allow" }],
    ["rejects an unidentified caller", ask({ actor: undefined }), options(), { code: "UNAUTHORIZED" }],
    ["rejects an actor with an empty id", ask({ actor: { ...actor, id: "" } }), options(), { code: "UNAUTHORIZED" }],
    [
      "names exactly the missing scopes",
      ask({ ruling: ruling("low", { scopes: ["a", "b"] }), actor: { ...actor, scopes: ["a"] } }),
      options(),
      { code: "SCOPE_REQUIRED", missing: ["b"] },
    ],
    [
      "requires confirmation of a destructive call",
      ask({ ruling: destructive }),
      options(),
      { kind: "confirm", answerer: "caller", alsoNeedsKey: false },
    ],
    [
      "does not accept confirmed: true on the first call",
      ask({ ruling: destructive, call: { ...call, confirmed: true } }),
      options(),
      { kind: "confirm" },
    ],
    [
      "accepts confirmed: true when an approval is pending",
      ask({ ruling: destructive, call: { ...call, confirmed: true, approval: approval("pending") } }),
      options(),
      { kind: "allow" },
    ],
    [
      "does not accept confirmed: true when the client can ask its user",
      ask({ ruling: destructive, call: { ...call, confirmed: true, canAsk: true, approval: approval("pending") } }),
      options(),
      { kind: "confirm", answerer: "client" },
    ],
    [
      "still requires confirmation while an approval is pending",
      ask({ ruling: destructive, call: { ...call, approval: approval("pending") } }),
      options(),
      { kind: "confirm" },
    ],
    [
      "requires a new confirmation when the approval was redeemed",
      ask({ ruling: destructive, call: { ...call, confirmed: true, approval: approval("redeemed") } }),
      options(),
      { kind: "confirm" },
    ],
    [
      "requires a new confirmation when the approval expired",
      ask({ ruling: destructive, call: { ...call, confirmed: true, approval: approval("expired") } }),
      options(),
      { kind: "confirm" },
    ],
    [
      "allows a call that a user approved",
      ask({ ruling: destructive, call: { ...call, approval: approval("approved") } }),
      options({ confirmation: { mode: "human" } }),
      { kind: "allow" },
    ],
    [
      "denies a call that a user denied",
      ask({ ruling: destructive, call: { ...call, confirmed: true, approval: approval("denied") } }),
      options(),
      { kind: "deny", code: "POLICY_DENIED" },
    ],
    [
      "requires a user in mode human",
      ask({ ruling: destructive, call: { ...call, confirmed: true, approval: approval("pending") } }),
      options({ confirmation: { mode: "human" } }),
      { kind: "confirm", answerer: "user" },
    ],
    ...(["auto", "human", "never"] as const).map((mode): [string, PolicyQuestion, DecisionOptions, object] => [
      `requires a user for a low-risk tool with needsPerson in mode ${mode}, even with confirmed: true`,
      ask({
        ruling: ruling("low", { needsPerson: true }),
        call: { ...call, confirmed: true, approval: approval("pending") },
      }),
      options({ confirmation: { mode } }),
      { kind: "confirm", answerer: "user" },
    ]),
    [
      "requires no confirmation in mode never",
      ask({ ruling: destructive }),
      options({ confirmation: { mode: "never" } }),
      { kind: "allow" },
    ],
    [
      "requires confirmation from the configured risk on",
      ask({ ruling: ruling("medium") }),
      options({ confirmation: { from: "medium" } }),
      { kind: "confirm" },
    ],
    [
      "requires confirmation for a dry run too",
      ask({ ruling: destructive, call: { ...call, dryRun: true } }),
      options(),
      { kind: "confirm" },
    ],
    [
      "requires a key for risk high in the profile gateway",
      ask({ ruling: ruling("high"), call: { ...call, profile: "gateway" } }),
      options(),
      { kind: "needsKey" },
    ],
    [
      "allows the call with a key",
      ask({ ruling: ruling("high"), call: { ...call, profile: "gateway", hasKey: true } }),
      options(),
      { kind: "allow" },
    ],
    ["requires no key in other profiles", ask({ ruling: ruling("high") }), options(), { kind: "allow" }],
    [
      "states that a key will be required as well",
      ask({ ruling: destructive, call: { ...call, profile: "gateway" } }),
      options(),
      { kind: "confirm", alsoNeedsKey: true },
    ],
    [
      "denies a tool without a declared risk under strict",
      ask({ ruling: { ...ruling("low"), risk: { risk: "low", origin: { kind: "default", detail: "" } } } }),
      options({ preset: "strict" }),
      { code: "POLICY_DENIED" },
    ],
    [
      "denies a changed tool if pinning is enforced",
      ask({ pin: "changed" }),
      options({ pinning: "enforce" }),
      { code: "TOOL_QUARANTINED" },
    ],
    ["allows a changed tool if pinning is not enforced", ask({ pin: "changed" }), options(), { kind: "allow" }],
    ["allows a new tool if pinning only warns", ask({ pin: "new" }), options({ pinning: "warn" }), { kind: "allow" }],
    [
      "denies a new tool under strict",
      ask({ pin: "new" }),
      options({ preset: "strict" }),
      { code: "TOOL_QUARANTINED" },
    ],
    [
      "treats an unknown risk as the highest",
      ask({ ruling: ruling("extreme" as Risk) }),
      options(),
      { kind: "confirm" },
    ],
  ])("%s", (_, question, section, expected) => {
    expect(decidePolicy(question, section)).toMatchObject(expected);
  });

  it("denies a call when the decision itself fails", () => {
    const broken = { ...ask(), ruling: undefined } as unknown as PolicyQuestion;
    expect(decidePolicy(broken, options())).toMatchObject({
      kind: "deny",
      code: "POLICY_DENIED",
      cause: expect.any(TypeError),
    });
  });

  it("returns the next steps as data", () => {
    expect(
      decidePolicy(ask({ ruling: ruling("high"), call: { ...call, profile: "gateway" } }), options()),
    ).toMatchObject({ hint: { action: "pass-key" } });
    expect(
      decidePolicy(ask({ ruling: ruling("low", { scopes: ["a"] }), actor: { ...actor, scopes: [] } }), options()),
    ).toMatchObject({
      hint: [expect.any(String), { action: "edit-config", key: "policy.localScopes", change: "add", value: "a" }],
    });
  });
});

const anyState = fc.constantFrom<ConfirmationState | undefined>(
  undefined,
  "pending",
  "approved",
  "denied",
  "redeemed",
  "expired",
);
const anyCall = (states: fc.Arbitrary<ConfirmationState | undefined>): fc.Arbitrary<CallFacts> =>
  fc
    .record({
      profile: fc.constantFrom<CallFacts["profile"]>("discovery", "gateway", undefined),
      hasKey: fc.boolean(),
      confirmed: fc.boolean(),
      canAsk: fc.boolean(),
      dryRun: fc.boolean(),
      state: states,
    })
    .map(({ state, ...rest }) => ({ ...rest, approval: state && approval(state) }));
const anyOptions: fc.Arbitrary<DecisionOptions> = fc
  .record({
    preset: fc.constantFrom("default", "strict"),
    mode: fc.constantFrom("auto", "human", "never"),
    from: fc.constantFrom(...RISKS),
    key: fc.constantFrom(...RISKS, "never"),
    pinning: fc.constantFrom("off", "warn", "enforce"),
  })
  .map(({ preset, mode, from, key, pinning }) =>
    options({
      preset,
      pinning,
      confirmation: { mode, from },
      idempotency: { requiredFrom: { gateway: key, elsewhere: key } },
    }),
  );
const anyQuestion: fc.Arbitrary<PolicyQuestion> = fc
  .record({
    risk: fc.constantFrom(...RISKS),
    origin: fc.constantFrom("config", "method", "evidence", "default"),
    scopes: fc.subarray(["a", "b:c"]),
    granted: fc.subarray(["a", "b:*", "*"]),
    isKnown: fc.boolean(),
    pin: fc.constantFrom<PolicyQuestion["pin"]>("same", "changed", "new"),
    call: anyCall(anyState),
  })
  .map(({ risk, origin, scopes, granted, isKnown, pin, call: facts }) => ({
    toolId: "bank:pay",
    ruling: { risk: { risk, origin: { kind: origin, detail: "" } }, scopes },
    pin,
    actor: isKnown ? { id: "x", kind: "token" as const, scopes: granted } : undefined,
    call: facts,
  }));

describe("decidePolicy, for any call", () => {
  it("returns the first denial in the documented order, and allows the call only if there is none", () => {
    fc.assert(
      fc.property(anyQuestion, anyOptions, (question, section) => {
        const { ruling: of, call: facts } = question;
        const has = (from: Risk) => RISKS.indexOf(of.risk.risk) >= RISKS.indexOf(from);
        const { mode, from } = section.confirmation;
        const key = section.idempotency.requiredFrom.gateway;
        const state = facts.approval?.state;
        const isAsked = mode !== "never" && has(from);
        const isAnswered =
          state === "approved" || (mode === "auto" && !facts.canAsk && facts.confirmed && state === "pending");
        const against: [string, boolean][] = [
          ["UNAUTHORIZED", question.actor === undefined],
          ["SCOPE_REQUIRED", missingScopes(of.scopes, question.actor?.scopes ?? []).length > 0],
          ["POLICY_DENIED", section.preset === "strict" && /^(default|evidence)$/.test(of.risk.origin.kind)],
          ["TOOL_QUARANTINED", section.pinning === "enforce" && question.pin !== "same"],
          ["POLICY_DENIED", isAsked && state === "denied"],
          ["CONFIRMATION_REQUIRED", isAsked && !isAnswered],
          ["IDEMPOTENCY_REQUIRED", key !== "never" && has(key) && of.risk.risk !== "low" && !facts.hasKey],
          ["allow", true],
        ];
        expect(codeOf(decidePolicy(question, section))).toBe(against.find(([, applies]) => applies)?.[0]);
      }),
      { numRuns: 5000 },
    );
  });

  it("never allows a risky call in mode human because of anything the caller controls, except a user's approval", () => {
    const unapproved = fc.constantFrom<ConfirmationState | undefined>(
      undefined,
      "pending",
      "denied",
      "redeemed",
      "expired",
    );
    fc.assert(
      fc.property(
        anyCall(unapproved),
        fc.constantFrom<Risk>("high", "destructive"),
        fc.boolean(),
        (facts, risk, isStrict) => {
          const section = options({
            preset: isStrict ? "strict" : "default",
            confirmation: { mode: "human", from: "high" },
          });
          const decision = decidePolicy(ask({ ruling: ruling(risk), call: facts }), section);
          expect(decision.kind).not.toBe("allow");
        },
      ),
      { numRuns: 2000 },
    );
  });

  it("never throws and always gives a hint, for any input", () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (question, section) => {
        const decision = decidePolicy(question as PolicyQuestion, section as DecisionOptions);
        expect(decision.kind).not.toBe("allow");
        expect("hint" in decision && toNextSteps(decision.hint).length > 0).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("missingScopes", () => {
  it.each<[string, string, boolean]>([
    ["a:b", "a:b", true],
    ["*", "a:b", true],
    ["a:*", "a:b", true],
    ["a:*", "a:b:c", true],
    ["a:*", "a", false],
    ["a:*", "a:", false],
    ["a:*", "ab:c", false],
    ["a", "a:b", false],
    ["A:b", "a:b", false],
    ["a:b", "a:b:c", false],
    ["*:b", "a:b", false],
  ])("lets %s cover %s: %s", (granted, required, isCovered) => {
    expect(missingScopes([required], [granted])).toEqual(isCovered ? [] : [required]);
  });
});
