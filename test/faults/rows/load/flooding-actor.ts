// One actor sends twice as many calls as a server can answer. Twenty other actors with few calls are answered almost as
// fast as without it.
import { type HttpReply, type LoadGateway, openLoadGateway, toTokens } from "../../support/load-gateway.js";
import { inHome } from "../../support/home.js";
import { stdioLoad } from "../../support/load-servers.js";
import { describeEstimate, ratioOfQuantiles, type Slice } from "../../support/measure.js";
import { type Planned, planArrivals, runOpenLoop } from "../../support/open-loop.js";
import { createRandom, type Random } from "../../support/random.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { judgeRatio } from "../../support/timing.js";

const NORMAL = Array.from({ length: 20 }, (_, number) => `normal-${number}`);
const FLOODER = "flooder";
/** With sixteen calls at once the server answers about thirty per second. The duration of a call varies. */
const WORK_MS = { from: 100, to: 900 };
const NORMAL_PER_SECOND = 10;
const FLOOD_PER_SECOND = 60;
const SLICE_SECONDS = 6;
/** By then the flood has filled the queue of the server. */
const FLOODED_AFTER_MS = 1500;
/** The highest allowed ratio of the other actors' p99 to their p99 without the flood. */
const GATE = 1.2;

interface Call {
  readonly actor: string;
  readonly id: string;
  readonly delay: number;
}

/** `count`: how many slices of six seconds are compared, with and without the flood. */
export async function floodingActor({ count, seed, dist, onProgress }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    const random = createRandom(seed);
    const http = { port: 0, tokens: toTokens([...NORMAL, FLOODER]) };
    home.configure({ shared: stdioLoad(home, "shared") }, { http });
    const gateway = await openLoadGateway(home, { dist });
    const found: Found = { violations: [], flood: { answered: 0, refused: 0 } };
    await send(gateway, { actor: NORMAL[0]!, id: "warm", delay: 0 });
    const slices: Slice[] = [];
    for (let slice = 0; slice < count; slice += 1) {
      const control = await drive(gateway, { random, found, prefix: `control-${slice}`, flood: 0 });
      const ours = await drive(gateway, { random, found, prefix: `flood-${slice}`, flood: FLOOD_PER_SECOND });
      slices.push({ ours, control });
      onProgress?.(`${slice + 1} of ${count} slices`);
    }
    await gateway.close();
    const judged = judgeRatio({ of: "calls of the others during the flood", slices, max: GATE, random });
    const { violations, flood } = found;
    violations.push(...judged.violations);
    if (flood.refused === 0) violations.push("the flood was too small: none of its calls was rejected");
    const ms = slices.flatMap(({ ours }) => ours);
    return {
      title: "one actor floods a server that twenty others use",
      n: ms.length,
      injected: flood.answered + flood.refused,
      violations,
      gates: [judged.gate],
      figures: {
        "p99 against no flood": judged.gate.seen,
        "p50 against no flood": describeEstimate(ratioOfQuantiles(slices, 0.5, random)),
        "flood calls answered": flood.answered,
        "flood calls rejected": flood.refused,
        "duration of a call at the server, ms": `${WORK_MS.from} to ${WORK_MS.to}`,
      },
      times: { of: "calls of the others during the flood", ms },
    };
  });
}

interface Found {
  readonly violations: string[];
  readonly flood: { answered: number; refused: number };
}

interface Drive {
  readonly random: Random;
  readonly found: Found;
  readonly prefix: string;
  readonly flood: number;
}

/** The latencies of the other actors. */
async function drive(gateway: LoadGateway, { random, found, prefix, flood }: Drive): Promise<number[]> {
  const ms: number[] = [];
  await runOpenLoop({
    plan: merge(random, { prefix, flood }),
    send: (call) => send(gateway, call),
    onFinished({ call: { actor, id }, ending, atMs, latencyMs }) {
      if (actor === FLOODER) {
        found.flood[ending.status === 200 ? "answered" : "refused"] += 1;
        if (ending.status === 503 && ending.text.includes('"code":"OVERLOADED"')) return;
      } else if (atMs > FLOODED_AFTER_MS) ms.push(latencyMs);
      if (ending.status !== 200)
        found.violations.push(`${id} of ${actor} was answered with ${ending.status} ${ending.text}`);
    },
  });
  return ms;
}

function merge(random: Random, { prefix, flood }: Pick<Drive, "prefix" | "flood">): Planned<Call>[] {
  const plan = (perSecond: number, toActor: () => string, kind: string): Planned<Call>[] =>
    perSecond === 0
      ? []
      : [
          ...planArrivals({
            random,
            perSecond,
            seconds: SLICE_SECONDS,
            toCall: (number): Call => ({
              actor: toActor(),
              id: `${prefix}-${kind}-${number}`,
              delay: random.between(WORK_MS.from, WORK_MS.to),
            }),
          }),
        ];
  const calls = [
    ...plan(NORMAL_PER_SECOND, () => random.pick(NORMAL), "normal"),
    ...plan(flood, () => FLOODER, "flood"),
  ];
  return calls.sort((one, other) => one.atMs - other.atMs);
}

function send(gateway: LoadGateway, { actor, id, delay }: Call): Promise<HttpReply> {
  return gateway.post("/api/adapters/shared/tools/read", { id, delay }, { actor });
}
