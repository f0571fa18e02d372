// YAML alias bombs, hidden content and ambiguous values: rejected at once, or parsed as YAML 1.2 defines.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../../../src/config/load.js";
import { DiscoveryError } from "../../../../src/errors.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { judgeFigure } from "../../support/timing.js";

const GATE_MS = 100;
/** Rejecting a document must not cost more than reading the largest accepted document, which the same run measures. */
const MAX_VALUES = 90_000;

const levels = (count: number, first: string): string =>
  [first, ...Array.from({ length: count }, (_, n) => `l${n + 1}: &l${n + 1} [${`*l${n},`.repeat(9)}*l${n}]`)].join(
    "\n",
  );

/** Rejected, each within the limit. */
const REFUSED: Readonly<Record<string, string>> = {
  "aliases of aliases of lists": levels(9, "l0: &l0 [x]"),
  "aliases of aliases of maps": levels(9, "l0: &l0 {x: 1}"),
  "an alias of itself": "servers: &s\n  a: *s\n",
  "10,000 aliases": `a: &a [${"x,".repeat(100)}x]\nservers: [${"*a,".repeat(10_000)}*a]\n`,
  "a million lines": "a\n".repeat(1_000_000),
  "a million lines of comments": `${"#\n".repeat(1_000_000)}servers: {}\n`,
  "100,000 brackets": "[".repeat(100_000),
  "100,000 dashes": "- ".repeat(100_000),
  "100,000 levels of maps": `${"{a: ".repeat(100_000)}1`,
  "a merge key": "base: &b {ttl: 1}\ncache:\n  <<: *b\n",
  "two documents": "servers: {}\n---\nservers: {}\n",
  "a directive of another version": "%YAML 1.1\n---\nservers: {}\n",
  "a tag by a directive": "%TAG ! tag:example.com,2000:\n---\nservers: !x {}\n",
  "a function by its tag": "servers: !!js/function 'function () {}'\n",
  "an undefined by its tag": "servers: !!js/undefined ''\n",
  "a regex by its tag": "servers: !!js/regexp /x/\n",
  "an object of Python": "servers: !!python/object/apply:os.system ['id']\n",
  "a binary by its tag": "store: !!binary aGFsbG8=\n",
  "a set by its tag": "servers: !!set {a, b}\n",
  "a custom tag": "servers: !mine {}\n",
  "no as false": "enabled: no\n",
  "off as false": "enabled: off\n",
  "yes as true": "enabled: yes\n",
  "N as false": "enabled: N\n",
  "a number with underscores": "cache: {ttl: 1_000}\n",
  "a number of base 60": "cache: {ttl: 12:30}\n",
  "an octal of 1.1": "cache: {ttl: 0o18}\n",
  "a binary number": "cache: {ttl: 0b11}\n",
  "a date": "cache: {ttl: 2026-01-01}\n",
  "a risk that is a number": "policy: {risk: [{tools: '*', risk: 1}]}\n",
  "a risk in capitals": "policy: {risk: [{tools: '*', risk: LOW}]}\n",
  "a risk with a blank": "policy: {risk: [{tools: '*', risk: ' low'}]}\n",
  "an empty risk": "policy: {risk: [{tools: '*', risk: }]}\n",
  "a risk that is true": "policy: {risk: [{tools: '*', risk: true}]}\n",
  "a risk that is a list": "policy: {risk: [{tools: '*', risk: [low]}]}\n",
  "a key that is a list": "? [a, b]\n: c\n",
  "a null key": "~: {}\n",
};

/** Accepted, with the expected value. */
const READ: Readonly<Record<string, readonly [text: string, ttl: number]>> = {
  "an octal of 1.2": ["cache: {ttl: 0o17}\n", 15],
  "a number with a zero before it": ["cache: {ttl: 0060}\n", 60],
  "a hexadecimal number": ["cache: {ttl: 0x3C}\n", 60],
  "a plain number": ["cache: {ttl: 60}\n", 60],
  "an exponent": ["cache: {ttl: 6e1}\n", 60],
};

/** `count`: how often each document is read. */
export async function yamlSurprises({ count }: RowOptions): Promise<RowResult> {
  const folder = mkdtempSync(join(tmpdir(), "anygpt-yaml-"));
  const violations: string[] = [];
  const ms: number[] = [];
  let slowest = { what: "", took: 0 };
  const load = async (text: string) => {
    const path = join(folder, "x.yaml");
    writeFileSync(path, text);
    return await loadConfig({ cwd: folder, home: folder, anygptHome: join(folder, "state"), env: {}, path });
  };
  let controlMs = 0;
  try {
    // The first file loads the parser; this does not count.
    await load("servers: {}\n");
    controlMs = await timeOf(() => load(`servers: [${"x,".repeat(MAX_VALUES)}x]\n`));
    for (const [what, text] of Object.entries(REFUSED)) {
      for (let n = 0; n < count; n += 1) {
        const from = performance.now();
        const reported = await load(text).then(() => "taken", reasonOf);
        const took = performance.now() - from;
        ms.push(took);
        if (took > slowest.took) slowest = { what, took };
        if (reported !== "refused") violations.push(`${what}: ${reported}`);
        if (took > Math.max(controlMs, GATE_MS)) violations.push(`${what}: rejected after ${Math.round(took)} ms`);
      }
    }
    for (const [what, [text, ttl]] of Object.entries(READ)) {
      const read = await load(text).then(({ config }) => config.cache.ttl, reasonOf);
      if (read !== ttl) violations.push(`${what}: ${read}`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  const { gate } = judgeFigure({
    of: `a rejection, slowest: ${slowest.what}`,
    seen: slowest.took,
    max: GATE_MS,
    beyond: Number.POSITIVE_INFINITY,
    unit: "ms",
  });
  return {
    title: "YAML with unexpected content",
    n: ms.length + Object.keys(READ).length,
    injected: ms.length,
    violations,
    gates: [gate],
    figures: {
      texts: Object.keys(REFUSED).length,
      [`rejected within ${GATE_MS} ms`]: ms.filter((one) => one <= GATE_MS).length,
      slowest: slowest.what,
      "reading the largest accepted document, ms": Math.round(controlMs),
    },
    times: { of: "reading and rejecting one document", ms },
  };
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work().catch(() => undefined);
  return performance.now() - from;
}

const reasonOf = (error: unknown): string =>
  error instanceof DiscoveryError && error.code === "CONFIGURATION_ERROR" ? "refused" : String(error);
