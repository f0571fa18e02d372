// Globs with exponential time in other matchers, on 10,000 names; a common matcher runs one of them for comparison.
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { compileGlob } from "../../../../src/rules/glob.js";
import { DiscoveryError } from "../../../../src/errors.js";
import { cpuMs } from "../../../support/cpu-time.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { judgeTime } from "../../support/timing.js";

const GLOBS = [
  "*a*a*a*a*a*ab",
  "**/**/**/**/**/x",
  `${"**/".repeat(100)}x`,
  `${"*a".repeat(100)}*b`,
  `*${"?".repeat(100)}[!a]`,
  `${"[a-z]*".repeat(80)}!`,
  "*{a,aa,aaa}*{a,aa,aaa}*{a,aa,aaa}*b",
  "{a,b}".repeat(30),
  `${"{".repeat(100)}a,b${"}".repeat(100)}`,
  "[!",
  "[!]",
  "{a,{b,{c",
  "*".repeat(500),
  `${"*?".repeat(200)}z`,
];
const GATE_MS = 100;
/** A name of this form and the first glob take picomatch more than 20 s. */
const STOCK_LIMIT_MS = 15_000;
/** A factor above the gate that a slow machine does not explain. */
const FAR_TOO_LONG = 5;

/** `count`: the number of names. */
export async function evilGlobs({ count, triesStock = false }: RowOptions): Promise<RowResult> {
  const names = Array.from({ length: count }, (_, n) => `${"a".repeat(100)}${n}`.padEnd(128, "a"));
  const ms: number[] = [];
  let refused = 0;
  const violations: string[] = [];
  for (const glob of GLOBS) {
    const from = cpuMs();
    try {
      const { test } = compileGlob(glob);
      for (const name of names) test(name);
    } catch (error) {
      if (error instanceof DiscoveryError) refused += 1;
      else violations.push(`${glob}: ${String(error)}`);
    }
    ms.push(cpuMs() - from);
  }
  const worst = Math.max(...ms);
  const judged = judgeTime({
    of: `one glob over all names, at worst ${GLOBS[ms.indexOf(worst)]?.slice(0, 40)}`,
    ms: [worst],
    gateMs: GATE_MS,
    control: [],
    timesGate: FAR_TOO_LONG,
  });
  violations.push(...judged.violations);
  const unfit = ["github:delete/file", ".hidden"].filter((name) => !compileGlob("*").test(name));
  violations.push(...unfit.map((name) => `* does not match ${name}`));
  return {
    title: "globs with exponential time in other matchers",
    n: GLOBS.length,
    injected: GLOBS.length,
    violations,
    gates: [judged.gate],
    figures: {
      globs: GLOBS.length,
      names: count,
      "rejected at load": refused,
      [`within ${GATE_MS} ms`]: ms.filter((one) => one <= GATE_MS).length,
    },
    times: { of: `compiling one pattern and matching ${count} names, CPU time`, ms },
    ...(triesStock ? { stock: await tryStock(GLOBS[0] ?? "", "a".repeat(128)) } : {}),
  };
}

/** picomatch in its own process, which is killed after a time limit. */
async function tryStock(glob: string, name: string): Promise<Record<string, string | number>> {
  const program = `const from = performance.now(); require(process.argv[1])(process.argv[2])(process.argv[3]);
    console.log(performance.now() - from)`;
  const words = ["-e", program, createRequire(import.meta.url).resolve("picomatch"), glob, name];
  return await new Promise((resolve) => {
    execFile(process.execPath, words, { timeout: STOCK_LIMIT_MS, killSignal: "SIGKILL" }, (error, stdout) => {
      const said = error === null ? Math.round(Number(stdout)) : `none after ${STOCK_LIMIT_MS}`;
      resolve({ "picomatch, ms for one name": said });
    });
  });
}
