// Servers killed during their calls, directly or through their wrapper shell, one after the other.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { eventually, isRunning } from "../../support/eventually.js";
import { takeCensus } from "./census.js";
import { type Gateway, openGateway, type Outcome } from "./gateway.js";
import { type FaultHome, inHome } from "./home.js";
import { describe } from "./replay.js";
import type { RowOptions, RowResult } from "./row.js";
import { killStock } from "./stock-client.js";
import { round } from "./measure.js";
import { judgeTime, p99, timed, together } from "./timing.js";

/** After a sixth crash within a minute the circuit breaker opens. */
const KILLS_PER_SERVER = 5;
const MAX_CONTROLS = 10;
const MAX_STOCK_KILLS = 3;
/** The official SDK may wait for seconds at each kill. */
const KILLS_PER_STOCK_KILL = 5;
const ERROR_GATE_MS = 250;
const NEXT_GATE_MS = 1000;

export interface Killed {
  readonly title: string;
  /** The server has a wrapper shell, and the shell is killed. */
  readonly isWrapped: boolean;
}

interface Tally {
  readonly violations: string[];
  readonly errorMs: number[];
  readonly nextMs: number[];
  readonly pids: number[];
}

/** `count`: the number of kills. */
export async function killServers({ count, dist, onProgress }: RowOptions, killed: Killed): Promise<RowResult> {
  return await inHome(async (home) => {
    const names = Array.from({ length: Math.ceil(count / KILLS_PER_SERVER) }, (_, number) => `s${number}`);
    home.configure(Object.fromEntries(names.map((name) => [name, toServer(home, name, killed)])));
    const gateway = await openGateway(home, { dist });
    const tally: Tally = { violations: [], errorMs: [], nextMs: [], pids: [] };
    for (const name of names) await warm(gateway, name);
    const before = takeCensus(gateway.pid);
    for (let number = 0; number < count; number += 1) {
      await killOnce({ home, gateway, killed, tally }, names[number % names.length]!, number);
      if (number % 50 === 49) onProgress?.(`${number + 1} of ${count} kills`);
    }
    const orphans = await findLiving(tally.pids);
    const after = takeCensus(gateway.pid);
    const controls = Math.min(count, MAX_CONTROLS);
    const control = await killDirectly(home, controls);
    const firstMs = await timeStarts(home, controls);
    const { violations } = tally;
    violations.push(...orphans.map((pid) => `process ${pid} outlived its server`));
    violations.push(...findGrowth(before, after));
    const judged = together([
      judgeTime({ of: "from the kill to the error at the caller", ms: tally.errorMs, gateMs: ERROR_GATE_MS, control }),
      judgeTime({ of: "the next call", ms: tally.nextMs, gateMs: NEXT_GATE_MS, control: firstMs }),
    ]);
    violations.push(...judged.violations);
    await gateway.close();
    return {
      title: killed.title,
      n: count,
      injected: count,
      violations,
      gates: judged.gates,
      figures: {
        servers: names.length,
        orphans: orphans.length,
        "next call p99 ms": round(p99(tally.nextMs)),
        "kill detection without a gateway, p99 ms": round(p99(control)),
        "a start without a gateway p99 ms": round(p99(firstMs)),
        "descriptors before": before.descriptors,
        "descriptors after": after.descriptors,
      },
      times: { of: "from the kill to the error at the caller", ms: tally.errorMs },
      ...(count < KILLS_PER_STOCK_KILL ? {} : { stock: await killStock(home, toStockKills(home, killed, count)) }),
    };
  });
}

function toStockKills(home: FaultHome, killed: Killed, count: number): Parameters<typeof killStock>[1] {
  const kills = Math.min(Math.ceil(count / KILLS_PER_STOCK_KILL), MAX_STOCK_KILLS);
  return { ...toServer(home, "stock", killed), kills, toVictim: victimOf(killed) };
}

function toServer(home: FaultHome, name: string, { isWrapped }: Killed): { command: string; args: string[] } {
  const { command, args } = home.stdio(name) as { command: string; args: string[] };
  if (!isWrapped) return { command, args };
  return {
    command: "sh",
    args: ["-c", `FAULTD_STAYS=1 ${[command, ...args].map((word) => `"${word}"`).join(" ")}; :`],
  };
}

async function warm(gateway: Gateway, server: string): Promise<void> {
  const outcome = await gateway.execute({ server, tool: "read", arguments: { id: `warm-${server}` } });
  if (outcome.kind !== "answer") throw new Error(`The first call of ${server} ended in ${describe(outcome)}.`);
}

/** The process to kill, given the process that has the call. */
function victimOf({ isWrapped }: Killed): (server: number) => number {
  return isWrapped ? parentOf : (server) => server;
}

function parentOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}

interface Place {
  readonly home: FaultHome;
  readonly gateway: Gateway;
  readonly killed: Killed;
  readonly tally: Tally;
}

async function killOnce({ home, gateway, killed, tally }: Place, server: string, number: number): Promise<void> {
  const id = `kill-${number}`;
  const call = gateway.execute({ server, tool: "effect", arguments: { id, mode: "hang" } });
  const { pid } = await home.ledger.waitFor(id, "effect");
  const victim = victimOf(killed)(pid);
  tally.pids.push(pid, victim);
  const { value: outcome, ms } = await timed(() => {
    process.kill(victim, "SIGKILL");
    return call;
  });
  tally.errorMs.push(ms);
  if (!isRightError(outcome))
    tally.violations.push(`${id}: a call whose server was killed ended in ${describe(outcome)}`);
  const next = await timed(() => gateway.execute({ server, tool: "read", arguments: { id: `next-${number}` } }));
  tally.nextMs.push(next.ms);
  if (next.value.kind !== "answer") tally.violations.push(`${id}: the next call ended in ${describe(next.value)}`);
}

const isRightError = (outcome: Outcome): boolean =>
  outcome.kind === "error" && outcome.code === "TOOL_EXECUTION_ERROR" && outcome.executed === "unknown";

/** Counts the remaining processes and then kills them. */
async function findLiving(pids: readonly number[]): Promise<number[]> {
  const living = (): number[] => pids.filter(isRunning);
  await eventually(() => living().length === 0, 5000).catch(() => undefined);
  const left = living();
  for (const pid of left) process.kill(pid, "SIGKILL");
  return left;
}

/** As many processes and descriptors as before; one or two more may belong to unrelated work. */
function findGrowth(before: { processes: number; descriptors: number }, after: typeof before): string[] {
  const SPARE = 3;
  return (["processes", "descriptors"] as const)
    .filter((what) => after[what] > before[what] + SPARE)
    .map((what) => `${what}: ${before[what]} before the kills, ${after[what]} after them`);
}

/** The time that the system needs to notify a parent of a kill. */
async function killDirectly(home: FaultHome, times: number): Promise<number[]> {
  const { command, args } = home.stdio("control") as { command: string; args: string[] };
  const found: number[] = [];
  for (let number = 0; number < times; number += 1) {
    const child = spawn(command, args, { stdio: "pipe" });
    home.own(child);
    await ask(child);
    const ended = once(child, "exit");
    found.push((await timed(() => (child.kill("SIGKILL"), ended))).ms);
  }
  return found;
}

/** The time from the start of the server to its first answer. */
async function timeStarts(home: FaultHome, times: number): Promise<number[]> {
  const { command, args } = home.stdio("control") as { command: string; args: string[] };
  const found: number[] = [];
  for (let number = 0; number < times; number += 1) {
    const { value: child, ms } = await timed(async () => {
      const started = spawn(command, args, { stdio: "pipe" });
      home.own(started);
      await ask(started);
      return started;
    });
    found.push(ms);
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }
  return found;
}

async function ask(child: ReturnType<typeof spawn>): Promise<void> {
  child.stdin?.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  if (child.stdout !== null) await once(child.stdout, "data");
}
