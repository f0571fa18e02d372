// Regexes that other engines need hours for, as rules over ten thousand long names of a running gateway.
import { compileRules } from "../../../../src/rules/compile.js";
import { decide } from "../../../../src/rules/decide.js";
import { DiscoveryError } from "../../../../src/errors.js";
import { computingMs } from "../../support/computing-time.js";
import { waitFor } from "../../support/deadline.js";
import { type Gateway, openGateway } from "../../support/gateway.js";
import { EVIL_PATTERNS } from "../../../support/evil-patterns.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { type Lag, readLag } from "../../support/lag.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { listServers, plainTool, scripted } from "../../support/scripted.js";
import { judgeTime, together } from "../../support/timing.js";

const GATE_MS = 500;
/** So many times the gate is no matter of a slow machine. */
const FAR_TOO_LONG = 3;
const LAG_GATE_MS = 50;
const LONGEST_NAME = 128;
const LIMIT_MS = 120_000;
/** A reload with ten thousand names is work for the loop with or without rules; a regex that reaches it holds it up for minutes. */
const TIMES_LAG_GATE = 10;
/** Regexes that a gateway is reloaded with; the times are of all of them. */
const RELOADED = 5;

/** `count`: how many names there are. */
export async function evilRules({ count, dist, onProgress }: RowOptions): Promise<RowResult> {
  const names = Array.from({ length: count }, (_, n) => `${"a".repeat(100)}_${n}`.padEnd(LONGEST_NAME, "a"));
  const ms: number[] = [];
  let refused = 0;
  for (const source of EVIL_PATTERNS) {
    const from = computingMs();
    try {
      const rules = await compileRules([{ pattern: [`/${source}/`], enabled: false }]);
      for (const name of names) decide(rules, { server: "s", name });
    } catch (error) {
      if (!(error instanceof DiscoveryError)) throw error;
      refused += 1;
    }
    ms.push(computingMs() - from);
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
      of: "the event loop stands still while rules are taken over",
      ms: [held],
      gateMs: LAG_GATE_MS,
      control: [lags.control.max],
      timesGate: TIMES_LAG_GATE,
    }),
  ]);
  return {
    title: "evil regexes as rules",
    n: EVIL_PATTERNS.length + lags.evil.length,
    injected: EVIL_PATTERNS.length,
    violations,
    gates,
    figures: {
      regexes: EVIL_PATTERNS.length,
      names: count,
      "refused at load": refused,
      [`within ${GATE_MS} ms`]: ms.filter((one) => one <= GATE_MS).length,
      "worst lag of the event loop, ms": Math.round(held),
      "worst lag without rules, ms": Math.round(lags.control.max),
    },
    times: { of: `compiling one and matching ${count} names, computing time`, ms },
  };
}

interface Measured {
  readonly dist: string;
  readonly names: readonly string[];
  readonly onProgress?: (text: string) => void;
}

/** The lag while a gateway takes over the names under each rule, and under none. */
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

/** Whether the rules are in force that give this tag. */
async function isMarked(gateway: Gateway, mark: string): Promise<boolean> {
  const outcome = await gateway.request("tools/call", { name: "list_tools", arguments: { server: "one" } });
  return outcome.kind === "answer" && JSON.stringify(outcome.result).includes(mark);
}
