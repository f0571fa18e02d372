// One server hangs with 1,000 queued calls. The other servers answer as fast as without it.
import { type Gateway, openGateway, type Outcome } from "../../support/gateway.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { startRemoteLoad, stdioLoad } from "../../support/load-servers.js";
import { describeEstimate, ratioOfQuantiles, type Slice } from "../../support/measure.js";
import { planArrivals, runOpenLoop } from "../../support/open-loop.js";
import { createRandom, type Random } from "../../support/random.js";
import { describe } from "../../support/replay.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { judgeRatio } from "../../support/timing.js";

const IN_FLIGHT = 16;
const QUEUED = 1000;
const OTHERS = ["stdio0", "stdio1", "http0", "http1"];
const PER_SECOND = 60;
const SLICE_SECONDS = 2;
/** The highest allowed ratio of the other servers' p99 to the control. */
const GATE = 1.1;
const LONGER_THAN_ALL_MS = 600_000;

/** `count`: how many slices of two seconds are compared, with and without the hanging server. */
export async function hangingServer({ count, seed, dist, onProgress }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    const random = createRandom(seed);
    await configure(home);
    const [control, ours] = [await openGateway(home, { dist }), await openGateway(home, { dist })];
    for (const gateway of [control, ours]) await warm(gateway);
    const hanging = hang(ours);
    await home.ledger.waitFor(`hang-${IN_FLIGHT - 1}`, "call");
    const violations: string[] = [];
    const slices: Slice[] = [];
    for (let slice = 0; slice < count; slice += 1) {
      const order = slice % 2 === 0 ? [control, ours] : [ours, control];
      const took = new Map<Gateway, number[]>();
      for (const gateway of order) took.set(gateway, await drive(gateway, { random, violations, prefix: `${slice}` }));
      slices.push({ ours: took.get(ours)!, control: took.get(control)! });
      onProgress?.(`${slice + 1} of ${count} slices`);
    }
    await Promise.all([ours.kill(), control.kill()]);
    const endings = await Promise.all(hanging);
    violations.push(...judgeHanging(home, endings));
    const judged = judgeRatio({ of: "calls of the other servers", slices, max: GATE, random });
    violations.push(...judged.violations);
    const ms = slices.flatMap((slice) => slice.ours);
    return {
      title: "one server hangs with 1,000 queued calls",
      n: ms.length,
      injected: 1,
      violations,
      gates: [judged.gate],
      figures: {
        "queued calls": QUEUED,
        "p99 against the control": judged.gate.seen,
        "p50 against the control": describeEstimate(ratioOfQuantiles(slices, 0.5, random)),
      },
      times: { of: "calls of the other servers", ms },
    };
  });
}

async function configure(home: FaultHome): Promise<void> {
  const remote = await startRemoteLoad(home);
  const toServer = (name: string): object => (name.startsWith("http") ? remote.server(name) : stdioLoad(home, name));
  home.configure(Object.fromEntries(["stuck", ...OTHERS].map((name) => [name, toServer(name)])), {
    upstreams: { concurrency: IN_FLIGHT, queue: QUEUED, queueWaitMs: LONGER_THAN_ALL_MS },
  });
}

async function warm(gateway: Gateway): Promise<void> {
  for (const server of ["stuck", ...OTHERS]) {
    const outcome = await gateway.execute({ server, tool: "read", arguments: { id: "warm" } });
    if (outcome.kind !== "answer") throw new Error(`The first call of ${server} ended in ${describe(outcome)}.`);
  }
}

/** The row does not await these calls: they end with their gateway. */
function hang(gateway: Gateway): Promise<Outcome>[] {
  return Array.from({ length: IN_FLIGHT + QUEUED }, (_, number) =>
    gateway
      .execute({
        server: "stuck",
        tool: "read",
        arguments: { id: `hang-${number}`, delay: -1 },
        options: { timeout: LONGER_THAN_ALL_MS / 1000 },
      })
      .catch((error: unknown) => ({ kind: "refused", code: 0, message: String(error) }) as const),
  );
}

interface Drive {
  readonly random: Random;
  readonly violations: string[];
  readonly prefix: string;
}

async function drive(gateway: Gateway, { random, violations, prefix }: Drive): Promise<number[]> {
  const ms: number[] = [];
  const toCall = (number: number) => ({ id: `${prefix}-${number}`, server: random.pick(OTHERS) });
  await runOpenLoop({
    plan: planArrivals({ random, perSecond: PER_SECOND, seconds: SLICE_SECONDS, toCall }),
    send: ({ id, server }) => gateway.execute({ server, tool: "read", arguments: { id } }),
    onFinished({ call, ending, latencyMs }) {
      ms.push(latencyMs);
      if (ending.kind !== "answer") violations.push(`${call.id} of ${call.server} ended in ${describe(ending)}`);
    },
  });
  return ms;
}

/** All calls were still pending at the end, and only as many as may be in flight had been sent. */
function judgeHanging({ ledger }: FaultHome, endings: readonly Outcome[]): string[] {
  const ended = endings.filter(({ kind }) => kind !== "died");
  const sent = endings.filter((_, number) => ledger.of(`hang-${number}`, "call").length > 0).length;
  return [
    ...ended.slice(0, 3).map((outcome) => `a call that should have stayed pending ended in ${describe(outcome)}`),
    ...(sent === IN_FLIGHT ? [] : [`${sent} calls were sent to the hanging server instead of ${IN_FLIGHT}`]),
  ];
}
