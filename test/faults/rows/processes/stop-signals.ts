// Gateways are stopped by a signal in the middle of calls: short calls are answered, the others get a definite error.
import { writeFileSync } from "node:fs";
import { openGateway, type Outcome } from "../../support/gateway.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { waitFor } from "../../support/deadline.js";
import { livingOf, quickServer, readQuickLog } from "../../support/quick-servers.js";
import { describe } from "../../support/replay.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { judgeTime, timed } from "../../support/timing.js";

const SIGNALS = ["SIGTERM", "SIGINT"] as const;
const IN_FLIGHT = 50;
const LIMIT_MS = 10_000;
const STUBBORN = ["stubborn0", "stubborn1"];
const MEEK = ["meek0", "meek1"];

/** `count`: how many gateways are stopped. */
export async function stopSignals({ count, dist }: RowOptions): Promise<RowResult> {
  const violations: string[] = [];
  const ms: number[] = [];
  const endings: Record<string, number> = {};
  for (let round = 0; round < count; round += 1) {
    const signal = SIGNALS[round % SIGNALS.length]!;
    const stop = await inHome((home) => stopOnce(home, dist, signal));
    violations.push(...stop.violations.map((one) => `${signal}: ${one}`));
    ms.push(stop.ms);
    for (const ending of stop.endings) endings[ending] = (endings[ending] ?? 0) + 1;
  }
  const { gate } = judgeTime({ of: "from the signal to the exit of the gateway", ms, gateMs: LIMIT_MS, control: [] });
  return {
    title: "gateways stopped by a signal in the middle of calls",
    n: count * IN_FLIGHT,
    injected: count,
    violations,
    gates: [gate],
    figures: { "in flight": IN_FLIGHT, ...endings },
    times: { of: "from the signal to the exit of the gateway", ms },
  };
}

async function stopOnce(home: FaultHome, dist: string, signal: NodeJS.Signals) {
  home.configure({
    ...Object.fromEntries(STUBBORN.map((name) => [name, quickServer(home, name, "stubborn")])),
    ...Object.fromEntries(MEEK.map((name) => [name, home.stdio(name)])),
  });
  const gateway = await openGateway(home, { dist });
  const gate = home.path("gate");
  const short = Array.from({ length: IN_FLIGHT / 2 }, (_, number) => `short-${number}`);
  for (const server of STUBBORN) await gateway.execute({ server, tool: "who", arguments: {} });
  const shortCalls = short.map((id, number) =>
    gateway.execute({ server: MEEK[number % MEEK.length]!, tool: "effect", arguments: { id, gate } }),
  );
  const longCalls = short.map((_, number) =>
    gateway.execute({ server: STUBBORN[number % STUBBORN.length]!, tool: "hang", arguments: {} }),
  );
  for (const id of short) await home.ledger.waitFor(id, "effect");
  const isAsked = (): boolean =>
    readQuickLog(home).filter(({ kind }) => kind === "call").length >= longCalls.length + STUBBORN.length;
  await waitFor(isAsked, "arrival of the long calls");
  const { ms } = await timed(() => {
    gateway.signal(signal);
    writeFileSync(gate, "");
    return gateway.gone;
  });
  const violations = [
    ...(await findWrong(shortCalls, ({ kind }) => kind === "answer")),
    ...(await findWrong(longCalls, isDefinite)),
    ...livingOf(home).map(({ name }) => `${name} survived the gateway`),
    ...(ms > LIMIT_MS ? [`it took ${Math.round(ms)} ms`] : []),
    ...(gateway.exitCode === 0 ? [] : [`the gateway exited with ${gateway.exitCode}`]),
  ];
  const outcomes = await Promise.all([...shortCalls, ...longCalls]);
  return { ms, violations, endings: outcomes.map(describe) };
}

/** The answer states the outcome of the call; a closed connection alone does not count. */
const isDefinite = (outcome: Outcome): boolean => outcome.kind === "error" && outcome.code === "CANCELLED";

async function findWrong(
  calls: readonly Promise<Outcome>[],
  isRight: (outcome: Outcome) => boolean,
): Promise<string[]> {
  const outcomes = await Promise.all(calls);
  return outcomes.filter((outcome) => !isRight(outcome)).map((outcome) => `a call ended in ${describe(outcome)}`);
}
