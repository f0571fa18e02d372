// A configuration that is written a hundred times a second: it is read about once a second, and in the end as it was left.
import { takeCensus } from "../../support/census.js";
import { waitFor } from "../../support/deadline.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { openReloading } from "../../support/reloading-gateway.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const WRITES_PER_SECOND = 100;
/** What had begun before the first write, and what the last one still causes. */
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
    await waitFor(() => takeCensus(gateway.pid).processes <= 2, "end of servers that were only asked for their tools");
    const before = takeCensus(gateway.pid);
    const violations: string[] = [];
    const from = performance.now();
    let writes = 0;
    let answers = 0;
    while (performance.now() - from < count * 1000) {
      writes += 1;
      gateway.save(toConfig(home, writes));
      if (writes % WRITES_PER_SECOND === 0) {
        const told = await call();
        if (told === "answer") answers += 1;
        else violations.push(`after ${writes} writes a call got ${told}`);
      }
      await until(from + (writes * 1000) / WRITES_PER_SECOND);
    }
    const seconds = (performance.now() - from) / 1000;
    const reloadsMeanwhile = gateway.reloads();
    const last = `turn-${writes}`;
    const isLast = async (): Promise<boolean> => (await gateway.servers()).includes(last);
    await waitFor(isLast, "last configuration in force", 10_000).catch((error: Error) =>
      violations.push(error.message),
    );
    const names = await gateway.servers();
    if (names.join() !== ["steady", last].join()) violations.push(`in the end there are ${names.join(", ")}`);
    if (reloadsMeanwhile > seconds + RELOADS_MORE)
      violations.push(`${reloadsMeanwhile} reloads in ${Math.round(seconds)} s`);
    if (gateway.refusals() > 0) violations.push(`${gateway.refusals()} configurations were taken for wrong`);
    const isSettled = (): boolean => takeCensus(gateway.pid).processes <= before.processes;
    await waitFor(isSettled, "end of the servers that are gone", 15_000).catch(() => undefined);
    const after = takeCensus(gateway.pid);
    if (after.processes > before.processes) violations.push(`${after.processes - before.processes} processes are left`);
    await gateway.close();
    return {
      title: "a configuration that is written without end",
      n: writes,
      injected: writes,
      violations,
      figures: {
        seconds: Math.round(seconds),
        writes,
        reloads: reloadsMeanwhile,
        "calls answered meanwhile": answers,
        "children more": after.processes - before.processes,
        "descriptors more": after.descriptors - before.descriptors,
      },
    };
  });
}

/** One server stays, one is another with every write. */
function toConfig(home: FaultHome, number: number): object {
  const tools = [{ name: "read", description: `The tool of write ${number}.` }];
  return { servers: { steady: home.stdio("steady"), [`turn-${number}`]: { ...home.stdio("turn"), tools } } };
}

function until(at: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, at - performance.now())));
}
