// Calls on a fixed schedule to 100 servers of three types: no call is lost, and no server gets worse service than the
// others.
import { type Gateway, openGateway, type Outcome } from "../../support/gateway.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { type Lag, readLag } from "../../support/lag.js";
import { startRemoteLoad, stdioLoad } from "../../support/load-servers.js";
import { quantile, round } from "../../support/measure.js";
import { type Finished, measureCapacity, planArrivals, runOpenLoop } from "../../support/open-loop.js";
import { createRandom, type Random } from "../../support/random.js";
import { describe } from "../../support/replay.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { judgeTime } from "../../support/timing.js";

const SERVERS = 100;
const SHARES = { stdio: 0.6, http: 0.3 };
const CAPACITY = { inFlight: 64, seconds: 3 };
/** Share of the capacity: above it an open loop measures only its backlog. */
const LOAD_SHARE = 0.6;
const WARM_AT_ONCE = 4;
/** The highest allowed lag of the event loop. */
const LAG_GATE_MS = 50;
/** The mean of one server relative to the mean of all: with a hundred calls each, a larger ratio is not random. */
const MAX_UNFAIR = 3;

interface Call {
  readonly id: string;
  readonly server: string;
}

/** `count`: the number of calls. For fewer than a thousand calls a tenth of the servers is enough. */
export async function manyUpstreams({ count, seed, dist, onProgress }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    const random = createRandom(seed);
    const servers = await configureServers(home, count < 1000 ? SERVERS / 10 : SERVERS);
    const gateway = await openGateway(home, { dist, measuresLag: true });
    await warm(gateway, servers);
    onProgress?.(`${servers.length} servers are open`);
    const send = ({ id, server }: Call): Promise<Outcome> =>
      gateway.execute({ server, tool: "read", arguments: { id }, meta: { "faults/attempt": id } });
    const capacity = await measureCapacity(
      (number) => send({ id: `capacity-${number}`, server: servers[number % servers.length]! }),
      CAPACITY,
    );
    const idle = await readLag(home, gateway.pid);
    const finished: Finished<Call, Outcome>[] = [];
    const reported = await runOpenLoop({
      plan: planCalls(random, { servers, count, perSecond: capacity * LOAD_SHARE }),
      send,
      onFinished: (one) => void finished.push(one),
    });
    const lag = await readLag(home, gateway.pid);
    await gateway.close();
    const latencies = finished.map(({ latencyMs }) => latencyMs);
    const { gate, violations } = judgeTime({
      of: "lag of the event loop, p99",
      ms: [lag.p99],
      gateMs: LAG_GATE_MS,
      control: [idle.p99],
    });
    return {
      title: "calls at a fixed rate to many servers",
      n: finished.length,
      injected: 0,
      violations: [...judge(home, finished), ...findUnfair(finished), ...violations],
      gates: [gate],
      figures: {
        servers: servers.length,
        "capacity, calls per second": Math.round(capacity),
        "offered per second": Math.round(capacity * LOAD_SHARE),
        "max in flight": reported.maxInFlight,
        "p95 ms": round(quantile(latencies, 0.95)),
        "lag p99 ms": round(lag.p99),
        ...toFigures("lag while capacity was measured", idle),
      },
      times: { of: "a call from its planned start; the servers answer at once", ms: latencies },
    };
  });
}

const toFigures = (of: string, { p99, max }: Lag): Record<string, string> => ({
  [of]: `p99 ${round(p99)} ms, max ${round(max)} ms`,
});

async function configureServers(home: FaultHome, count: number): Promise<string[]> {
  const remote = await startRemoteLoad(home);
  const names = (kind: string, share: number): string[] =>
    Array.from({ length: Math.round(count * share) }, (_, number) => `${kind}${number}`);
  const [stdio, http] = [names("stdio", SHARES.stdio), names("http", SHARES.http)];
  const apis = names("api", 1 - SHARES.stdio - SHARES.http);
  const toEntries = (list: readonly string[], make: (name: string) => object) => list.map((name) => [name, make(name)]);
  home.configure(
    Object.fromEntries([
      ...toEntries(stdio, (name) => stdioLoad(home, name)),
      ...toEntries(http, (name) => remote.server(name)),
    ]),
    { adapters: Object.fromEntries(toEntries(apis, (name) => remote.adapter(name))) },
  );
  return [...stdio, ...http, ...apis];
}

/** Starting a hundred servers on few cores is not part of the measurement. */
async function warm(gateway: Gateway, servers: readonly string[]): Promise<void> {
  const left = [...servers];
  const work = async (): Promise<void> => {
    for (let server = left.shift(); server !== undefined; server = left.shift()) {
      for (;;) {
        const outcome = await gateway.execute({ server, tool: "read", arguments: { id: `warm-${server}` } });
        if (outcome.kind === "answer") break;
        if (outcome.kind !== "error" || outcome.error["retryable"] !== true) throw new Error(describe(outcome));
      }
    }
  };
  await Promise.all(Array.from({ length: WARM_AT_ONCE }, work));
}

interface Plan {
  readonly servers: readonly string[];
  readonly count: number;
  readonly perSecond: number;
}

function planCalls(random: Random, { servers, count, perSecond }: Plan) {
  const toCall = (number: number): Call => ({ id: `load-${number}`, server: random.pick(servers) });
  return planArrivals({ random, perSecond, seconds: count / perSecond, toCall });
}

function judge({ ledger }: FaultHome, finished: readonly Finished<Call, Outcome>[]): string[] {
  return finished.flatMap(({ call: { id, server }, ending }) => {
    if (ending.kind !== "answer") return [`${id} of ${server} ended in ${describe(ending)}`];
    const sent = ledger.of(id, "call");
    const reported = JSON.stringify(ending.result).includes(`done ${id}`);
    return [
      ...(reported ? [] : [`${id} of ${server} got a wrong answer`]),
      ...(sent.length === 1 ? [] : [`${id} of ${server} reached ${sent.length} servers`]),
    ];
  });
}

function findUnfair(finished: readonly Finished<Call, Outcome>[]): string[] {
  const byServer = new Map<string, number[]>();
  for (const { call, latencyMs } of finished) {
    byServer.set(call.server, [...(byServer.get(call.server) ?? []), latencyMs]);
  }
  const mean = (list: readonly number[]): number => list.reduce((sum, one) => sum + one, 0) / list.length;
  return ["stdio", "http", "api"].flatMap((kind) => {
    const own = [...byServer].filter(([server]) => server.startsWith(kind));
    const all = mean(own.flatMap(([, latencies]) => latencies));
    return own
      .filter(([, latencies]) => mean(latencies) > MAX_UNFAIR * all)
      .map(
        ([server, latencies]) =>
          `${server} took ${round(mean(latencies))} ms, other servers of its kind ${round(all)} ms`,
      );
  });
}
