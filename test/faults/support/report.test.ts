import { describe, expect, it } from "vitest";
import type { RowResult } from "./row.js";

interface Report {
  judge(row: object, found: RowResult, seconds: number): Record<string, unknown>;
  toTable(results: readonly object[]): string;
}

const { judge, toTable } = (await import(new URL("./report.mjs", import.meta.url).href)) as Report;
const ROW = { name: "a-row", group: "load", ids: ["L1"] };
const FOUND: RowResult = { title: "what it tries", n: 300, injected: 0, violations: [], figures: {} };
const gate = (of: string, verdict: "met" | "not met" | "not judged") => ({
  of,
  allowed: "1 ms",
  seen: "2 ms",
  verdict,
});

describe("the result of a row", () => {
  it("has no bound per fault if no fault was injected", () => {
    expect(judge(ROW, FOUND, 1)).toMatchObject({ bound_per_case: 0.01, bound_per_fault: null, verdict: "held" });
  });

  it("is broken if no case was judged", () => {
    expect(judge(ROW, { ...FOUND, n: 0 }, 1)).toMatchObject({ bound_per_case: null, verdict: "broken" });
  });

  it("holds with unmet gates, which are counted and named", () => {
    const gates = [gate("quick", "met"), gate("slow", "not met"), gate("rare", "not judged")];
    const row = judge(ROW, { ...FOUND, gates }, 1);
    expect(row).toMatchObject({ verdict: "held", gates });
    const table = toTable([row]);
    expect(table).toContain("Timing limits: 1 met, 1 not met, 1 not judged.");
    expect(table).toContain("a-row, slow: not met, 2 ms for 1 ms");
    expect(table).toContain("a-row, rare: not judged");
    expect(table).not.toContain("quick");
  });

  it("may come from a report without gates", () => {
    const row = judge(ROW, FOUND, 1);
    expect(row).not.toHaveProperty("gates");
    expect(toTable([row])).not.toContain("Timing limits");
  });
});
