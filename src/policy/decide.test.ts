import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ApprovalState } from "./confirmation.js";
import {
  type CallFacts,
  type Decision,
  decide,
  type DecisionOptions,
  type PolicyActor,
  type Question,
} from "./decide.js";
import { policyOptions } from "./options.js";
import { type Risk, RISKS } from "./risk.js";
import { missingScopes } from "./scopes.js";
import { confirmationHint } from "./wording.js";

const options = (section: object = {}): DecisionOptions => policyOptions.parse(section);
const actor: PolicyActor = { id: "local", kind: "local", scopes: ["*"] };
const call: CallFacts = {
  surface: "mcp",
  profile: "discovery",
  hasKey: false,
  confirmed: false,
  canAsk: false,
  dryRun: false,
};
const ruling = (risk: Risk, rest: Partial<Question["ruling"]> = {}): Question["ruling"] => ({
  risk: { risk, origin: { kind: "config", detail: "policy.risk, entry 1" } },
  scopes: [],
  ...rest,
});
const ask = (rest: Partial<Question> = {}): Question => ({
  toolId: "bank:pay",
  ruling: ruling("low"),
  pin: "same",
  actor,
  call,
  ...rest,
});
const approval = (state: ApprovalState) => ({ id: "ap_1", state });
const codeOf = (decision: Decision): string => ("code" in decision ? decision.code : decision.kind);

describe("decide", () => {
  const destructive = ruling("destructive");
  it.each<[string, Question, DecisionOptions, object]>([
    ["lets a harmless call pass", ask(), options(), { kind: "allow" }],
    ["turns nobody away", ask({ actor: undefined }), options(), { code: "UNAUTHORIZED" }],
    ["turns a nameless actor away", ask({ actor: { ...actor, id: "" } }), options(), { code: "UNAUTHORIZED" }],
    [
      "names the missing scopes and no others",
      ask({ ruling: ruling("low", { scopes: ["a", "b"] }), actor: { ...actor, scopes: ["a"] } }),
      options(),
      { code: "SCOPE_REQUIRED", missing: ["b"] },
    ],
    [
      "asks before a destructive call",
      ask({ ruling: destructive }),
      options(),
      { kind: "confirm", answerer: "caller", alsoNeedsKey: false },
    ],
    [
      "does not take a first call's word for it",
      ask({ ruling: destructive, call: { ...call, confirmed: true } }),
      options(),
      { kind: "confirm" },
    ],
    [
      "takes the caller's word for a question that waits",
      ask({ ruling: destructive, call: { ...call, confirmed: true, approval: approval("pending") } }),
      options(),
      { kind: "allow" },
    ],
    [
      "does not take it where the client's person can be asked",
      ask({ ruling: destructive, call: { ...call, confirmed: true, canAsk: true, approval: approval("pending") } }),
      options(),
      { kind: "confirm", answerer: "client" },
    ],
    [
      "does not ask twice",
      ask({ ruling: destructive, call: { ...call, approval: approval("pending") } }),
      options(),
      { kind: "confirm" },
    ],
    [
      "asks anew when the answer was used",
      ask({ ruling: destructive, call: { ...call, confirmed: true, approval: approval("redeemed") } }),
      options(),
      { kind: "confirm" },
    ],
    [
      "asks anew when the answer came too late",
      ask({ ruling: destructive, call: { ...call, confirmed: true, approval: approval("expired") } }),
      options(),
      { kind: "confirm" },
    ],
    [
      "takes a person's yes",
      ask({ ruling: destructive, call: { ...call, approval: approval("approved") } }),
      options({ confirmation: { mode: "human" } }),
      { kind: "allow" },
    ],
    [
      "takes a person's no",
      ask({ ruling: destructive, call: { ...call, confirmed: true, approval: approval("denied") } }),
      options(),
      { kind: "deny", code: "POLICY_DENIED" },
    ],
    [
      "sends to a person in human",
      ask({ ruling: destructive, call: { ...call, confirmed: true, approval: approval("pending") } }),
      options({ confirmation: { mode: "human" } }),
      { kind: "confirm", answerer: "person" },
    ],
    ...(["auto", "human", "never"] as const).map((mode): [string, Question, DecisionOptions, object] => [
      `sends a harmless call that needs a person to one in ${mode}, whatever its caller says`,
      ask({
        ruling: ruling("low", { needsPerson: true }),
        call: { ...call, confirmed: true, approval: approval("pending") },
      }),
      options({ confirmation: { mode } }),
      { kind: "confirm", answerer: "person" },
    ]),
    [
      "asks nobody in never",
      ask({ ruling: destructive }),
      options({ confirmation: { mode: "never" } }),
      { kind: "allow" },
    ],
    [
      "asks from the risk that is set",
      ask({ ruling: ruling("medium") }),
      options({ confirmation: { from: "medium" } }),
      { kind: "confirm" },
    ],
    [
      "asks nobody for a dry run, and uses nothing up",
      ask({ ruling: destructive, call: { ...call, dryRun: true } }),
      options(),
      { kind: "confirm" },
    ],
    [
      "requires a key for high in the profile gateway",
      ask({ ruling: ruling("high"), call: { ...call, profile: "gateway" } }),
      options(),
      { kind: "needsKey" },
    ],
    [
      "requires none with one",
      ask({ ruling: ruling("high"), call: { ...call, profile: "gateway", hasKey: true } }),
      options(),
      { kind: "allow" },
    ],
    ["requires none elsewhere", ask({ ruling: ruling("high") }), options(), { kind: "allow" }],
    [
      "says that a key will be needed as well",
      ask({ ruling: destructive, call: { ...call, profile: "gateway" } }),
      options(),
      { kind: "confirm", alsoNeedsKey: true },
    ],
    [
      "refuses under strict what nobody vouches for",
      ask({ ruling: { ...ruling("low"), risk: { risk: "low", origin: { kind: "default", detail: "" } } } }),
      options({ preset: "strict" }),
      { code: "POLICY_DENIED" },
    ],
    [
      "refuses a changed tool where pinning is enforced",
      ask({ pin: "changed" }),
      options({ pinning: "enforce" }),
      { code: "TOOL_QUARANTINED" },
    ],
    ["lets a changed tool pass where it is not", ask({ pin: "changed" }), options(), { kind: "allow" }],
    ["lets a new tool pass that nobody minds", ask({ pin: "new" }), options({ pinning: "warn" }), { kind: "allow" }],
    [
      "refuses a new tool under strict",
      ask({ pin: "new" }),
      options({ preset: "strict" }),
      { code: "TOOL_QUARANTINED" },
    ],
    ["takes an unknown risk for the worst", ask({ ruling: ruling("extreme" as Risk) }), options(), { kind: "confirm" }],
  ])("%s", (_, question, section, expected) => {
    expect(decide(question, section)).toMatchObject(expected);
  });

  it("denies what it cannot decide", () => {
    const broken = { ...ask(), ruling: undefined } as unknown as Question;
    expect(decide(broken, options())).toMatchObject({
      kind: "deny",
      code: "POLICY_DENIED",
      cause: expect.any(TypeError),
    });
  });

  it("says what to do next in words that fit where the caller is", () => {
    const hints = (["mcp", "http", "cli", "library"] as const).map((surface) => {
      const needsKey = decide(
        ask({ ruling: ruling("high"), call: { ...call, surface, profile: "gateway" } }),
        options(),
      );
      return [confirmationHint("caller", "ap_1", surface), "hint" in needsKey && needsKey.hint];
    });
    expect(hints.flat().join("\n")).toMatch(
      /options\.confirmed: true[^]*options\.idempotency_key[^]*X-AnyGPT-Confirmed: true[^]*Idempotency-Key[^]*--confirmed[^]*--idempotency-key KEY[^]*confirmed: true[^]*idempotencyKey/,
    );
    expect(confirmationHint("person", "ap_1", "mcp")).toContain('"anygpt mcp approve ap_1"');
    expect(confirmationHint("client", "ap_1", "mcp")).not.toContain("confirmed: true");
    expect(
      decide(ask({ ruling: ruling("low", { scopes: ["a"] }), actor: { ...actor, scopes: [] } }), options()),
    ).toMatchObject({ hint: expect.stringContaining("policy.localScopes") });
  });
});

const anyState = fc.constantFrom<ApprovalState | undefined>(
  undefined,
  "pending",
  "approved",
  "denied",
  "redeemed",
  "expired",
);
const anyCall = (states: fc.Arbitrary<ApprovalState | undefined>): fc.Arbitrary<CallFacts> =>
  fc
    .record({
      surface: fc.constantFrom<CallFacts["surface"]>("mcp", "http", "cli", "library"),
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
const anyQuestion: fc.Arbitrary<Question> = fc
  .record({
    risk: fc.constantFrom(...RISKS),
    origin: fc.constantFrom("config", "default"),
    scopes: fc.subarray(["a", "b:c"]),
    granted: fc.subarray(["a", "b:*", "*"]),
    isKnown: fc.boolean(),
    pin: fc.constantFrom<Question["pin"]>("same", "changed", "new"),
    call: anyCall(anyState),
  })
  .map(({ risk, origin, scopes, granted, isKnown, pin, call: facts }) => ({
    toolId: "bank:pay",
    ruling: { risk: { risk, origin: { kind: origin, detail: "" } }, scopes },
    pin,
    actor: isKnown ? { id: "x", kind: "token" as const, scopes: granted } : undefined,
    call: facts,
  }));

describe("any call", () => {
  it("gets the first refusal of the specification's order, and none only if nothing stands against it", () => {
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
          ["POLICY_DENIED", section.preset === "strict" && of.risk.origin.kind === "default"],
          ["TOOL_QUARANTINED", section.pinning === "enforce" && question.pin !== "same"],
          ["POLICY_DENIED", isAsked && state === "denied"],
          ["CONFIRMATION_REQUIRED", isAsked && !isAnswered],
          ["IDEMPOTENCY_REQUIRED", key !== "never" && has(key) && !facts.hasKey],
          ["allow", true],
        ];
        expect(codeOf(decide(question, section))).toBe(against.find(([, stands]) => stands)?.[0]);
      }),
      { numRuns: 5000 },
    );
  });

  it("is not let through in human mode by anything that its caller controls, short of a person's yes", () => {
    const unapproved = fc.constantFrom<ApprovalState | undefined>(
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
          const decision = decide(ask({ ruling: ruling(risk), call: facts }), section);
          expect(decision.kind).not.toBe("allow");
        },
      ),
      { numRuns: 2000 },
    );
  });

  it("is decided without an exception, and told what to do next, whatever is in it", () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (question, section) => {
        const decision = decide(question as Question, section as DecisionOptions);
        expect(decision.kind).not.toBe("allow");
        expect("hint" in decision && decision.hint.length > 0).toBe(true);
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
