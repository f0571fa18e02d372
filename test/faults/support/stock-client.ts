// What the official SDK does when its server is killed during a call: the same server, the same kill.
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { eventually, isRunning } from "../../support/eventually.js";
import type { FaultHome } from "./home.js";
import { round } from "./measure.js";
import { p99 } from "./timing.js";

const LIMIT_MS = 2000;
const ORPHAN_LIMIT_MS = 500;

export interface StockKills {
  readonly command: string;
  readonly args: string[];
  readonly kills: number;
  /** The process to kill, given the process that has the call. */
  readonly toVictim: (server: number) => number;
}

/** A client of the official SDK with its own server. */
export async function openStock(
  command: string,
  args: string[],
): Promise<{ client: Client; transport: StdioClientTransport }> {
  const transport = new StdioClientTransport({ command, args, stderr: "ignore" });
  const client = new Client({ name: "stock", version: "1.0.0" });
  await client.connect(transport);
  return { client, transport };
}

export async function killStock(home: FaultHome, kills: StockKills): Promise<Record<string, number | string>> {
  const noticedMs: number[] = [];
  let nextAnswered = 0;
  let orphans = 0;
  for (let number = 0; number < kills.kills; number += 1) {
    const id = `stock-${kills.command === "sh" ? "wrapped" : "plain"}-${number}`;
    const { client } = await openStock(kills.command, kills.args);
    const call = { name: "effect", arguments: { id, mode: "hang" } };
    const ended = client.callTool(call, { timeout: LIMIT_MS }).then(
      () => "answered",
      (error: unknown) => ((error as { code?: unknown }).code === "REQUEST_TIMEOUT" ? "timeout" : "error"),
    );
    const { pid } = await home.ledger.waitFor(id, "effect");
    const from = performance.now();
    process.kill(kills.toVictim(pid), "SIGKILL");
    await ended;
    const ms = performance.now() - from;
    if (ms < LIMIT_MS * 0.9) noticedMs.push(ms);
    const next = client.callTool({ name: "read", arguments: { id: `${id}-next` } }, { timeout: LIMIT_MS });
    nextAnswered += await next.then(
      () => 1,
      () => 0,
    );
    await client.close().catch(() => undefined);
    await eventually(() => !isRunning(pid), ORPHAN_LIMIT_MS).catch(() => undefined);
    if (isRunning(pid)) {
      orphans += 1;
      process.kill(pid, "SIGKILL");
    }
  }
  return {
    kills: kills.kills,
    [`noticed within ${LIMIT_MS / 1000} s`]: noticedMs.length,
    ...(noticedMs.length === 0 ? {} : { "noticed p99 ms": round(p99(noticedMs)) }),
    "next call answered": nextAnswered,
    "servers left after close()": orphans,
  };
}
