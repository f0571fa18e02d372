import { describe, expect, it } from "vitest";
import { type AssessedRisk, assessRisk, isAtLeast, isRisk, type Risk, type RiskFacts, RISKS } from "./risk.js";

const NOTHING: RiskFacts = { isDistrusted: false, unknownRisk: "high" };
const say = ({ risk, origin }: AssessedRisk): string => `${risk} by ${origin.kind}`;

describe("assessRisk", () => {
  const readOnly = { readOnlyHint: true };
  const UNTOUCHED = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };
  it.each<[string, Partial<RiskFacts>, string]>([
    ["no source declares a risk", {}, "high by default"],
    ["the server declares read-only", { annotations: readOnly }, "low by annotations"],
    ["the server declares destructive", { annotations: { destructiveHint: true } }, "destructive by annotations"],
    ["the server declares neither", { annotations: { title: "x", openWorldHint: false } }, "high by default"],
    ["the server only declares not read-only", { annotations: { readOnlyHint: false } }, "high by default"],
    ["the server only declares not destructive", { annotations: { destructiveHint: false } }, "medium by annotations"],
    [
      "the server declares read-only and not destructive",
      { annotations: { ...readOnly, destructiveHint: false } },
      "low by annotations",
    ],
    ["the server declares both", { annotations: { ...readOnly, destructiveHint: true } }, "destructive by annotations"],
    ["the annotation is a string", { annotations: { readOnlyHint: "true" } }, "high by default"],
    ["a distrusted server declares read-only", { annotations: readOnly, isDistrusted: true }, "high by default"],
    [
      "a distrusted server declares destructive",
      { annotations: { destructiveHint: true }, isDistrusted: true },
      "destructive by annotations",
    ],
    ["the method is GET", { method: "get" }, "low by method"],
    ["the method is POST", { method: "POST" }, "medium by method"],
    ["the method is PUT", { method: "PUT" }, "medium by method"],
    ["the method is PATCH", { method: "PATCH" }, "medium by method"],
    ["the method is DELETE", { method: "DELETE" }, "destructive by method"],
    ["the method is unknown", { method: "PURGE" }, "high by method"],
    ["annotations and a method disagree", { annotations: readOnly, method: "DELETE" }, "low by annotations"],
    [
      "a distrusted server has a method",
      { annotations: readOnly, isDistrusted: true, method: "POST" },
      "medium by method",
    ],
    [
      "the tool file declares it",
      { declared: { by: "tool-file", risk: "medium" }, annotations: readOnly },
      "medium by tool-file",
    ],
    ["the adapter declares it", { declared: { by: "adapter", risk: "low" }, method: "DELETE" }, "low by adapter"],
    [
      "the adapter declares an unknown risk",
      { declared: { by: "adapter", risk: "LOW" }, method: "GET" },
      "destructive by default",
    ],
    [
      "the configuration sets it",
      { override: { entry: 1, risk: "low" }, declared: { by: "adapter", risk: "high" } },
      "low by config",
    ],
    [
      "all four hints have their default values, as in a library whose author said nothing",
      { annotations: UNTOUCHED, name: "excel_read_sheet" },
      "low by evidence",
    ],
    [
      "all four hints have their default values, and the name tells nothing",
      { annotations: UNTOUCHED },
      "high by default",
    ],
    [
      "only readOnlyHint differs from the defaults of a library",
      { annotations: { ...UNTOUCHED, ...readOnly } },
      "low by annotations",
    ],
    [
      "three hints have their default values",
      { annotations: { ...UNTOUCHED, openWorldHint: false } },
      "destructive by annotations",
    ],
    [
      "the server declares read-only, but the name says delete",
      { annotations: readOnly, name: "delete_x" },
      "destructive by evidence",
    ],
    [
      "the server declares read-only, and the name says create",
      { annotations: readOnly, name: "create_chart" },
      "low by annotations",
    ],
    [
      "the server declares read-only, and the name is a query",
      { annotations: readOnly, name: "run_query" },
      "low by annotations",
    ],
    [
      "the server declares that it changes something, but the name reads",
      { annotations: { readOnlyHint: false }, name: "get_x" },
      "medium by annotations",
    ],
    ["a distrusted server has a tool whose name reads", { name: "get_x", isDistrusted: true }, "high by default"],
    [
      "a distrusted server has a tool whose name deletes",
      { name: "delete_x", isDistrusted: true },
      "destructive by default",
    ],
    ["no source declares it and the default differs", { unknownRisk: "destructive" }, "destructive by default"],
  ])("assesses the risk when %s", (_, facts, expected) => {
    expect(say(assessRisk({ ...NOTHING, ...facts }))).toBe(expected);
  });

  it("lets no annotation of a server override the configuration, a tool file or an adapter", () => {
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
        const assessed = annotations.flatMap((said) =>
          [undefined, "GET", "DELETE"].map(
            (method) => assessRisk({ ...NOTHING, annotations: said, method, ...facts }).risk,
          ),
        );
        expect(new Set(assessed)).toEqual(new Set([risk]));
      }
    }
  });

  it("explains which source decided", () => {
    const detail = (facts: Partial<RiskFacts>) => assessRisk({ ...NOTHING, ...facts }).origin.detail;
    expect(detail({ override: { entry: 1, risk: "low" } })).toBe("policy.risk, entry 2");
    expect(detail({ method: "delete" })).toBe("the HTTP method is DELETE");
    expect(detail({ annotations: readOnly, isDistrusted: true })).toContain("is not trusted");
    expect(detail({ name: "refund_charge" })).toBe('the name says "refund"');
    expect(detail({ annotations: readOnly, name: "delete_x" })).toBe(
      'the server says readOnlyHint: true, but the name says "delete"',
    );
    expect(detail({ name: "x" })).toBe("no risk is declared, and the tool's texts do not tell");
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

  it("treats an unknown risk as the highest", () => {
    expect(isRisk("extreme")).toBe(false);
    expect(isAtLeast("extreme" as Risk, "destructive")).toBe(true);
  });
});
