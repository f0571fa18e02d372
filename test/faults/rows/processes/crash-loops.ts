// Servers exit at once, or on every call, while clients keep calling: the gateway waits longer and longer before it
// restarts them.
import { readFileSync } from "node:fs";
import { type Gateway, openGateway, type Outcome } from "../../support/gateway.js";
import { inHome } from "../../support/home.js";
import { quickServer, readQuickLog } from "../../support/quick-servers.js";
import { describe } from "../../support/replay.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { round } from "../../support/measure.js";
import { judgeFigure, p99, timed } from "../../support/timing.js";

const CALL_EVERY_MS = 50;
/** After more than five failures within a minute the circuit breaker opens for the next minute. */
const MAX_FAILURES = 6;
/** A server that exits before its first message is started once more with the older handshake; both count as one failure. */
const STARTS_PER_FAILURE = 2;
const TICKS_PER_SECOND = 100;
/** Share of a core for forty rejected and twenty answered calls a second. A gateway that retries without limit uses a whole core. */
const MAX_PERCENT = 30;
const BEYOND_PERCENT = 80;

/** `count`: seconds, at most sixty. */
export async function crashLoops({ count, dist }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    const ends = `echo "start ends $$" >> "${home.folder}/quick.log"; echo nothing works >&2; exit 7`;
    home.configure({
      ends: { command: "sh", args: ["-c", ends] },
      leaves: quickServer(home, "leaves", "leaves"),
      good: quickServer(home, "good"),
    });
    const gateway = await openGateway(home, { dist });
    await gateway.execute({ server: "good", tool: "who", arguments: {} });
    const outcomes: Promise<Outcome>[] = [];
    const goodMs: number[] = [];
    const violations: string[] = [];
    const [from, busyFrom] = [performance.now(), cpuSecondsOf(gateway.pid)];
    while (performance.now() - from < count * 1000) {
      outcomes.push(...["ends", "leaves"].map((server) => gateway.execute({ server, tool: "who", arguments: {} })));
      goodMs.push(await callGood(gateway, violations));
      await new Promise((resolve) => setTimeout(resolve, CALL_EVERY_MS));
    }
    const busy = (cpuSecondsOf(gateway.pid) - busyFrom) / ((performance.now() - from) / 1000);
    const found = await Promise.all(outcomes);
    const wrong = found.filter((one) => one.kind !== "error" || !isClassified(one.code));
    violations.push(...wrong.map((one) => `a call to a server that exits ended in ${describe(one)}`));
    const startsOf = (name: string): number =>
      readQuickLog(home).filter((entry) => entry.kind === "start" && entry.name === name).length;
    const [ended, left] = [startsOf("ends"), startsOf("leaves")];
    if (ended > MAX_FAILURES * STARTS_PER_FAILURE)
      violations.push(`a server that exits at startup was started ${ended} times`);
    // One start for its list.
    if (left > MAX_FAILURES + 1) violations.push(`a server that exits at every call was started ${left} times`);
    if (!gateway.isAlive) violations.push("the gateway has exited");
    const judged = judgeFigure({
      of: "CPU time during these calls",
      seen: busy * 100,
      max: MAX_PERCENT,
      beyond: BEYOND_PERCENT,
      unit: "% of a core",
    });
    violations.push(...judged.violations);
    await gateway.close();
    return {
      title: "servers that exit repeatedly",
      n: found.length,
      injected: ended + left,
      violations,
      gates: [judged.gate],
      figures: {
        seconds: count,
        calls: found.length,
        "starts of the server that exits at once": ended,
        "starts of the server that exits at every call": left,
        "% of a core during these calls": Math.round(busy * 100),
        "calls of another server p99 ms": round(p99(goodMs)),
      },
    };
  });
}

const isClassified = (code: string): boolean =>
  ["SERVER_CONNECTION_ERROR", "TOOL_EXECUTION_ERROR", "UPSTREAM_STARTING", "RATE_LIMITED"].includes(code);

async function callGood(gateway: Gateway, violations: string[]): Promise<number> {
  const { value, ms } = await timed(() => gateway.execute({ server: "good", tool: "who", arguments: {} }));
  if (value.kind !== "answer") violations.push(`a call to the healthy server ended in ${describe(value)}`);
  return ms;
}

/** Processor time of the process itself. */
function cpuSecondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
