// The same calls with one more check enabled at a time, in alternation: how much time each check adds to a call.
import { type Gateway, openGateway } from "../../support/gateway.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { stdioLoad } from "../../support/load-servers.js";
import { quantile, round } from "../../support/measure.js";
import { createRandom } from "../../support/random.js";
import { describe } from "../../support/replay.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const IN_FLIGHT = 8;
const ROUND = 100;
const RULES = 200;

interface Variant {
  readonly name: string;
  readonly config: object;
  readonly hasKey?: boolean;
}

const BARE = { audit: { enabled: false } };
const POLICY = {
  policy: {
    risk: Array.from({ length: RULES }, (_, number) => ({ tools: `none_${number}*`, risk: "low" })),
    scopes: [{ tools: "effect", required_scopes: ["write"] }],
    buckets: { wide: { calls: 1_000_000, perSeconds: 60 } },
    rateLimits: [{ tools: "effect", rate_limit_bucket: "wide" }],
  },
};
const VARIANTS: readonly Variant[] = [
  { name: "none", config: BARE },
  { name: "audit", config: {} },
  { name: "key", config: BARE, hasKey: true },
  { name: "policy", config: { ...BARE, ...POLICY } },
  { name: "all", config: POLICY, hasKey: true },
];

/** `count`: how many calls each variant makes. */
export async function guardCosts({ count, seed, dist, onProgress }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    const random = createRandom(seed);
    const gateways = new Map<Variant, Gateway>();
    for (const variant of VARIANTS) gateways.set(variant, await open(home, { dist, variant }));
    const violations: string[] = [];
    const micros = new Map<Variant, number[]>(VARIANTS.map((variant) => [variant, []]));
    for (let done = -ROUND; done < count; done += ROUND) {
      for (const variant of random.shuffle(VARIANTS)) {
        const each = await timeRound(gateways.get(variant)!, { variant, prefix: `${done}`, violations });
        if (done >= 0) micros.get(variant)?.push(each);
      }
      onProgress?.(`${Math.max(done, 0) + ROUND} of ${count} calls of each`);
    }
    for (const gateway of gateways.values()) await gateway.close();
    const median = (variant: Variant): number => quantile(micros.get(variant) ?? [], 0.5);
    const [none, ...guards] = VARIANTS;
    return {
      title: "time that each check adds to a call",
      n: VARIANTS.length * count,
      injected: 0,
      violations,
      figures: {
        "without checks, µs per call": round(median(none!)),
        ...Object.fromEntries(
          guards.map((variant) => [`${variant.name}, µs more per call`, round(median(variant) - median(none!))]),
        ),
        "in flight": IN_FLIGHT,
        "rules of the policy": RULES,
      },
    };
  });
}

/** One store per variant: a store with several writers is slower. */
async function open(home: FaultHome, { dist, variant }: { readonly dist: string; readonly variant: Variant }) {
  const { name, config: sections } = variant;
  const more = { ...sections, store: home.path(`${name}.db`) };
  const config = home.configure({ one: stdioLoad(home, name) }, more, `${name}.json`);
  return await openGateway(home, { dist, config });
}

interface Timed {
  readonly variant: Variant;
  readonly prefix: string;
  readonly violations: string[];
}

/** Microseconds per call of a round. */
async function timeRound(gateway: Gateway, { variant, prefix, violations }: Timed): Promise<number> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < ROUND) {
      const id = `${variant.name}-${prefix}-${next++}`;
      const outcome = await gateway.execute({
        server: "one",
        tool: "effect",
        arguments: { id },
        ...(variant.hasKey === true ? { options: { idempotency_key: id } } : {}),
      });
      if (outcome.kind !== "answer") violations.push(`${id} ended in ${describe(outcome)}`);
    }
  };
  const from = performance.now();
  await Promise.all(Array.from({ length: IN_FLIGHT }, work));
  return ((performance.now() - from) * 1000) / ROUND;
}
