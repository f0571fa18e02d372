// Servers write to standard error without end, or close it: calls keep working, and memory does not grow.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { testServer } from "../../../support/gateway.js";
import { descendantsOf, peakRssOf, rssOf } from "../../support/census.js";
import { type Gateway, openGateway } from "../../support/gateway.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { describe } from "../../support/replay.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { round } from "../../support/measure.js";
import { judgeTime, p99, timed, together } from "../../support/timing.js";

const MIB = 1024 * 1024;
/** Garbage of reading only: the gateway keeps 64 KiB of the output. */
const RSS_GATE_MIB = 128;
const CALL_GATE_MS = 250;

/** `count`: the number of calls to each server. */
export async function stderrFloods({ count, dist }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    const { command, args } = testServer("faulty.mjs", "banner", home.folder);
    const withoutStderr = `exec 2>&-; exec "${command}" ${args.map((arg) => `"${arg}"`).join(" ")}`;
    const flood = testServer("faulty.mjs", "stderr-flood", home.folder);
    home.configure({
      quiet: { command, args },
      closed: { command: "sh", args: ["-c", withoutStderr] },
      flood,
    });
    const gateway = await openGateway(home, { dist });
    const violations: string[] = [];
    for (const server of ["quiet", "closed", "flood"]) await callOften(gateway, server, 1, violations);
    const quiet = await callOften(gateway, "quiet", count, violations);
    const closed = await callOften(gateway, "closed", count, violations);
    const direct = await callDirectly(home, flood, count);
    const before = rssOf(gateway.pid);
    const [written, from] = [writtenBelow(gateway.pid), performance.now()];
    const flooded = await callOften(gateway, "flood", count, violations);
    const seconds = (performance.now() - from) / 1000;
    const bytes = writtenBelow(gateway.pid) - written;
    const grown = (peakRssOf(gateway.pid) - before) / MIB;
    if (grown > RSS_GATE_MIB) violations.push(`memory grew by ${grown.toFixed(0)} MiB, ${RSS_GATE_MIB} are allowed`);
    if (bytes < MIB) violations.push("the server wrote too little to standard error");
    const judged = together([
      judgeTime({ of: "calls during the flood", ms: flooded, gateMs: CALL_GATE_MS, control: direct }),
      judgeTime({
        of: "calls of a server with closed standard error",
        ms: closed,
        gateMs: CALL_GATE_MS,
        control: quiet,
      }),
    ]);
    violations.push(...judged.violations);
    await gateway.close();
    return {
      title: "servers that flood or close standard error",
      n: count * 3,
      injected: count * 2,
      violations,
      gates: judged.gates,
      figures: {
        "MB written to standard error": Math.round(bytes / 1e6),
        "MB per second": Math.round(bytes / 1e6 / seconds),
        "memory grew by MiB": round(grown),
        "calls of a quiet server p99 ms": round(p99(quiet)),
        "direct calls of the flooding server, p99 ms": round(p99(direct)),
      },
      times: { of: "calls of the server that floods", ms: flooded },
    };
  });
}

async function callOften(gateway: Gateway, server: string, calls: number, violations: string[]): Promise<number[]> {
  const found: number[] = [];
  for (let number = 0; number < calls; number += 1) {
    const { value, ms } = await timed(() => gateway.execute({ server, tool: "echo", arguments: { number } }));
    found.push(ms);
    if (value.kind !== "answer") violations.push(`a call to ${server} ended in ${describe(value)}`);
  }
  return found;
}

/** The same flood, read by the test alone: a server that writes so much is slow by itself. */
async function callDirectly(
  home: FaultHome,
  { command, args }: { command: string; args: string[] },
  calls: number,
): Promise<number[]> {
  const child = spawn(command, args, { stdio: "pipe" });
  home.own(child);
  child.stderr.resume();
  const ask = async (): Promise<void> => {
    child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{}}}\n');
    await once(child.stdout, "data");
  };
  await ask();
  const found: number[] = [];
  for (let number = 0; number < calls; number += 1) found.push((await timed(ask)).ms);
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
  return found;
}

/** Bytes that the child processes have written in total. */
function writtenBelow(pid: number): number {
  return descendantsOf(pid).reduce((sum, child) => {
    try {
      return sum + Number(/wchar: (\d+)/.exec(readFileSync(`/proc/${child}/io`, "utf8"))?.[1] ?? 0);
    } catch {
      return sum;
    }
  }, 0);
}
