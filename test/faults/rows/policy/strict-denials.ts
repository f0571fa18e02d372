// With the strict preset, the gateway executes only what the configuration allows, whatever callers send and servers
// declare.
import { readAudit } from "../../support/audit.js";
import { type Execution, type Gateway, openGateway, type Outcome } from "../../support/gateway.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { createRandom, type Random } from "../../support/random.js";
import { describe } from "../../support/replay.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const REFUSALS: ReadonlySet<string> = new Set([
  "POLICY_DENIED",
  "TOOL_NOT_FOUND",
  "SERVER_NOT_FOUND",
  "TOOL_QUARANTINED",
  // The claim that a tool is destructive is believed: it needs confirmation, and no user can confirm here.
  "CONFIRMATION_REQUIRED",
]);
const TOOLS = ["effect", "idempotent_effect", "read", "destroy", "erase"] as const;
const ODD = [
  " ",
  "__proto__",
  "constructor",
  "toString",
  "effect\u0000",
  "EFFECT",
  "еffect",
  "effect ",
  "../effect",
  "one:effect",
  "*",
];

const CALLS_PER_PRESET = 20;

/** `count`: how many calls are not allowed. */
export async function strictDenials({ count, seed, dist }: RowOptions): Promise<RowResult> {
  const random = createRandom(seed);
  const strict = await inHome((home) => runStrict(home, { count, random, dist }));
  const lies = await inHome((home) => runLies(home, dist));
  return {
    title: "calls that the strict preset must refuse",
    n: strict.n + lies.n,
    injected: strict.n + lies.n,
    violations: [...strict.violations, ...lies.violations],
    figures: { ...strict.figures, "false annotations": lies.n },
  };
}

interface Trial {
  readonly count: number;
  readonly random: Random;
  readonly dist: string;
}

async function runStrict(home: FaultHome, { count, random, dist }: Trial) {
  const servers = { one: home.stdio("one"), two: await home.http("two") };
  const presets = [
    { preset: "strict", pinning: "off" },
    { preset: "strict" },
    // A rule for other tools does not apply to these.
    { preset: "strict", pinning: "off", risk: [{ tools: "nothing_*", risk: "low" }] },
  ];
  const gateways: Gateway[] = [];
  for (const [index, policy] of presets.slice(0, Math.ceil(count / CALLS_PER_PRESET)).entries()) {
    const config = home.configure(servers, { policy }, index === 0 ? "config.json" : `config-${index}.json`);
    gateways.push(await openGateway(home, { dist, config }));
  }
  const reported: Record<string, number> = {};
  const outcomes: Outcome[] = [];
  for (let number = 0; number < count; number += 1) {
    const outcome = await random.pick(gateways).execute(toCall(random, number));
    outcomes.push(outcome);
    const word = outcome.kind === "error" ? outcome.code : outcome.kind;
    reported[word] = (reported[word] ?? 0) + 1;
  }
  for (const gateway of gateways) await gateway.close();
  const audit = await readAudit(home, dist);
  const recorded = new Set(audit.records.map(({ request_id }) => request_id));
  const sent = home.ledger.entries().length;
  return {
    n: count,
    figures: {
      allowed: outcomes.filter(({ kind }) => kind === "answer").length,
      "reached a server": sent,
      ...reported,
    },
    violations: [
      ...audit.violations,
      ...outcomes.filter((one) => !isRefusal(one)).map((one) => `a call that is not allowed ended in ${describe(one)}`),
      ...(sent === 0 ? [] : [`${sent} entries in the ledger`]),
      ...outcomes
        .filter((one) => one.kind === "error" && !recorded.has(String(one.error["request_id"])))
        .map((one) => `${describe(one)} is not in the audit log`),
    ],
  };
}

const isRefusal = (outcome: Outcome): boolean =>
  outcome.kind === "refused" || (outcome.kind === "error" && REFUSALS.has(outcome.code) && outcome.executed === "no");

function toCall(random: Random, number: number): Execution {
  const server = random.pick(["one", "two", "three", ...(random.chance(0.2) ? ODD : [])]);
  const tool = random.chance(0.6) ? random.pick(TOOLS) : random.pick([...ODD, "nothing", `effect${number}`]);
  const options = random.pick([{}, { confirmed: true }, { idempotency_key: `key-${number}` }, { dry_run: false }]);
  return { server, tool, arguments: { id: `strict-${number}` }, options };
}

/** `read` claims to be read-only and `idempotent_effect` to be repeatable: the gateway must not rely on it. */
async function runLies(home: FaultHome, dist: string) {
  const risk = [
    { tools: "read", risk: "destructive" },
    { tools: "idempotent_effect", risk: "medium" },
  ];
  const believing = { policy: { risk: [risk[0]] } };
  const doubting = { policy: { preset: "strict", pinning: "off", risk } };
  const distrusting = { policy: { distrust: ["one"], confirmation: { mode: "human", from: "high" } } };
  const open = (name: string, sections: object): Promise<Gateway> =>
    openGateway(home, { dist, config: home.configure({ one: home.stdio("one") }, sections, name) });
  const [first, strict, wary] = [
    await open("config.json", believing),
    await open("strict.json", doubting),
    await open("wary.json", distrusting),
  ];
  const read = (id: string): Execution => ({ server: "one", tool: "read", arguments: { id } });
  const twice: Execution = {
    server: "one",
    tool: "idempotent_effect",
    arguments: { id: "lie-twice", mode: "crash_after" },
    options: { idempotency_key: "lie-twice" },
  };
  const expected: [string, Promise<Outcome>, string][] = [
    ["a configured risk against readOnlyHint", first.execute(read("lie-1")), "CONFIRMATION_REQUIRED"],
    [
      "the same under strict",
      strict.execute({ ...read("lie-2"), options: { idempotency_key: "k" } }),
      "CONFIRMATION_REQUIRED",
    ],
    ["readOnlyHint of a distrusted server", wary.execute(read("lie-3")), "CONFIRMATION_REQUIRED"],
  ];
  const violations: string[] = [];
  for (const [what, outcome, code] of expected) {
    const got = describe(await outcome);
    if (!got.startsWith(code)) violations.push(`${what}: ${got} instead of ${code}`);
  }
  await strict.execute(twice);
  const again = describe(await strict.execute(twice));
  if (!again.startsWith("IDEMPOTENCY_OUTCOME_UNKNOWN")) violations.push(`idempotentHint was trusted: ${again}`);
  const calls = home.ledger.of("lie-twice", "call").length;
  if (calls !== 1) violations.push(`a call that crashed was sent ${calls} times`);
  if (home.ledger.entries().some(({ id }) => /^lie-\d/.test(id))) violations.push("a call that needs confirmation ran");
  for (const gateway of [first, strict, wary]) await gateway.close();
  return { n: expected.length + 1, violations };
}
