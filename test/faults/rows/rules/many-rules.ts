// 10,000 rules on 10,000 tools: the time to compile them, and to evaluate them for each tool.
import { compileRules } from "../../../../src/rules/compile.js";
import { decideRules } from "../../../../src/rules/decide.js";
import type { NormalizedToolRule } from "../../../../src/rules/options.js";
import { cpuMs } from "../../../support/cpu-time.js";
import { createRandom } from "../../support/random.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { judgeTime, together } from "../../support/timing.js";

const COMPILE_GATE_MS = 2000;
const DECISION_GATE_MS = 1;
/** Processor time without the work of other processes: a slow machine does not explain this factor above the gate. */
const FAR_TOO_LONG = 3;
/** Regular expressions are tried one by one for every name; one rule in this many has one. */
const REGEX_EVERY = 500;

const VERBS = ["get", "list", "create", "delete", "update", "search"];

/** `count`: the number of rules and of tools. */
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
  const rules = Array.from({ length: count }, (_, n): NormalizedToolRule => {
    const pattern = n % REGEX_EVERY === 0 ? [`/^${word()}.*_[0-9a-z]+$/`] : random.pick(forms)();
    return { pattern, ...(random.chance(0.5) ? { enabled: false } : { tags: [`t${n}`] }) };
  });
  const from = cpuMs();
  const compiled = await compileRules(rules);
  const compileMs = cpuMs() - from;
  const ms: number[] = [];
  let decided = 0;
  for (let n = 0; n < count; n += 1) {
    const tool = { server: `server-${random.between(0, 100)}`, name: word() };
    const before = cpuMs();
    const { decidedBy } = decideRules(compiled, tool);
    ms.push(cpuMs() - before);
    if (decidedBy !== undefined) decided += 1;
  }
  const computed = { control: [], timesGate: FAR_TOO_LONG };
  const { gates, violations } = together([
    judgeTime({ of: "compiling all rules", ms: [compileMs], gateMs: COMPILE_GATE_MS, ...computed }),
    judgeTime({ of: "one decision", ms, gateMs: DECISION_GATE_MS, ...computed }),
  ]);
  if (decided === 0) violations.push("no rule matched a tool");
  return {
    title: "10,000 rules and tools",
    n: count,
    injected: 0,
    violations,
    gates,
    figures: {
      rules: count,
      "compiled in ms": Math.round(compileMs),
      "tools that a rule decides": decided,
    },
    times: { of: "one decision, CPU time", ms },
  };
}
