// Servers use all the memory that they may have, or keep starting processes: other servers are not affected, and no
// process is left.
import { type Gateway, openGateway } from "../../support/gateway.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { waitFor } from "../../support/deadline.js";
import { livingOf, quickServer, readQuickLog } from "../../support/quick-servers.js";
import { describe } from "../../support/replay.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { createLimitedGroup, type LimitedGroup } from "../../support/limited-group.js";
import { round, type Slice } from "../../support/measure.js";
import { createRandom } from "../../support/random.js";
import { judgeRatio, p99, timed } from "../../support/timing.js";

/** Calls before each fault: as many as run during one fault. */
const IDLE_CALLS = 100;
const END_LIMIT_MS = 5000;
/** The highest allowed ratio of another server's p99 to its p99 before. */
const GATE = 1.1;
/** A process that uses a whole core slows down every other process; a quarter of a second and a factor of five exceed that. */
const UNEXPLAINED = { times: 5, ms: 250 };

/** `count`: how often each of the two faults is injected, at most five times. */
export async function greedyServers(options: RowOptions): Promise<RowResult> {
  const groups = { greedy: createLimitedGroup("greedy"), bomb: createLimitedGroup("bomb") };
  try {
    return await runGroups(options, groups);
  } finally {
    for (const group of Object.values(groups)) group?.remove();
  }
}

type Groups = Readonly<Record<"greedy" | "bomb", LimitedGroup | undefined>>;

async function runGroups({ count, seed, dist }: RowOptions, groups: Groups): Promise<RowResult> {
  return await inHome(async (home) => {
    const greedy = quickServer(home, "greedy", groups.greedy === undefined ? "greedy" : "devours");
    const bomb = quickServer(home, "bomb", "bomb");
    home.configure({
      greedy: groups.greedy?.wrap(greedy) ?? greedy,
      bomb: groups.bomb?.wrap(bomb) ?? bomb,
      other: quickServer(home, "other"),
    });
    const gateway = await openGateway(home, { dist });
    const violations: string[] = [];
    await callOther(gateway, violations);
    const slices: Slice[] = [];
    for (let round = 0; round < count; round += 1) {
      for (const server of ["greedy", "bomb"]) {
        const control: number[] = [];
        for (let number = 0; number < IDLE_CALLS; number += 1) control.push(await callOther(gateway, violations));
        slices.push({ control, ours: await provoke(gateway, server, violations) });
      }
    }
    const [ms, idle] = [slices.flatMap(({ ours }) => ours), slices.flatMap(({ control }) => control)];
    const started = readQuickLog(home).filter(({ kind }) => kind === "child").length;
    const left = await findLeft(home);
    violations.push(...left.map((pid) => `process ${pid} of an exited server is left`));
    const refused = { memory: groups.greedy?.refused().memory ?? 0, processes: groups.bomb?.refused().processes ?? 0 };
    if (groups.greedy !== undefined && refused.memory === 0) violations.push("the limit of memory was never reached");
    if (groups.bomb !== undefined && refused.processes === 0)
      violations.push("the limit of processes was never reached");
    const random = createRandom(seed);
    const compared = { of: "calls of another server at the same time", slices, max: GATE, unexplained: UNEXPLAINED };
    const judged = judgeRatio({ ...compared, random });
    violations.push(...judged.violations);
    await gateway.close();
    return {
      title: "servers that exhaust resources",
      n: ms.length,
      injected: count * 2,
      violations,
      gates: [judged.gate],
      figures: {
        limits: groups.greedy?.about ?? "200 MB of memory by ulimit in the server's own process; no control group",
        "memory refused by the kernel": refused.memory,
        "processes refused by the kernel": refused.processes,
        "processes started": started,
        "of them left": left.length,
        "calls of another server while idle p99 ms": round(p99(idle)),
      },
      times: { of: "calls of another server at the same time", ms },
    };
  });
}

/** One failing call, and the durations of calls to another server in the meantime. */
async function provoke(gateway: Gateway, server: string, violations: string[]): Promise<number[]> {
  const state = { isOver: false };
  const call = gateway.execute({ server, tool: "who", arguments: {} }).then((outcome) => {
    state.isOver = true;
    if (outcome.kind !== "error" || outcome.code !== "TOOL_EXECUTION_ERROR" || outcome.executed !== "unknown")
      violations.push(`a call to ${server} ended in ${describe(outcome)}`);
  });
  const found: number[] = [];
  while (!state.isOver) found.push(await callOther(gateway, violations));
  await call;
  return found;
}

async function callOther(gateway: Gateway, violations: string[]): Promise<number> {
  const { value, ms } = await timed(() => gateway.execute({ server: "other", tool: "who", arguments: {} }));
  if (value.kind !== "answer") violations.push(`a call to another server ended in ${describe(value)}`);
  return ms;
}

/** Counts the remaining processes and then kills them. */
async function findLeft(home: FaultHome): Promise<number[]> {
  const left = (): number[] => livingOf(home).flatMap(({ kind, pid }) => (kind === "child" ? [pid] : []));
  await waitFor(() => left().length === 0, "end of all processes", END_LIMIT_MS).catch(() => undefined);
  const found = left();
  for (const pid of found) process.kill(pid, "SIGKILL");
  return found;
}
