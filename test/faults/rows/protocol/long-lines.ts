// Lines on standard input without a line feed: the gateway skips a line that is too long, and the session continues.
import { writeFileSync } from "node:fs";
import { peakRssOf } from "../../support/census.js";
import { withDeadline } from "../../support/deadline.js";
import { inHome } from "../../support/home.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { openStdioWire, type StdioWire, type Reported, toLine } from "../../support/stdio-wire.js";

const MIB = 1024 * 1024;
const LINE_MIB = 100;
const WARM_MIB = 20;
const LIMIT_MS = 60_000;
const MAX_GROWTH_MIB = 4;
/** With fewer lines the lowest peak is not meaningful. */
const MIN_JUDGED = 5;
const OVER = -32600;

/** `count`: the number of lines of 100 MiB. */
export async function longLines({ count, dist }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    home.configure({ one: home.stdio("one") });
    const wire = await openStdioWire(home, { dist });
    const reported: Reported[] = [];
    wire.onTold((message) => reported.push(message));
    const violations: string[] = [];
    const times: number[] = [];
    const peaks: number[] = [];
    await sendLine(wire, WARM_MIB, "warm");
    const controls: number[] = [];
    for (let index = 0; index < count; index += 1) {
      controls.push(await peakDuring(wire, () => sendShort(wire, index)));
      reported.length = 0;
      const from = performance.now();
      peaks.push(await peakDuring(wire, () => sendLine(wire, LINE_MIB, index)));
      times.push(performance.now() - from);
      const codes = reported.map(({ id, error }) => `${id} ${error?.code}`).join();
      if (codes !== `long ${index} ${OVER}`) violations.push(`a line of ${LINE_MIB} MiB was answered with ${codes}`);
    }
    // The runtime decides when it frees memory; memory that is kept shows in every round.
    const growth = Math.min(...peaks) - Math.min(...controls);
    if (count >= MIN_JUDGED && growth > MAX_GROWTH_MIB)
      violations.push(`a line takes ${growth.toFixed(1)} MiB more at its peak than the same bytes in short lines`);
    await wire.close();
    return {
      title: "lines of 100 MiB on stdio",
      n: count,
      injected: count,
      violations,
      figures: {
        "MiB per line": LINE_MIB,
        "peak MiB": toRange(peaks),
        "peak MiB of the same bytes in short lines": toRange(controls),
        "lowest peak above the control, MiB": Number(growth.toFixed(1)),
      },
      times: { of: "a long line and the valid call after it", ms: times },
    };
  });
}

const toRange = (values: readonly number[]): string =>
  `${Math.min(...values).toFixed(1)} to ${Math.max(...values).toFixed(1)}`;

/** A request without an end, in chunks of a pipe, then its end and a valid call, which is answered. */
async function sendLine(wire: StdioWire, mebibytes: number, index: number | string): Promise<void> {
  const piece = Buffer.alloc(64 * 1024, "x");
  await wire.write(`{"jsonrpc":"2.0","id":"long ${index}","method":"tools/call","params":{"name":"`);
  for (let sent = 0; sent < mebibytes * MIB; sent += piece.length) await wire.write(piece);
  await wire.write("\n");
  const id = `proper ${index}`;
  const given = { server: "one", tool: "read", arguments: { id } };
  const call = toLine({ id, method: "tools/call", params: { name: "execute_tool", arguments: given } });
  const { result } = await withDeadline(wire.ask(id, call), LIMIT_MS, "the call after a long line");
  if (!JSON.stringify(result ?? "").includes(`done ${id}`))
    throw new Error(`${id} was answered with ${JSON.stringify(result)}.`);
}

/** The same number of bytes in short lines without content: the cost of reading the pipe itself. */
async function sendShort(wire: StdioWire, index: number): Promise<void> {
  const line = Buffer.from(`${" ".repeat(4095)}\n`.repeat(16));
  for (let sent = 0; sent < LINE_MIB * MIB; sent += line.length) await wire.write(line);
  await sendLine(wire, 0, `short ${index}`);
}

/** The peak of resident memory since the last reset (proc(5), clear_refs). */
async function peakDuring({ pid }: StdioWire, work: () => Promise<void>): Promise<number> {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
  await work();
  return peakRssOf(pid) / MIB;
}
