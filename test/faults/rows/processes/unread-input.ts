// Servers stop reading standard input: the call ends at the write timeout, the gateway replaces the server, and memory
// does not grow.
import { rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { takeCensus } from "../../support/census.js";
import { waitFor } from "../../support/deadline.js";
import { type Gateway, openGateway } from "../../support/gateway.js";
import { inHome } from "../../support/home.js";
import { quickServer } from "../../support/quick-servers.js";
import { describe } from "../../support/replay.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { round } from "../../support/measure.js";
import { judgeTime, p99, timed } from "../../support/timing.js";

const HEARING = fileURLToPath(new URL("../../support/huge-server.mjs", import.meta.url));
/** The default is thirty seconds. */
const WRITE_TIMEOUT_MS = 1000;
const TOLERANCE_MS = WRITE_TIMEOUT_MS / 10;
/** A client may send at most 1 MiB; a pipe holds 64 KiB. */
const BYTES = 1_000_000;
/** After a sixth crash within a minute the circuit breaker opens. */
const ROUNDS = 5;
const AT_ONCE = 5;
/** Pipes of exited processes are closed a little later. */
const PIPES_LIMIT_MS = 60_000;
const MIB = 1024 * 1024;
const RSS_GATE_MIB = 32;

/** `count`: how many calls are not read. */
export async function unreadInput({ count, dist }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    const names = Array.from({ length: Math.ceil(count / ROUNDS) }, (_, number) => `unread${number}`);
    const unreadServers = Object.fromEntries(names.map((name) => [name, quickServer(home, name, "unread")]));
    const reading = { command: process.execPath, args: [HEARING, home.folder] };
    home.configure({ ...unreadServers, reading }, { upstreams: { writeTimeoutMs: WRITE_TIMEOUT_MS } });
    const gateway = await openGateway(home, { dist });
    const violations: string[] = [];
    await callAll(gateway, names, violations, true);
    const control = await callReading(gateway, violations);
    const unread = home.path("unread");
    writeFileSync(unread, "");
    const playRound = async (): Promise<number[]> => {
      await callAll(gateway, names, violations, true);
      return await callAll(gateway, names, violations, false);
    };
    const ms = await playRound();
    const before = takeCensus(gateway.pid);
    for (let round = 1; round < ROUNDS; round += 1) ms.push(...(await playRound()));
    const isBack = (): boolean => takeCensus(gateway.pid).descriptors <= before.descriptors + names.length;
    // The checks below report what is still open.
    await waitFor(isBack, "end of the pipes", PIPES_LIMIT_MS).catch(() => undefined);
    const after = takeCensus(gateway.pid);
    const grown = (after.rssBytes - before.rssBytes) / MIB;
    if (grown > RSS_GATE_MIB) violations.push(`memory grew by ${grown.toFixed(0)} MiB over ${ms.length} rounds`);
    if (after.descriptors > before.descriptors + names.length)
      violations.push(`descriptors grew from ${before.descriptors} to ${after.descriptors}`);
    const early = ms.filter((one) => one < WRITE_TIMEOUT_MS - TOLERANCE_MS);
    if (early.length > 0) violations.push(`${early.length} calls ended before their deadline`);
    const lateMs = ms.map((one) => Math.max(one - WRITE_TIMEOUT_MS, 0));
    const judged = judgeTime({
      of: "delay of the error after the deadline",
      ms: lateMs,
      gateMs: TOLERANCE_MS,
      control,
    });
    violations.push(...judged.violations);
    rmSync(unread);
    await callAll(gateway, names, violations, true);
    await gateway.close();
    return {
      title: "servers that do not read standard input",
      n: ms.length,
      injected: ms.length,
      violations,
      gates: [judged.gate],
      figures: {
        "deadline, ms (shortened)": WRITE_TIMEOUT_MS,
        "bytes per call": BYTES,
        "memory grew by MiB": round(grown),
        "calls of the same size that are read, p99 ms": round(p99(control)),
      },
      times: { of: "from a call that is not read to its error", ms },
    };
  });
}

/** The same calls to a server that reads; the first call, which starts the server, does not count. */
async function callReading(gateway: Gateway, violations: string[]): Promise<number[]> {
  const call = async (): Promise<number> => {
    const args = { text: "read", ballast: "x".repeat(BYTES) };
    const { value, ms } = await timed(() => gateway.execute({ server: "reading", tool: "small", arguments: args }));
    if (value.kind !== "answer") violations.push(`a call that is read ended in ${describe(value)}`);
    return ms;
  };
  await call();
  const found: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1)
    found.push(...(await Promise.all(Array.from({ length: AT_ONCE }, call))));
  return found;
}

/** A few at a time, because each has 1 MB. */
async function callAll(
  gateway: Gateway,
  servers: readonly string[],
  violations: string[],
  isRead: boolean,
): Promise<number[]> {
  const found: number[] = [];
  const args = isRead ? {} : { text: "x".repeat(BYTES) };
  for (let from = 0; from < servers.length; from += AT_ONCE) {
    const batch = servers.slice(from, from + AT_ONCE).map(async (server) => {
      const { value, ms } = await timed(() => gateway.execute({ server, tool: "who", arguments: args }));
      found.push(ms);
      const isRight = isRead
        ? value.kind === "answer"
        : value.kind === "error" && value.code === "TOOL_EXECUTION_TIMEOUT" && value.executed === "unknown";
      if (!isRight) violations.push(`a call that ${isRead ? "is" : "is not"} read ended in ${describe(value)}`);
    });
    await Promise.all(batch);
  }
  return found;
}
