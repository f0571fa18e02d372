import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

interface Proof {
  readonly DOCUMENTS: readonly string[];
  withFigures(name: string, text: string, readReport?: (name: string) => unknown): string;
}

const proof = (await import(new URL("../scripts/write-proof.mjs", import.meta.url).href)) as Proof;
const read = (name: string): string => readFileSync(new URL(`../docs/${name}`, import.meta.url), "utf8");

interface PeerReport {
  readonly tables: readonly {
    readonly title: string;
    readonly rows: readonly { readonly name: string; readonly cells: Readonly<Record<string, number>> }[];
  }[];
}

const readReport = (name: string): unknown => JSON.parse(read(`reports/${name}.json`));
const withReport = (page: string, report: unknown): string =>
  proof.withFigures(page, read(page), (name) => (name === "reliability" ? report : undefined));

describe("figures in the pages", () => {
  it.each(proof.DOCUMENTS)("%s has the figures of the JSON reports", (name) => {
    expect(proof.withFigures(name, read(name))).toBe(read(name));
  });

  it("writes a report that has no timing limits", () => {
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
    const text = withReport("reports/reliability.md", report);
    expect(text).toContain("This run recorded no timing limits.");
  });

  it("change with the JSON report", () => {
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
    const text = withReport("reports/reliability.md", report);
    expect(text).toMatch(/^1 of 1\d\d rows held: 1,234 cases, 5 faults, seed 7/m);
    expect(text).toMatch(/^Rows without a result in this run: .*`fuzz-stdio`/m);
    expect(text).toContain("| `a-row` | L1 | what it tries | 1,234 | 5 | 0 | ≤ 0.24 % | 1.23 / 2 / 3 |");
    expect(text).toContain("- `a-row`: orphans 0; times: a call");
    expect(text).toContain("Timing limits: 1 met, 1 not met, 0 not judged.");
    expect(text).toContain("| `a-row` | a slow call | 5 ms | 9 ms | not met |\n| `a-row` | a quick call |");
    expect(text).toMatch(/^\| `mixed-calls` \| A1, A6 \| 10,000 calls instead of the planned 100,000/m);
    expect(text).toContain("| `a-row` | hung 3 |");
    expect(text).toContain("| U19 | Windows |");

    const short = withReport("explanation/reliability.md", report);
    expect(short).toContain("| Load and endurance | 1 | 1 | 1,234 | 5 | 0 |");
    expect(short).toContain("| `a-row` | a slow call | 5 ms | 9 ms |");
    expect(short).not.toContain("a quick call");
  });

  it("has the differences to other gateways that the performance page states", () => {
    const { tables } = readReport("peers") as PeerReport;
    const cell = (title: string, name: string, key: string): number => {
      const row = tables.find((one) => one.title.startsWith(title))?.rows.find((one) => one.name === name);
      return row?.cells[key] ?? Number.NaN;
    };
    const median = (name: string): number => cell("Calls", name, "median");
    const fastest = Math.min(...["ratel", "mcp-broker", "mcp-hub-mcp", "modular-mcp"].map(median));
    const lead = cell("Search", "ratel", "bfcl") - cell("Search", "ours", "bfcl");
    const page = read("explanation/performance.md");
    expect(page).toContain(`within ${(median("ours, audit off") - fastest).toFixed(2)} ms of the fastest`);
    expect(page).toContain(`ratel is better by ${lead.toFixed(2)} on \`bfcl\``);
  });

  it.each(["explanation/reliability.md", "explanation/performance.md"])("%s stays under 1,200 words", (name) => {
    const words = read(name)
      .split(/[\s|]+/)
      .filter((word) => /\w/.test(word));
    expect(words.length).toBeLessThanOrEqual(1200);
  });
});

it.each(["curve-tools", "curve-servers", "curve-calls", "curve-results"])(
  "has the chart %s that the report shows",
  (name) => {
    const isShown = read("reports/performance.md").includes(`charts/${name}.svg`);
    expect(existsSync(new URL(`../docs/reports/charts/${name}.svg`, import.meta.url))).toBe(isShown);
  },
);
