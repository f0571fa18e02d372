// Ten thousand rules over ten thousand tools: how long they take to be compiled, and to decide about each tool.
import { compileRules } from "../../../../src/rules/compile.js";
import { decide } from "../../../../src/rules/decide.js";
import type { ToolRule } from "../../../../src/rules/options.js";
import { computingMs } from "../../support/computing-time.js";
import { createRandom } from "../../support/random.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const COMPILE_GATE_MS = 2000;
const DECISION_GATE_MS = 1;
/** So many times the gate is no matter of a slow machine. */
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
  const sorted = ms.toSorted((one, other) => one - other);
  const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? 0;
  const violations = [
    ...(compileMs > COMPILE_GATE_MS * FAR_TOO_LONG
      ? [`the rules take ${Math.round(compileMs)} ms to be compiled`]
      : []),
    ...(p99 > DECISION_GATE_MS * FAR_TOO_LONG ? [`a decision takes ${p99.toFixed(2)} ms (p99)`] : []),
    ...(decided === 0 ? ["no rule decided anything"] : []),
  ];
  return {
    title: "very many rules and tools",
    n: count,
    injected: count,
    violations,
    figures: {
      rules: count,
      "compiled in ms": Math.round(compileMs),
      [`compiled within ${COMPILE_GATE_MS} ms`]: compileMs <= COMPILE_GATE_MS ? "yes" : "no",
      [`p99 within ${DECISION_GATE_MS} ms`]: p99 <= DECISION_GATE_MS ? "yes" : "no",
      "tools that a rule decides": decided,
    },
    times: { of: "one decision, computing time", ms },
  };
}
