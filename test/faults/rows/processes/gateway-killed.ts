// A gateway that is killed with a hundred servers below it, some with children, some that mind neither end of input nor
// SIGTERM: nothing of them is left two seconds later, and the next gateway starts each once.
import { type Gateway, openGateway } from "../../support/gateway.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { livingOf, quickServer, readQuickLog, type QuickMode } from "../../support/quick-servers.js";
import { waitFor } from "../../support/deadline.js";
import { describe } from "../../support/replay.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const LIMIT_MS = 2000;
const AT_ONCE = 20;

/** `count`: how many servers there are; a fifth of each odd kind. */
export async function gatewayKilled({ count, dist, onProgress }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    const servers = Array.from({ length: count }, (_, number): [string, QuickMode | undefined] => [
      `s${number}`,
      number % 5 === 0 ? "family" : number % 5 === 1 ? "stubborn" : undefined,
    ]);
    home.configure(Object.fromEntries(servers.map(([name, mode]) => [name, quickServer(home, name, mode)])));
    const names = servers.map(([name]) => name);
    const first = await openGateway(home, { dist });
    const violations = await askAll(first, names);
    const before = livingOf(home);
    onProgress?.(`${before.length} processes live`);
    const from = performance.now();
    await first.kill();
    const goneMs = await waitFor(() => livingOf(home).length === 0, "end of all servers", LIMIT_MS).then(
      () => performance.now() - from,
      () => undefined,
    );
    const survivors = goneMs === undefined ? livingOf(home) : [];
    violations.push(
      ...survivors.map(({ kind, name }) => `the ${kind} of ${name} lives ${LIMIT_MS} ms after its gateway`),
    );
    for (const { pid } of survivors) process.kill(pid, "SIGKILL");
    const duplicates = await startAgain(home, dist, names, violations);
    return {
      title: "a gateway killed with servers below it",
      n: names.length,
      injected: 1,
      violations,
      figures: {
        servers: names.length,
        "processes below it": before.length,
        [`survivors after ${LIMIT_MS / 1000} s`]: survivors.length,
        "all gone after ms": Math.round(goneMs ?? Number.NaN),
        "started twice by the next": duplicates,
      },
    };
  });
}

async function askAll(gateway: Gateway, names: readonly string[]): Promise<string[]> {
  const violations: string[] = [];
  for (let from = 0; from < names.length; from += AT_ONCE) {
    await Promise.all(
      names.slice(from, from + AT_ONCE).map(async (server) => {
        const outcome = await gateway.execute({ server, tool: "who", arguments: {} });
        if (outcome.kind !== "answer") violations.push(`a call of ${server} ended in ${describe(outcome)}`);
      }),
    );
  }
  return violations;
}

/** Two calls of each at the same time share one start. */
async function startAgain(
  home: FaultHome,
  dist: string,
  names: readonly string[],
  violations: string[],
): Promise<number> {
  const seen = readQuickLog(home).length;
  const next = await openGateway(home, { dist });
  violations.push(
    ...(await askAll(
      next,
      names.flatMap((name) => [name, name]),
    )),
  );
  const starts = readQuickLog(home)
    .slice(seen)
    .filter(({ kind }) => kind === "start");
  const often = names.filter((name) => starts.filter((start) => start.name === name).length !== 1);
  violations.push(...often.map((name) => `the next gateway did not start ${name} exactly once`));
  await next.close();
  const left = livingOf(home);
  violations.push(...left.map(({ name }) => `${name} outlived a gateway that ended in order`));
  return often.length;
}
