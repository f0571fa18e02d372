// Long calls: progress messages keep a call alive, and a call without progress ends at its timeout.
import { testServer } from "../../../support/gateway.js";
import { openGateway, type Outcome } from "../../support/gateway.js";
import { inHome } from "../../support/home.js";
import { describe } from "../../support/replay.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { round } from "../../support/measure.js";
import { timed } from "../../support/timing.js";

const REPORTS_PER_SILENCE = 4;
const SILENCES_PER_CALL = 6;
const TOLERANCE = 0.5;

interface Case {
  readonly name: string;
  readonly args: { readonly ms: number; readonly every?: number };
  readonly isAnswered: boolean;
  /** When the call ends, in milliseconds. */
  readonly afterMs: number;
}

/** `count`: seconds of the long call; the limits are in proportion. */
export async function longCalls({ count, dist }: RowOptions): Promise<RowResult> {
  const longMs = count * 1000;
  const timeoutMs = longMs / SILENCES_PER_CALL;
  const maxTotalMs = longMs * 1.5;
  const every = timeoutMs / REPORTS_PER_SILENCE;
  const cases: Case[] = [
    { name: "long, with progress", args: { ms: longMs, every }, isAnswered: true, afterMs: longMs },
    { name: "long, without progress", args: { ms: longMs }, isAnswered: false, afterMs: timeoutMs },
    {
      name: "stalls after one progress message",
      args: { ms: longMs * 9, every: timeoutMs * 1.5 },
      isAnswered: false,
      afterMs: timeoutMs,
    },
    { name: "endless progress", args: { ms: longMs * 9, every }, isAnswered: false, afterMs: maxTotalMs },
  ];
  return await inHome(async (home) => {
    home.configure(
      { slow: testServer("echo.mjs", home.folder) },
      { execution: { timeoutMs: Math.round(timeoutMs), maxTotalMs: Math.round(maxTotalMs) } },
    );
    const gateway = await openGateway(home, { dist });
    await gateway.execute({ server: "slow", tool: "pid", arguments: {} });
    const violations: string[] = [];
    const took: Record<string, number> = {};
    await Promise.all(
      cases.map(async ({ name, args, isAnswered, afterMs }) => {
        const { value, ms } = await timed(() => gateway.execute({ server: "slow", tool: "sleep", arguments: args }));
        took[`${name}, seconds`] = round(ms / 1000);
        if (isAnswered ? value.kind !== "answer" : !isTimeout(value)) violations.push(`${name}: ${describe(value)}`);
        const isOff = ms < afterMs * 0.9 || ms > afterMs * (1 + TOLERANCE) + 1000;
        if (isOff) violations.push(`${name}: ended after ${Math.round(ms)} ms instead of ${Math.round(afterMs)}`);
      }),
    );
    const after = await gateway.execute({ server: "slow", tool: "pid", arguments: {} });
    if (after.kind !== "answer") violations.push(`the next call ended in ${describe(after)}`);
    await gateway.close();
    return {
      title: "long calls",
      n: cases.length,
      injected: cases.length,
      violations,
      figures: {
        "idle timeout, seconds (shortened)": round(timeoutMs / 1000),
        "total timeout, seconds (shortened)": round(maxTotalMs / 1000),
        ...took,
      },
    };
  });
}

const isTimeout = (outcome: Outcome): boolean =>
  outcome.kind === "error" && outcome.code === "TOOL_EXECUTION_TIMEOUT" && outcome.executed === "unknown";
