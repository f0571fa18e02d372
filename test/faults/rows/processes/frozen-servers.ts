// Servers are suspended in the middle of a call, some permanently: the call times out, the gateway replaces a server
// that does not resume, and discards late answers.
import { eventually, isRunning } from "../../../support/eventually.js";
import { type Gateway, openGateway } from "../../support/gateway.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { createRandom } from "../../support/random.js";
import { describe } from "../../support/replay.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { timed } from "../../support/timing.js";

const TIMEOUT_MS = 300;
const PULSE_TIMEOUT_MS = 700;
/** After a sixth crash within a minute the circuit breaker opens. */
const FREEZES_PER_SERVER = 5;
const AFTER = 5;
/** Time limit for calls that must be answered, including the start of a server. */
const ENOUGH = { timeout: 30 };

interface Place {
  readonly home: FaultHome;
  readonly gateway: Gateway;
  readonly violations: string[];
}

/** `count`: how often a server is suspended. */
export async function frozenServers({ count, seed, dist }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    const random = createRandom(seed);
    const names = Array.from({ length: Math.ceil(count / FREEZES_PER_SERVER) }, (_, number) => `s${number}`);
    home.configure(Object.fromEntries(names.map((name) => [name, home.stdio(name)])), {
      execution: { timeoutMs: TIMEOUT_MS },
      upstreams: { pulseTimeoutMs: PULSE_TIMEOUT_MS },
    });
    const gateway = await openGateway(home, { dist });
    const violations: string[] = [];
    const ms: number[] = [];
    let replaced = 0;
    for (let number = 0; number < count; number += 1) {
      const wakes = random.chance(0.5);
      const place = { home, gateway, violations };
      ms.push(await freeze(place, { server: names[number % names.length]!, id: `frozen-${number}`, wakes }));
      if (!wakes) replaced += 1;
    }
    await gateway.close();
    return {
      title: "suspended servers",
      n: count * (AFTER + 1),
      injected: count,
      violations,
      figures: { "timeout of a call, ms (shortened)": TIMEOUT_MS, resumed: count - replaced, replaced },
      times: { of: "a call to a suspended server", ms },
    };
  });
}

interface Freeze {
  readonly server: string;
  readonly id: string;
  readonly wakes: boolean;
}

async function freeze({ home, gateway, violations }: Place, { server, id, wakes }: Freeze): Promise<number> {
  const expect = async (marker: string): Promise<void> => {
    const outcome = await gateway.execute({ server, tool: "effect", arguments: { id: marker }, options: ENOUGH });
    const isOwn = outcome.kind === "answer" && JSON.stringify(outcome.result).includes(`done ${marker} as`);
    if (!isOwn) violations.push(`${marker} was answered with ${describe(outcome)}`);
  };
  await expect(`${id}-before`);
  const { pid } = await home.ledger.waitFor(`${id}-before`, "answer");
  process.kill(pid, "SIGSTOP");
  const { value, ms } = await timed(() => gateway.execute({ server, tool: "effect", arguments: { id } }));
  if (value.kind !== "error" || value.code !== "TOOL_EXECUTION_TIMEOUT")
    violations.push(`${id}: a call to a suspended server ended in ${describe(value)}`);
  if (wakes) {
    process.kill(pid, "SIGCONT");
    await home.ledger.waitFor(id, "answer");
  } else if (!(await isGone(pid))) {
    violations.push(`${id}: a suspended server was not replaced`);
    process.kill(pid, "SIGKILL");
  }
  for (let number = 0; number < AFTER; number += 1) await expect(`${id}-after-${number}`);
  const effects = home.ledger.of(id, "effect").length;
  if (effects > 1) violations.push(`${id}: ${effects} effects of one call`);
  return ms;
}

const isGone = (pid: number): Promise<boolean> =>
  eventually(() => !isRunning(pid), PULSE_TIMEOUT_MS * 10).then(
    () => true,
    () => false,
  );
