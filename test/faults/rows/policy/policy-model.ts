// Random policies and random calls: the gateway decides as an independent model of the specification does.
import { readAudit } from "../../support/audit.js";
import { type Execution, openGateway, type Outcome } from "../../support/gateway.js";
import { inHome } from "../../support/home.js";
import { createModel, type ModelCall, type ModelConfig, type Risk } from "../../support/policy-model.js";
import { createRandom, type Random } from "../../support/random.js";
import { describe } from "../../support/replay.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const CALLS_PER_POLICY = 250;
const AT_ONCE = 3;
const SERVERS = ["one", "two"] as const;
const TOOLS = {
  effect: { annotations: {} },
  idempotent_effect: { annotations: { idempotentHint: true } },
  read: { annotations: { readOnlyHint: true } },
  destroy: { annotations: { destructiveHint: true } },
  erase: { annotations: { destructiveHint: true } },
} as const;
const NAMES = Object.keys(TOOLS);
const PATTERNS = ["*", "effect", "*effect", "r*", "one:*", "two:read", "destroy", "ERASE", "nothing", "e*e"] as const;
const RISKS: readonly Risk[] = ["low", "medium", "high", "destructive"];

/** `count`: the number of calls. */
export async function policyModel({ count, seed, dist, onProgress }: RowOptions): Promise<RowResult> {
  const random = createRandom(seed);
  const policies = Math.ceil(count / CALLS_PER_POLICY);
  const left = Array.from({ length: policies }, (_, number) => ({
    number,
    own: createRandom(random.between(0, 2 ** 31)),
  }));
  const violations: string[] = [];
  const seen: Record<string, number> = {};
  let n = 0;
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const calls = Math.min(CALLS_PER_POLICY, count);
      const found = await tryPolicy(dist, { random: next.own, calls, name: `policy ${next.number}` }, seen);
      violations.push(...found);
      n += calls;
      onProgress?.(`${n} of ${policies * calls} calls`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return {
    title: "random policies compared with a model",
    n,
    injected: 0,
    violations,
    figures: { policies, disagreements: violations.length, ...seen },
  };
}

interface Trial {
  readonly random: Random;
  readonly calls: number;
  readonly name: string;
}

async function tryPolicy(
  dist: string,
  { random, calls, name }: Trial,
  seen: Record<string, number>,
): Promise<string[]> {
  return await inHome(async (home) => {
    const config = toConfig(random, calls);
    home.configure({ one: home.stdio("one"), two: await home.http("two") }, config);
    const model = createModel(config, { one: TOOLS, two: TOOLS });
    const gateway = await openGateway(home, { dist });
    const violations: string[] = [];
    const ran: string[] = [];
    const made: ModelCall[] = [];
    for (let number = 0; number < calls && violations.length < 5; number += 1) {
      const call = toCall(random, number, made);
      made.push(call);
      const expected = model(call);
      const outcome = await gateway.execute(toExecution(call));
      const got = toVerdict(outcome, call);
      seen[got] = (seen[got] ?? 0) + 1;
      if (got === "ran") ran.push(call.id);
      if (got !== expected) {
        violations.push(
          `${name}: ${JSON.stringify(call)} ended in ${got} instead of ${expected} under ${JSON.stringify(config)}`,
        );
      }
    }
    await gateway.close();
    const sent = home.ledger.entries().filter(({ kind }) => kind === "call").length;
    if (sent !== ran.length)
      violations.push(`${name}: ${sent} calls reached servers, but ${ran.length} were reported as executed`);
    return [...violations, ...(await readAudit(home, dist)).violations];
  });
}

function toConfig(random: Random, calls: number): ModelConfig {
  const some = <T>(share: number, make: () => T): T | undefined => (random.chance(share) ? make() : undefined);
  const list = <T>(max: number, make: () => T): T[] => Array.from({ length: random.between(0, max + 1) }, make);
  const about = (): { tools: string[]; server?: string } => ({
    tools: random
      .shuffle(PATTERNS)
      .slice(0, random.between(1, 3))
      .map((one) => (random.chance(0.15) ? `!${one}` : one)),
    ...some(0.3, () => ({ server: random.pick([...SERVERS, "t*", "other"]) })),
  });
  const toRule = ({ tools, ...rest }: { tools: string[]; server?: string }) => ({ pattern: tools, ...rest });
  const scope = (): string => random.pick(["a", "a:read", "a:write", "b"]);
  const strict = random.chance(0.3);
  return {
    // Not too many, or no call is left to decide.
    toolRules: random.chance(0.4) ? list(2, () => ({ ...toRule(about()), enabled: random.chance(0.4) })) : [],
    policy: {
      pinning: "off",
      ...(strict ? { preset: "strict" as const } : {}),
      risk: list(strict ? 4 : 2, () => ({ ...about(), risk: random.pick(RISKS) })),
      ...some(0.3, () => ({ distrust: random.pick([["one"], ["*"], [], ["t*"]]) })),
      ...some(0.5, () => ({
        confirmation: { mode: random.pick(["auto", "human", "never"] as const), from: random.pick(RISKS) },
      })),
      ...some(0.4, () => ({ idempotency: { requiredFrom: { elsewhere: random.pick([...RISKS, "never" as const]) } } })),
      ...some(0.5, () => ({ localScopes: random.pick([["a"], ["a:*"], ["a:*", "b"], ["*"], []]) })),
      scopes: list(1, () => ({ ...about(), required_scopes: [scope()] })),
      buckets: {
        few: { calls: Math.ceil(calls / 10), perSeconds: 86_400 },
        many: { calls: Math.ceil(calls / 3), perSeconds: 86_400 },
      },
      rateLimits: list(2, () => ({ ...about(), rate_limit_bucket: random.pick(["few", "many"]) })),
    },
  };
}

/** Some repeat an earlier call, some of these with a confirmation. */
function toCall(random: Random, number: number, made: readonly ModelCall[]): ModelCall {
  if (made.length > 0 && random.chance(0.2)) {
    return { ...random.pick(made.slice(-10)), ...(random.chance(0.4) ? { confirmed: true } : {}) };
  }
  const earlier = random.between(Math.max(0, number - 20), number + 1);
  return {
    server: random.chance(0.97) ? random.pick(SERVERS) : "three",
    tool: random.chance(0.97) ? random.pick(NAMES) : "nothing",
    id: `call-${random.chance(0.5) ? number : earlier}`,
    fits: random.chance(0.9),
    ...(random.chance(0.5) ? { key: `key-${random.between(Math.max(0, number - 15), number + 1)}` } : {}),
    ...(random.chance(0.3) ? { confirmed: true } : {}),
    ...(random.chance(0.1) ? { dryRun: true } : {}),
  };
}

function toExecution({ server, tool, id, fits, key, confirmed, dryRun }: ModelCall): Execution {
  return {
    server,
    tool,
    arguments: fits ? { id } : { id: 1 },
    options: {
      ...(key === undefined ? {} : { idempotency_key: key }),
      ...(confirmed === undefined ? {} : { confirmed }),
      ...(dryRun === undefined ? {} : { dry_run: dryRun }),
    },
  };
}

function toVerdict(outcome: Outcome, { dryRun }: ModelCall): string {
  if (outcome.kind === "error") return outcome.code;
  if (outcome.kind !== "answer") return describe(outcome);
  return dryRun === true ? "dry" : describe(outcome) === "a replay" ? "replay" : "ran";
}
