// A configuration file is written 100 times per second: the gateway reads it about once per second, and at the end uses
// the last version.
import { takeCensus } from "../../support/census.js";
import { waitFor } from "../../support/deadline.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { openReloading } from "../../support/reloading-gateway.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const WRITES_PER_SECOND = 100;
/** The reload that had started before the first write, and the one caused by the last write. */
const RELOADS_MORE = 2;

/** `count`: for how many seconds it is written. */
export async function manyWrites({ count, dist }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    const gateway = await openReloading(home, dist, toConfig(home, 0));
    const call = async (): Promise<string> => {
      const outcome = await gateway.execute({ server: "steady", tool: "read", arguments: { id: "steady" } });
      return outcome.kind === "answer" ? "answer" : JSON.stringify(outcome);
    };
    await call();
    await waitFor(
      () => takeCensus(gateway.pid).processes <= 2,
      "end of servers that were started only to list their tools",
    );
    const before = takeCensus(gateway.pid);
    const violations: string[] = [];
    const from = performance.now();
    let writes = 0;
    let answers = 0;
    while (performance.now() - from < count * 1000) {
      writes += 1;
      gateway.save(toConfig(home, writes));
      if (writes % WRITES_PER_SECOND === 0) {
        const reported = await call();
        if (reported === "answer") answers += 1;
        else violations.push(`after ${writes} writes a call got ${reported}`);
      }
      await until(from + (writes * 1000) / WRITES_PER_SECOND);
    }
    const seconds = (performance.now() - from) / 1000;
    const reloadsMeanwhile = gateway.reloads();
    const last = `turn-${writes}`;
    const isLast = async (): Promise<boolean> => (await gateway.servers()).includes(last);
    await waitFor(isLast, "last configuration in use", 10_000).catch((error: Error) => violations.push(error.message));
    const names = await gateway.servers();
    if (names.join() !== ["steady", last].join()) violations.push(`in the end the servers are ${names.join(", ")}`);
    if (reloadsMeanwhile > seconds + RELOADS_MORE)
      violations.push(`${reloadsMeanwhile} reloads in ${Math.round(seconds)} s`);
    if (gateway.refusals() > 0) violations.push(`${gateway.refusals()} configurations were rejected`);
    const isSettled = (): boolean => takeCensus(gateway.pid).processes <= before.processes;
    await waitFor(isSettled, "end of the removed servers", 15_000).catch(() => undefined);
    const after = takeCensus(gateway.pid);
    if (after.processes > before.processes) violations.push(`${after.processes - before.processes} processes are left`);
    await gateway.close();
    return {
      title: "a configuration file that is written continuously",
      n: writes,
      injected: writes,
      violations,
      figures: {
        seconds: Math.round(seconds),
        writes,
        reloads: reloadsMeanwhile,
        "calls answered meanwhile": answers,
        "additional processes": after.processes - before.processes,
        "additional descriptors": after.descriptors - before.descriptors,
      },
    };
  });
}

/** One server stays; the other is different in every write. */
function toConfig(home: FaultHome, number: number): object {
  const tools = [{ name: "read", description: `The tool of write ${number}.` }];
  return { servers: { steady: home.stdio("steady"), [`turn-${number}`]: { ...home.stdio("turn"), tools } } };
}

function until(at: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, at - performance.now())));
}
