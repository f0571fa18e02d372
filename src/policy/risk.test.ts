import { describe, expect, it } from "vitest";
import { type AssessedRisk, assessRisk, isAtLeast, isRisk, type Risk, type RiskFacts, RISKS } from "./risk.js";

const NOTHING: RiskFacts = { isDistrusted: false, unknownRisk: "high" };
const say = ({ risk, origin }: AssessedRisk): string => `${risk} by ${origin.kind}`;

describe("assessRisk", () => {
  const readOnly = { readOnlyHint: true };
  it.each<[string, Partial<RiskFacts>, string]>([
    ["nothing is known", {}, "high by default"],
    ["the server says read-only", { annotations: readOnly }, "low by annotations"],
    ["the server says destructive", { annotations: { destructiveHint: true } }, "destructive by annotations"],
    ["the server says neither", { annotations: { title: "x", openWorldHint: false } }, "high by default"],
    ["the server only denies to be read-only", { annotations: { readOnlyHint: false } }, "high by default"],
    ["the server only denies to be destructive", { annotations: { destructiveHint: false } }, "high by default"],
    [
      "it says read-only and not destructive",
      { annotations: { ...readOnly, destructiveHint: false } },
      "low by annotations",
    ],
    ["it says both", { annotations: { ...readOnly, destructiveHint: true } }, "destructive by annotations"],
    ["it says so in words", { annotations: { readOnlyHint: "true" } }, "high by default"],
    ["a disbelieved server says read-only", { annotations: readOnly, isDistrusted: true }, "high by default"],
    [
      "a disbelieved server says destructive",
      { annotations: { destructiveHint: true }, isDistrusted: true },
      "destructive by annotations",
    ],
    ["the method is GET", { method: "get" }, "low by method"],
    ["the method is POST", { method: "POST" }, "medium by method"],
    ["the method is PUT", { method: "PUT" }, "medium by method"],
    ["the method is PATCH", { method: "PATCH" }, "medium by method"],
    ["the method is DELETE", { method: "DELETE" }, "destructive by method"],
    ["the method is unknown", { method: "PURGE" }, "high by default"],
    ["annotations and a method disagree", { annotations: readOnly, method: "DELETE" }, "low by annotations"],
    [
      "a disbelieved server has a method",
      { annotations: readOnly, isDistrusted: true, method: "POST" },
      "medium by method",
    ],
    [
      "the tool file states it",
      { declared: { by: "tool-file", risk: "medium" }, annotations: readOnly },
      "medium by tool-file",
    ],
    ["the adapter states it", { declared: { by: "adapter", risk: "low" }, method: "DELETE" }, "low by adapter"],
    [
      "the adapter states nonsense",
      { declared: { by: "adapter", risk: "LOW" }, method: "GET" },
      "destructive by default",
    ],
    [
      "the configuration states it",
      { override: { entry: 1, risk: "low" }, declared: { by: "adapter", risk: "high" } },
      "low by config",
    ],
    ["nobody does, under another default", { unknownRisk: "destructive" }, "destructive by default"],
  ])("when %s", (_, facts, expected) => {
    expect(say(assessRisk({ ...NOTHING, ...facts }))).toBe(expected);
  });

  it("lets nothing that a server says change what anybody else has stated", () => {
    const risks = ["low", "medium", "high", "destructive"] as const;
    const hints = [undefined, true, false];
    const annotations = hints.flatMap((readOnlyHint) =>
      hints.flatMap((destructiveHint) =>
        hints.map((idempotentHint) => ({ readOnlyHint, destructiveHint, idempotentHint })),
      ),
    );
    for (const risk of risks) {
      const stated: Partial<RiskFacts>[] = [
        { declared: { by: "tool-file", risk } },
        { declared: { by: "adapter", risk } },
        { override: { entry: 0, risk } },
      ];
      for (const facts of stated) {
        const told = annotations.flatMap((said) =>
          [undefined, "GET", "DELETE"].map(
            (method) => assessRisk({ ...NOTHING, annotations: said, method, ...facts }).risk,
          ),
        );
        expect(new Set(told)).toEqual(new Set([risk]));
      }
    }
  });

  it("says who decided, for people", () => {
    const detail = (facts: Partial<RiskFacts>) => assessRisk({ ...NOTHING, ...facts }).origin.detail;
    expect(detail({ override: { entry: 1, risk: "low" } })).toBe("policy.risk, entry 2");
    expect(detail({ method: "delete" })).toBe("its HTTP method is DELETE");
    expect(detail({ annotations: readOnly, isDistrusted: true })).toContain("is not believed");
  });
});

describe("isAtLeast", () => {
  it("orders the risks", () => {
    expect(RISKS.map((risk) => RISKS.map((from) => Number(isAtLeast(risk, from))).join(""))).toEqual([
      "1000",
      "1100",
      "1110",
      "1111",
    ]);
  });

  it("takes a word that is no risk for the worst", () => {
    expect(isRisk("extreme")).toBe(false);
    expect(isAtLeast("extreme" as Risk, "destructive")).toBe(true);
  });
});
