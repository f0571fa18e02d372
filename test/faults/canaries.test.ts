import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ROOT } from "../support/gateway.js";
import { runCanaries } from "./rows/secrets/canaries.js";
import { createNeedles, scanBytes, scanCommandLines, scanFiles } from "./support/canary-scan.js";
import { SCENARIOS } from "./support/canary-scenarios.js";
import { CANARY_NAMES, createCanaries } from "./support/canary-values.js";

const VALUE = `tok/en+"of ten=Aé\\ letters`;
const needles = createNeedles({ VALUE });
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const base64url = (text: string): string => Buffer.from(text).toString("base64url");

describe("the search for values", () => {
  it.each<[string, string]>([
    ["in plain text", VALUE],
    ["in a URL", encodeURIComponent(VALUE)],
    ["in a URL, in lower case", encodeURIComponent(VALUE).toLowerCase().replace("aé", "Aé").replace("%3da", "%3dA")],
    ["in a form", new URLSearchParams({ q: VALUE }).toString()],
    ["in JSON", JSON.stringify({ VALUE })],
    ["in JSON within JSON", JSON.stringify(JSON.stringify({ VALUE }))],
    ["in hexadecimal", Buffer.from(VALUE).toString("hex")],
    ["in upper-case hexadecimal", Buffer.from(VALUE).toString("hex").toUpperCase()],
    ...["", "u", "us", "use"].flatMap((before): [string, string][] => [
      [`in base64 after ${before.length} bytes`, base64(`${before}${VALUE}`)],
      [`in base64 after ${before.length} and before other bytes`, base64(`${before}${VALUE}:more`)],
      [`in base64 for addresses after ${before.length} bytes`, base64url(`${before}${VALUE}:more`)],
    ]),
    ["truncated at its end", VALUE.slice(0, 14)],
    ["truncated at its beginning", VALUE.slice(-14, -1)],
  ])("finds one %s", (_, form) => {
    expect(scanBytes(Buffer.from(`before ${form} after`), "there", needles)).toHaveLength(1);
  });

  it("finds nothing in a text without values", () => {
    expect(
      scanBytes(Buffer.from(`before ${base64("something else altogether")} tok/en after`), "there", needles),
    ).toEqual([]);
  });

  it("finds a value on the command line of a process", () => {
    const own = createNeedles({ OWN: process.execPath });
    expect(scanCommandLines([process.pid], own)).toEqual([
      expect.stringContaining(`the command line of process ${process.pid}: OWN as`),
    ]);
    expect(scanCommandLines([process.pid], needles)).toEqual([]);
  });

  describe("in a folder", () => {
    let folder = "";
    beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "anygpt-scan-"))));
    afterEach(() => rmSync(folder, { recursive: true }));

    it("finds a value in every file except those that may contain it, and in all file names", () => {
      mkdirSync(join(folder, "deep/er"), { recursive: true });
      writeFileSync(join(folder, "deep/er/database"), Buffer.concat([Buffer.alloc(5000, 255), Buffer.from(VALUE)]));
      writeFileSync(join(folder, "deep/given"), VALUE);
      writeFileSync(join(folder, Buffer.from(VALUE).toString("hex")), "");
      expect(scanFiles(folder, new Set([join(folder, "deep/given")]), needles).sort()).toEqual([
        "deep/er/database: VALUE as plain at byte 5000",
        "the name of a file: VALUE as hex at byte 0",
      ]);
    });
  });
});

describe("the canary scenarios", () => {
  it("have sixty faults and twenty-five values, which differ per seed and are equal for the same seed", () => {
    expect(SCENARIOS).toHaveLength(60);
    expect(new Set(SCENARIOS.map(({ name }) => name)).size).toBe(60);
    expect(CANARY_NAMES).toHaveLength(25);
    expect(createCanaries(3)).toEqual(createCanaries(3));
    const values = [...Object.values(createCanaries(3)), ...Object.values(createCanaries(4))];
    expect(new Set(values).size).toBe(50);
  });

  // A tenth of the scenarios of `npm run faults`.
  it("reveal no value in any output, whatever the fault", async () => {
    const { hits, canaries, hidden } = await runCanaries({ runs: 6, seed: 20, dist: join(ROOT, "dist") });
    expect(hits).toEqual([]);
    expect(canaries).toBe(25);
    expect(hidden).toBeGreaterThan(1);
  });
});
