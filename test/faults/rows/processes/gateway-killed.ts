// A gateway is killed while 100 servers run, some with child processes, some that ignore the end of input and SIGTERM:
// after two seconds no process is left, and the next gateway starts each server once.
import { type Gateway, openGateway } from "../../support/gateway.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { livingOf, quickServer, readQuickLog, type QuickMode } from "../../support/quick-servers.js";
import { waitFor } from "../../support/deadline.js";
import { describe } from "../../support/replay.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const LIMIT_MS = 2000;
const AT_ONCE = 20;

/** `count`: the number of servers; a fifth of each special kind. */
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
    onProgress?.(`${before.length} processes run`);
    const from = performance.now();
    await first.kill();
    const goneMs = await waitFor(() => livingOf(home).length === 0, "end of all servers", LIMIT_MS).then(
      () => performance.now() - from,
      () => undefined,
    );
    const survivors = goneMs === undefined ? livingOf(home) : [];
    violations.push(
      ...survivors.map(
        ({ kind, name }) => `the ${kind} of ${name} still runs ${LIMIT_MS} ms after its gateway was killed`,
      ),
    );
    for (const { pid } of survivors) process.kill(pid, "SIGKILL");
    const duplicates = await startAgain(home, dist, names, violations);
    return {
      title: "a gateway killed while its servers run",
      n: names.length,
      injected: 1,
      violations,
      figures: {
        servers: names.length,
        "child processes": before.length,
        [`survivors after ${LIMIT_MS / 1000} s`]: survivors.length,
        "all processes gone after, ms": Math.round(goneMs ?? Number.NaN),
        "servers started twice by the next gateway": duplicates,
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
        if (outcome.kind !== "answer") violations.push(`a call to ${server} ended in ${describe(outcome)}`);
      }),
    );
  }
  return violations;
}

/** Two concurrent calls to a server share one start. */
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
  violations.push(...left.map(({ name }) => `${name} survived a gateway that exited normally`));
  return often.length;
}
