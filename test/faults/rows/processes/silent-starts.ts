// Servers never answer the handshake, a fifth of all servers and the first one: the gateway gives up at the timeout, and
// no other server waits for them.
import { openGateway } from "../../support/gateway.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { waitFor } from "../../support/deadline.js";
import { livingOf, quickServer } from "../../support/quick-servers.js";
import { describe } from "../../support/replay.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { listServers } from "../../support/scripted.js";
import { round } from "../../support/measure.js";
import { judgeFigure, judgeTime, p99, timed, together } from "../../support/timing.js";

/** The default. */
const START_TIMEOUT_MS = 30_000;
/** With few servers, to save time. */
const SHORT_TIMEOUT_MS = 4000;
const FEW = 50;
/** End of input, SIGTERM a second later, SIGKILL two seconds after that. */
const END_LIMIT_MS = 5000;
const CALL_GATE_MS = 1000;
/** The highest allowed delay of the other servers compared with a run without silent servers, on a busy machine. */
const LATER_MS = 1000;
const LATER_TIMES = 1.25;
/** The same on an idle machine. */
const GATE = 1.1;

/** `count`: the number of servers. */
export async function silentStarts({ count, dist }: RowOptions): Promise<RowResult> {
  const silent = Array.from({ length: Math.ceil(count / 5) }, (_, number) => `a-silent${number}`);
  const others = Array.from({ length: count - silent.length }, (_, number) => `other${number}`);
  const timeoutMs = count < FEW ? SHORT_TIMEOUT_MS : START_TIMEOUT_MS;
  const runControl = () => inHome((home) => start(home, dist, { silent: [], others, timeoutMs }));
  const before = await runControl();
  return await inHome(async (home) => {
    const found = await start(home, dist, { silent, others, timeoutMs });
    const after = await runControl();
    // The load of the machine changes between runs: the slower of the two control runs counts.
    const control = after.knownMs > before.knownMs ? after : before;
    const { violations } = found;
    for (const one of [...before.violations, ...after.violations]) violations.push(`without silent servers: ${one}`);
    const judged = together([
      judgeFigure({
        of: "from the start until the other servers are available",
        seen: found.knownMs,
        max: control.knownMs * GATE,
        beyond: Math.max(control.knownMs * LATER_TIMES, control.knownMs + LATER_MS),
        unit: "ms",
      }),
      judgeTime({
        of: "first calls of the other servers",
        ms: found.callMs,
        gateMs: CALL_GATE_MS,
        control: control.callMs,
      }),
    ]);
    violations.push(...judged.violations);
    return {
      title: "servers that never answer the handshake",
      n: count,
      injected: silent.length,
      violations,
      gates: judged.gates,
      figures: {
        "start timeout, ms": timeoutMs,
        "others available after, ms": Math.round(found.knownMs),
        "others available without silent servers, ms": Math.round(control.knownMs),
        "p99 of first calls without silent servers, ms": round(p99(control.callMs)),
        "silent servers failed after, ms": Math.round(found.failedMs),
      },
      times: { of: "the first call of another server while silent servers start", ms: found.callMs },
    };
  });
}

interface Servers {
  readonly silent: readonly string[];
  readonly others: readonly string[];
  readonly timeoutMs: number;
}

async function start(home: FaultHome, dist: string, { silent, others, timeoutMs }: Servers) {
  const toSilent = (name: string): object => ({
    command: "sh",
    args: ["-c", `echo "start ${name} $$" >> "${home.folder}/quick.log"; exec sleep 1000`],
  });
  home.configure(
    {
      ...Object.fromEntries(silent.map((name) => [name, toSilent(name)])),
      ...Object.fromEntries(others.map((name) => [name, quickServer(home, name)])),
    },
    { upstreams: { startTimeoutMs: timeoutMs } },
  );
  const from = performance.now();
  const gateway = await openGateway(home, { dist });
  const violations: string[] = [];
  const callMs: number[] = [];
  for (const server of others.slice(-Math.ceil(others.length / 4))) {
    const { value, ms } = await timed(() => gateway.execute({ server, tool: "who", arguments: {} }));
    callMs.push(ms);
    if (value.kind !== "answer") violations.push(`a call to ${server} ended in ${describe(value)}`);
  }
  const isKnown = async (): Promise<boolean> =>
    (await listServers(gateway)).filter(({ name, toolCount }) => others.includes(name) && toolCount > 0).length ===
    others.length;
  await waitFor(isKnown, "list of all other servers");
  const knownMs = performance.now() - from;
  const isGivenUp = async (): Promise<boolean> =>
    (await listServers(gateway)).filter(({ name, status }) => silent.includes(name) && status === "error").length ===
    silent.length;
  await waitFor(isGivenUp, "end of the silent servers' starts");
  const failedMs = performance.now() - from;
  const leftovers = (): string[] => livingOf(home).flatMap(({ name }) => (silent.includes(name) ? [name] : []));
  await waitFor(() => leftovers().length === 0, "end of the silent servers", END_LIMIT_MS).catch(() => undefined);
  violations.push(...leftovers().map((name) => `the start of ${name} failed, but its process still runs`));
  await gateway.close();
  return { violations, callMs, knownMs, failedMs };
}
