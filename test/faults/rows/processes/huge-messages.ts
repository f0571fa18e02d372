// Messages of 11, 100 and 500 MiB in one line: only the call that requested one fails; other calls are answered.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { peakRssOf, rssOf } from "../../support/census.js";
import { type Gateway, openGateway } from "../../support/gateway.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { type Lag, readLag } from "../../support/lag.js";
import { quickServer } from "../../support/quick-servers.js";
import { describe } from "../../support/replay.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { openStock } from "../../support/stock-client.js";
import { round } from "../../support/measure.js";
import { judgeTime, p99, timed, together } from "../../support/timing.js";

const SERVER = fileURLToPath(new URL("../../support/huge-server.mjs", import.meta.url));
const SIZES_MIB = [11, 100, 500];
const SAME_CONNECTION = 10;
const IDLE_CALLS = 100;
const MIB = 1024 * 1024;
const RSS_GATE_MIB = 32;
const LAG_GATE_MS = 50;
const CALL_GATE_MS = 250;
const STOCK_LIMIT_MS = 20_000;

interface Tally {
  readonly violations: string[];
  readonly elsewhereMs: number[];
  innocent: number;
  innocentFailures: number;
}

/** `count`: MiB of the largest message. */
export async function hugeMessages({ count, dist, onProgress }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    const huge = { command: process.execPath, args: [SERVER, home.folder] };
    home.configure({ huge, other: quickServer(home, "other") });
    const gateway = await openGateway(home, { dist, measuresLag: true });
    await callOther(gateway, 1);
    await readLag(home, gateway.pid);
    const control = await callOther(gateway, IDLE_CALLS);
    await gateway.execute({ server: "huge", tool: "small", arguments: { text: "warm" } });
    const idleLag = await readLag(home, gateway.pid);
    const tally: Tally = { violations: [], elsewhereMs: [], innocent: 0, innocentFailures: 0 };
    const sizes = SIZES_MIB.filter((mib) => mib <= count);
    const grown: number[] = [];
    const lags: Lag[] = [];
    for (const mib of sizes) {
      for (const last of [false, true]) {
        const before = forgetPeak(gateway.pid);
        await sendHuge(gateway, { mib, last }, tally);
        grown.push((peakRssOf(gateway.pid) - before) / MIB);
        lags.push(await readLag(home, gateway.pid));
      }
      onProgress?.(`${mib} MiB`);
    }
    const { violations } = tally;
    const [maxGrowth, lag] = [Math.max(...grown), Math.max(...lags.map((one) => one.p99))];
    if (maxGrowth > RSS_GATE_MIB)
      violations.push(`memory grew by ${maxGrowth.toFixed(0)} MiB, ${RSS_GATE_MIB} are allowed`);
    const judged = together([
      judgeTime({ of: "lag of the event loop, p99", ms: [lag], gateMs: LAG_GATE_MS, control: [idleLag.p99] }),
      judgeTime({ of: "calls of another server", ms: tally.elsewhereMs, gateMs: CALL_GATE_MS, control }),
    ]);
    violations.push(...judged.violations);
    await gateway.close();
    return {
      title: "messages that are too large",
      n: tally.innocent,
      injected: sizes.length * 2,
      violations,
      gates: judged.gates,
      figures: {
        "sizes, MiB": sizes.join(" "),
        "other calls": tally.innocent,
        "of them failed": tally.innocentFailures,
        "memory grew by at most MiB": round(maxGrowth),
        "event loop lag p99 ms": round(lag),
        "event loop lag p99 ms, idle": round(idleLag.p99),
        "event loop lag max ms": round(Math.max(...lags.map((one) => one.max))),
        "calls of another server while idle p99 ms": round(p99(control)),
      },
      times: { of: "calls of another server at the same time", ms: tally.elsewhereMs },
      stock: await askStock(home, huge),
    };
  });
}

/** The peak counts from here on, if the system supports resetting it. */
function forgetPeak(pid: number): number {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, "5");
  } catch {
    return peakRssOf(pid);
  }
  return rssOf(pid);
}

async function sendHuge(gateway: Gateway, { mib, last }: { mib: number; last: boolean }, tally: Tally): Promise<void> {
  const state = { isOver: false };
  const call = gateway.execute({ server: "huge", tool: "huge", arguments: { mib, last } }).then((outcome) => {
    state.isOver = true;
    if (outcome.kind !== "error" || outcome.code !== "RESULT_TOO_LARGE")
      tally.violations.push(`${mib} MiB ended in ${describe(outcome)}`);
  });
  const others = Array.from({ length: SAME_CONNECTION }, async (_, number) => {
    const text = `others ${mib} ${number}`;
    const outcome = await gateway.execute({ server: "huge", tool: "small", arguments: { text } });
    count(tally, outcome.kind === "answer" && textOf(outcome.result) === text, `${text} ended in ${describe(outcome)}`);
  });
  while (!state.isOver) {
    const [ms = 0] = await callOther(gateway, 1, tally);
    tally.elsewhereMs.push(ms);
  }
  await Promise.all([call, ...others]);
}

function count(tally: Tally, isFine: boolean, violation: string): void {
  tally.innocent += 1;
  if (isFine) return;
  tally.innocentFailures += 1;
  tally.violations.push(violation);
}

async function callOther(gateway: Gateway, calls: number, tally?: Tally): Promise<number[]> {
  const found: number[] = [];
  for (let number = 0; number < calls; number += 1) {
    const { value, ms } = await timed(() => gateway.execute({ server: "other", tool: "who", arguments: {} }));
    found.push(ms);
    if (tally !== undefined)
      count(tally, value.kind === "answer", `a call to another server ended in ${describe(value)}`);
  }
  return found;
}

const textOf = (result: Record<string, unknown>): unknown => (result["content"] as { text?: string }[])[0]?.text;

/** The same server and the smallest of the messages, with other calls on the same connection. */
async function askStock(home: FaultHome, { command, args }: { command: string; args: string[] }) {
  const { client } = await openStock(command, args);
  const settled = (call: Promise<unknown>): Promise<boolean> =>
    call.then(
      () => true,
      () => false,
    );
  const timeout = STOCK_LIMIT_MS;
  const huge = settled(client.callTool({ name: "huge", arguments: { mib: SIZES_MIB[0], last: false } }, { timeout }));
  const others = Array.from({ length: SAME_CONNECTION }, (_, number) =>
    settled(client.callTool({ name: "small", arguments: { text: `${home.folder} ${number}` } }, { timeout })),
  );
  const outcomes = await Promise.all(others);
  const isAnswered = await huge;
  const next = await settled(client.callTool({ name: "small", arguments: {} }, { timeout: 2000 }));
  await client.close().catch(() => undefined);
  return {
    "message, MiB": SIZES_MIB[0] ?? 0,
    "its call": isAnswered ? "answered" : "failed",
    "other calls": outcomes.length,
    "of them failed": outcomes.filter((isFine) => !isFine).length,
    "next call": next ? "answered" : "failed",
  };
}
