import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

interface Proof {
  readonly DOCUMENTS: readonly string[];
  withFigures(name: string, text: string, readReport?: (name: string) => unknown): string;
}

const proof = (await import(new URL("../scripts/write-proof.mjs", import.meta.url).href)) as Proof;
const read = (name: string): string => readFileSync(new URL(`../docs/${name}`, import.meta.url), "utf8");

describe("the figures in the documents", () => {
  it.each(proof.DOCUMENTS)("of %s are those of the reports", (name) => {
    expect(proof.withFigures(name, read(name))).toBe(read(name));
  });

  it("are told of a report without gates as well", () => {
    const rows = [
      {
        name: "a-row",
        group: "load",
        ids: ["L1"],
        title: "t",
        n: 1,
        injected: 0,
        bound_per_case: null,
        violations: [],
        figures: {},
      },
    ];
    const report = { at: "2026-01-02", node: "v20", machine: "m", size: "full", seed: 1, rows, untried: [] };
    const text = proof.withFigures("reliability.md", read("reliability.md"), (name) =>
      name === "reliability" ? report : undefined,
    );
    expect(text).toContain("This report is of a version that told no gates.");
  });

  it("change with the reports", () => {
    const report = {
      at: "2026-01-02T03:04:05.000Z",
      node: "v20",
      machine: "one machine",
      size: "full",
      seed: 7,
      rows: [
        {
          name: "a-row",
          group: "load",
          ids: ["L1"],
          title: "what it tries",
          n: 1234,
          injected: 5,
          violations: [],
          gates: [
            { of: "a quick call", allowed: "5 ms", seen: "2 ms", verdict: "met" },
            { of: "a slow call", allowed: "5 ms", seen: "9 ms", verdict: "not met" },
          ],
          figures: { orphans: 0 },
          times: { of: "a call", p50: 1.234, p99: 2, max: 3 },
          stock: { hung: 3 },
          bound_per_case: 3 / 1234,
          verdict: "held",
        },
      ],
      untried: [{ id: "U19", reason: "Windows" }],
    };
    const text = proof.withFigures("reliability.md", read("reliability.md"), (name) =>
      name === "reliability" ? report : undefined,
    );
    expect(text).toMatch(/^1 of 1\d\d rows held: 1,234 cases, 5 faults, seed 7/m);
    expect(text).toMatch(/^Without a result in this report: .*`fuzz-stdio`/m);
    expect(text).toContain("| `a-row` | L1 | what it tries | 1,234 | 5 | 0 | ≤ 0.24 % | 1.23 / 2 / 3 |");
    expect(text).toContain("- `a-row`: orphans 0; times are of a call");
    expect(text).toContain("Timing gates: 1 met, 1 not met, 0 not judged.");
    expect(text).toContain("| `a-row` | a slow call | 5 ms | 9 ms | not met |\n| `a-row` | a quick call |");
    expect(text).toMatch(/^\| `mixed-calls` \| A1, A6 \| 10,000 calls where 100,000 were planned/m);
    expect(text).toContain("| `a-row` | hung 3 |");
    expect(text).toContain("| U19 | Windows |");
  });
});

it.each(["curve-tools", "curve-servers", "curve-calls", "curve-results"])(
  "the chart %s that is shown exists",
  (name) => {
    const isShown = read("performance.md").includes(`charts/${name}.svg`);
    expect(existsSync(new URL(`../docs/charts/${name}.svg`, import.meta.url))).toBe(isShown);
  },
);
