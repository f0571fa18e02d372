// Callers cancel calls to a healthy server, or the calls time out: the server keeps running.
import { type Gateway, openGateway } from "../../support/gateway.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { describe } from "../../support/replay.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { round } from "../../support/measure.js";
import { timed } from "../../support/timing.js";

const TIMEOUT_MS = 300;
const AT_ONCE = 16;

/** `count`: how many calls are abandoned; one half is cancelled by callers, the other half times out. */
export async function abandonedCalls({ count, dist }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    home.configure(
      { patient: home.stdio("patient") },
      { execution: { timeoutMs: TIMEOUT_MS }, upstreams: { startTimeoutMs: 30_000 } },
    );
    const gateway = await openGateway(home, { dist });
    const violations: string[] = [];
    const before = await findServer(home, gateway, "before", violations);
    const timeoutMs: number[] = [];
    for (let done = 0; done < count; done += AT_ONCE) {
      const batch = Array.from({ length: Math.min(AT_ONCE, count - done) }, (_, number) => done + number);
      await Promise.all(
        batch.map(async (number) => {
          const id = `given-up-${number}`;
          if (number % 2 === 0) await cancel(home, gateway, id);
          else timeoutMs.push(await runOut(gateway, id, violations));
        }),
      );
    }
    const after = await findServer(home, gateway, "after", violations);
    if (after !== before) violations.push(`the server ${before} was replaced by ${after}`);
    const pids = new Set(home.ledger.entries().map(({ pid }) => pid));
    if (pids.size !== 1) violations.push(`calls were answered by ${pids.size} processes`);
    await gateway.close();
    return {
      title: "cancelled and timed-out calls",
      n: count,
      injected: count,
      violations,
      figures: {
        "cancelled by their callers": count - timeoutMs.length,
        "timed out": timeoutMs.length,
        "slowest timeout error, ms": round(Math.max(...timeoutMs)),
        "servers used": pids.size,
      },
    };
  });
}

/** A cancelled request gets no answer. */
async function cancel(home: FaultHome, gateway: Gateway, id: string): Promise<void> {
  const requestId = gateway.newId();
  const args = { server: "patient", tool: "effect", arguments: { id, mode: "hang" } };
  const call = {
    jsonrpc: "2.0",
    id: requestId,
    method: "tools/call",
    params: { name: "execute_tool", arguments: args },
  };
  gateway.send(JSON.stringify(call));
  await home.ledger.waitFor(id, "effect");
  gateway.send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } }));
}

async function runOut(gateway: Gateway, id: string, violations: string[]): Promise<number> {
  const call = { server: "patient", tool: "effect", arguments: { id, mode: "hang" } };
  const { value, ms } = await timed(() => gateway.execute(call));
  if (value.kind !== "error" || value.code !== "TOOL_EXECUTION_TIMEOUT")
    violations.push(`${id} ended in ${describe(value)}`);
  return ms;
}

async function findServer(home: FaultHome, gateway: Gateway, id: string, violations: string[]): Promise<number> {
  const outcome = await gateway.execute({
    server: "patient",
    tool: "read",
    arguments: { id },
    options: { timeout: 30 },
  });
  if (outcome.kind !== "answer") violations.push(`${id}: a call ended in ${describe(outcome)}`);
  return (await home.ledger.waitFor(id, "answer")).pid;
}
