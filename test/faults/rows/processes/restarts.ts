// One server is started and stopped 1,000 times: no process, file descriptor or memory is leaked.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { type Census, takeCensus } from "../../support/census.js";
import { type Gateway, openGateway } from "../../support/gateway.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { waitFor } from "../../support/deadline.js";
import { quickServer, readQuickLog } from "../../support/quick-servers.js";
import { isRunning } from "../../../support/eventually.js";
import { describe } from "../../support/replay.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { round } from "../../support/measure.js";
import { timed } from "../../support/timing.js";

const MIB = 1024 * 1024;
/** The first starts load code and fill caches. */
const SETTLING = 10;
const RSS_GATE_MIB = 32;

/** `count`: the number of restarts. */
export async function restarts({ count, dist, onProgress }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    home.configure({ one: quickServer(home, "one") }, { upstreams: { idleMs: 1 } });
    const gateway = await openGateway(home, { dist });
    const violations: string[] = [];
    const ms: number[] = [];
    for (let number = 0; number < SETTLING; number += 1) await restart(home, gateway, violations);
    const before = lookAt(home, gateway);
    const started = countStarts(home);
    let maxDescriptors = before.descriptors;
    let settledRss = before.rssBytes;
    for (let number = 0; number < count; number += 1) {
      ms.push(await restart(home, gateway, violations));
      // The heap reaches its working size during the first hundreds of calls.
      if (number === Math.floor(count / 2)) settledRss = lookAt(home, gateway).rssBytes;
      if (number % 100 !== 99) continue;
      maxDescriptors = Math.max(maxDescriptors, lookAt(home, gateway).descriptors);
      onProgress?.(`${number + 1} of ${count} restarts`);
    }
    const restarted = countStarts(home) - started;
    const after = lookAt(home, gateway);
    const zombies = countZombies(gateway.pid);
    const grown = (after.rssBytes - settledRss) / MIB;
    if (restarted < count) violations.push(`${restarted} restarts instead of ${count}`);
    if (zombies > 0) violations.push(`${zombies} zombies`);
    if (after.processes > before.processes)
      violations.push(`${before.processes} processes before, ${after.processes} after`);
    if (after.descriptors > before.descriptors)
      violations.push(`${before.descriptors} descriptors before, ${after.descriptors} after`);
    if (grown > RSS_GATE_MIB) violations.push(`memory grew by ${grown.toFixed(0)} MiB`);
    await gateway.close();
    return {
      title: "one server, started and stopped many times",
      n: restarted,
      injected: restarted,
      violations,
      figures: {
        zombies,
        "descriptors before": before.descriptors,
        "descriptors after": after.descriptors,
        "max descriptors": maxDescriptors,
        "memory grew by MiB in the second half": round(grown),
      },
      times: { of: "a call that starts its server", ms },
    };
  });
}

/** Files of the store do not count: the store opens some on first use, independent of server starts. */
function lookAt({ state }: FaultHome, { pid }: Gateway): Census {
  const folder = `/proc/${pid}/fd`;
  const own = readdirSync(folder).filter((name) => isOfStore(join(folder, name), state));
  const census = takeCensus(pid);
  return { ...census, descriptors: census.descriptors - own.length };
}

function isOfStore(descriptor: string, state: string): boolean {
  try {
    return readlinkSync(descriptor).startsWith(state);
  } catch {
    return false;
  }
}

/** A call, and the exit of the server that it has started. */
async function restart(home: FaultHome, gateway: Gateway, violations: string[]): Promise<number> {
  const { value, ms } = await timed(() => gateway.execute({ server: "one", tool: "who", arguments: {} }));
  if (value.kind !== "answer") {
    violations.push(`a call ended in ${describe(value)}`);
    return ms;
  }
  const pid = Number((value.result["content"] as { text: string }[])[0]?.text.split(" ")[1]);
  await waitFor(() => !isRunning(pid), `end of the server ${pid} of ${home.folder}`);
  return ms;
}

const countStarts = (home: FaultHome): number => readQuickLog(home).filter(({ kind }) => kind === "start").length;

/** Zombie processes: children that have exited and were not waited for. */
function countZombies(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
  return children.filter((child) => {
    try {
      return /\) Z /.test(readFileSync(`/proc/${child}/stat`, "utf8"));
    } catch {
      return false;
    }
  }).length;
}
