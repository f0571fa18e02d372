// Regular expressions with catastrophic backtracking in other engines, as rules on 10,000 long tool names of a running
// gateway.
import { compileRules } from "../../../../src/rules/compile.js";
import { decideRules } from "../../../../src/rules/decide.js";
import { DiscoveryError } from "../../../../src/errors.js";
import { cpuMs } from "../../../support/cpu-time.js";
import { waitFor } from "../../support/deadline.js";
import { type Gateway, openGateway } from "../../support/gateway.js";
import { EVIL_PATTERNS } from "../../../support/evil-patterns.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { type Lag, readLag } from "../../support/lag.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { listServers, plainTool, scripted } from "../../support/scripted.js";
import { judgeTime, together } from "../../support/timing.js";

const GATE_MS = 500;
/** A factor above the gate that a slow machine does not explain. */
const FAR_TOO_LONG = 3;
const LAG_GATE_MS = 50;
const MAX_NAME_LENGTH = 128;
const LIMIT_MS = 120_000;
/** A reload with ten thousand names uses the event loop with or without rules; a backtracking expression would block it for minutes. */
const TIMES_LAG_GATE = 10;
/** Expressions that a gateway reloads with; the times cover all of them. */
const RELOADED = 5;

/** `count`: the number of names. */
export async function evilRules({ count, dist, onProgress }: RowOptions): Promise<RowResult> {
  const names = Array.from({ length: count }, (_, n) => `${"a".repeat(100)}_${n}`.padEnd(MAX_NAME_LENGTH, "a"));
  const ms: number[] = [];
  let refused = 0;
  for (const source of EVIL_PATTERNS) {
    const from = cpuMs();
    try {
      const rules = await compileRules([{ pattern: [`/${source}/`], enabled: false }]);
      for (const name of names) decideRules(rules, { server: "s", name });
    } catch (error) {
      if (!(error instanceof DiscoveryError)) throw error;
      refused += 1;
    }
    ms.push(cpuMs() - from);
  }
  const lags = await inHome((home) => measure(home, { dist, names, ...(onProgress ? { onProgress } : {}) }));
  const held = Math.max(...lags.evil.map(({ max }) => max));
  const worst = Math.max(...ms);
  const { gates, violations } = together([
    judgeTime({
      of: `one regex over all names, at worst /${EVIL_PATTERNS[ms.indexOf(worst)]}/`,
      ms: [worst],
      gateMs: GATE_MS,
      control: [],
      timesGate: FAR_TOO_LONG,
    }),
    judgeTime({
      of: "longest block of the event loop while rules are applied",
      ms: [held],
      gateMs: LAG_GATE_MS,
      control: [lags.control.max],
      timesGate: TIMES_LAG_GATE,
    }),
  ]);
  return {
    title: "regular expressions with catastrophic backtracking as rules",
    n: EVIL_PATTERNS.length + lags.evil.length,
    injected: EVIL_PATTERNS.length,
    violations,
    gates,
    figures: {
      regexes: EVIL_PATTERNS.length,
      names: count,
      "rejected at load": refused,
      [`within ${GATE_MS} ms`]: ms.filter((one) => one <= GATE_MS).length,
      "worst lag of the event loop, ms": Math.round(held),
      "worst lag without rules, ms": Math.round(lags.control.max),
    },
    times: { of: `compiling one pattern and matching ${count} names, CPU time`, ms },
  };
}

interface Measured {
  readonly dist: string;
  readonly names: readonly string[];
  readonly onProgress?: (text: string) => void;
}

/** The lag of the event loop while a gateway loads the names with each rule, and without rules. */
async function measure(home: FaultHome, { dist, names, onProgress }: Measured) {
  const many = scripted(home, "many", { tools: names.map((name) => plainTool(name)) });
  const one = scripted(home, "one", { tools: [plainTool("marked")] });
  const configure = (toolRules: readonly object[]): string => home.configure({ many, one }, { toolRules });
  configure([]);
  const gateway = await openGateway(home, { dist, measuresLag: true });
  await known(gateway, names.length);
  const reload = async (mark: string, ...rules: readonly object[]): Promise<Lag> => {
    configure([...rules, { pattern: "marked", tags: [mark] }]);
    await readLag(home, gateway.pid);
    gateway.signal("SIGHUP");
    await waitFor(() => isMarked(gateway, mark), "reload", LIMIT_MS);
    return await readLag(home, gateway.pid);
  };
  const control = await reload("without");
  const evil: Lag[] = [];
  for (const [n, source] of EVIL_PATTERNS.slice(0, RELOADED).entries()) {
    onProgress?.(`reload with /${source}/`);
    evil.push(await reload(`round-${n}`, { pattern: `/${source}/`, tags: ["evil"] }));
  }
  await gateway.close();
  return { control, evil };
}

async function known(gateway: Gateway, count: number): Promise<void> {
  const isKnown = async () => (await listServers(gateway)).some(({ toolCount }) => toolCount >= count);
  await waitFor(isKnown, "list of all tools", LIMIT_MS);
}

/** Whether the rules that set this tag are active. */
async function isMarked(gateway: Gateway, mark: string): Promise<boolean> {
  const outcome = await gateway.request("tools/call", { name: "list_tools", arguments: { server: "one" } });
  return outcome.kind === "answer" && JSON.stringify(outcome.result).includes(mark);
}
