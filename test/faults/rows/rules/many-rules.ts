// Ten thousand rules over ten thousand tools: how long they take to be compiled, and to decide about each tool.
import { compileRules } from "../../../../src/rules/compile.js";
import { decide } from "../../../../src/rules/decide.js";
import type { ToolRule } from "../../../../src/rules/options.js";
import { computingMs } from "../../support/computing-time.js";
import { createRandom } from "../../support/random.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { judgeTime, together } from "../../support/timing.js";

const COMPILE_GATE_MS = 2000;
const DECISION_GATE_MS = 1;
/** It is computing time, with no work of others in it: so many times the gate is no matter of a slow machine. */
const FAR_TOO_LONG = 3;
/** Regexes are tried one by one, whatever the name; one rule in so many has one. */
const REGEX_EVERY = 500;

const VERBS = ["get", "list", "create", "delete", "update", "search"];

/** `count`: how many rules and how many tools there are. */
export async function manyRules({ count, seed }: RowOptions): Promise<RowResult> {
  const random = createRandom(seed);
  const word = (): string => `${random.pick(VERBS)}_${random.between(0, count).toString(36)}`;
  const forms = [
    () => [`*${word()}*`],
    () => [`server-${random.between(0, 100)}:${word()}`],
    () => [`${word()}_?`, `!${word()}_x`],
    () => [`*_{${word()},${word()}}`],
    () => [word()],
  ];
  const rules = Array.from({ length: count }, (_, n): ToolRule => {
    const pattern = n % REGEX_EVERY === 0 ? [`/^${word()}.*_[0-9a-z]+$/`] : random.pick(forms)();
    return { pattern, ...(random.chance(0.5) ? { enabled: false } : { tags: [`t${n}`] }) };
  });
  const from = computingMs();
  const compiled = await compileRules(rules);
  const compileMs = computingMs() - from;
  const ms: number[] = [];
  let decided = 0;
  for (let n = 0; n < count; n += 1) {
    const tool = { server: `server-${random.between(0, 100)}`, name: word() };
    const before = computingMs();
    const { decidedBy } = decide(compiled, tool);
    ms.push(computingMs() - before);
    if (decidedBy !== undefined) decided += 1;
  }
  const computed = { control: [], timesGate: FAR_TOO_LONG };
  const { gates, violations } = together([
    judgeTime({ of: "compiling all rules", ms: [compileMs], gateMs: COMPILE_GATE_MS, ...computed }),
    judgeTime({ of: "one decision", ms, gateMs: DECISION_GATE_MS, ...computed }),
  ]);
  if (decided === 0) violations.push("no rule decided anything");
  return {
    title: "very many rules and tools",
    n: count,
    injected: 0,
    violations,
    gates,
    figures: {
      rules: count,
      "compiled in ms": Math.round(compileMs),
      "tools that a rule decides": decided,
    },
    times: { of: "one decision, computing time", ms },
  };
}
