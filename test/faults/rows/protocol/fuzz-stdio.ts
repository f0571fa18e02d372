// Malformed messages on standard input: each gets the correct JSON-RPC error, and no server receives it.
import { BROKEN_KINDS, breakFrame, type BrokenFrame } from "../../support/broken-frames.js";
import { rssOf } from "../../support/census.js";
import { withDeadline } from "../../support/deadline.js";
import { inHome } from "../../support/home.js";
import { createRandom, type Random } from "../../support/random.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { openStdioWire, type StdioWire, type Reported, toLine } from "../../support/stdio-wire.js";

const TURN = 1000;
const TURN_LIMIT_MS = 60_000;
const MAX_GROWTH_MIB = 20;
/** By then the heap has reached its working size. */
const WARM_SHARE = 0.5;
const MIB = 1024 * 1024;

/** `count`: the number of frames. */
export async function fuzzStdio({ count, seed, dist, onProgress }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    home.configure({ one: home.stdio("one") });
    const wire = await openStdioWire(home, { dist });
    const violations: string[] = [];
    const answers = collectAnswers(wire, violations);
    const random = createRandom(seed);
    const turns = Math.max(2, Math.ceil(count / TURN));
    const size = Math.ceil(count / turns);
    const times: number[] = [];
    let warm = 0;
    await readOnce(wire, -1);
    const from = performance.now();
    for (let turn = 0; turn < turns; turn += 1) {
      const frames = Array.from({ length: size }, (_, index) => breakFrame(`${turn}-${index}`, random, "one"));
      answers.expect(frames);
      await write(wire, frames, random);
      times.push(await readOnce(wire, turn));
      await withDeadline(answers.settled(), TURN_LIMIT_MS, "a turn's errors").catch((error: Error) =>
        violations.push(`turn ${turn}: ${error.message} ${answers.missing()}`),
      );
      if (violations.length > 20 || !wire.isAlive) break;
      if (turn === Math.floor(turns * WARM_SHARE)) warm = rssOf(wire.pid);
      if ((turn + 1) % 20 === 0) onProgress?.(`${(turn + 1) * size} of ${turns * size} frames`);
    }
    const seconds = (performance.now() - from) / 1000;
    const growth = (rssOf(wire.pid) - warm) / MIB;
    if (growth > MAX_GROWTH_MIB) violations.push(`memory grew by ${growth.toFixed(1)} MiB`);
    const reached = home.ledger.entries().filter(({ kind, id }) => kind === "call" && !id.startsWith("proper "));
    violations.push(...reached.map(({ id }) => `${id} reached the server`));
    if (/unhandled|uncaught|    at /i.test(wire.said())) violations.push(`it said ${wire.said().slice(-500)}`);
    await wire.close();
    return {
      title: "malformed messages on stdio",
      n: turns * size,
      injected: turns * size,
      violations,
      figures: {
        kinds: BROKEN_KINDS.length,
        "errors returned": answers.reported(),
        "valid calls between": turns,
        "reached a server": reached.length,
        "memory growth, MiB": Number(growth.toFixed(1)),
        "frames per second": Math.round((turns * size) / seconds),
      },
      times: { of: "a valid call after a thousand frames", ms: times },
    };
  });
}

/** In chunks that end at random positions. */
async function write(wire: StdioWire, frames: readonly BrokenFrame[], random: Random): Promise<void> {
  const bytes = Buffer.concat(frames.flatMap((one) => [one.bytes, Buffer.from("\n")]));
  for (let at = 0; at < bytes.length; ) {
    const end = at + random.between(1, 60_000);
    await wire.write(bytes.subarray(at, end));
    at = end;
  }
}

/** A valid call; returns its milliseconds. */
async function readOnce(wire: StdioWire, turn: number): Promise<number> {
  const id = `proper ${turn}`;
  const given = { server: "one", tool: "read", arguments: { id } };
  const call = { id, method: "tools/call", params: { name: "execute_tool", arguments: given } };
  const from = performance.now();
  const { result, error } = await withDeadline(wire.ask(id, toLine(call)), TURN_LIMIT_MS, id);
  if (!JSON.stringify(result ?? error).includes(`done ${id}`))
    throw new Error(`${id} was answered with ${JSON.stringify(result ?? error)}.`);
  return performance.now() - from;
}

/** Compares the answers with the expected ones: by id if there is one, otherwise by error code. */
function collectAnswers(wire: StdioWire, violations: string[]) {
  const due = new Map<string, number>();
  let open = 0;
  let reported = 0;
  let wake = (): void => undefined;
  const keyOf = (id: unknown, code: number | undefined): string => `${JSON.stringify(id)} ${code}`;
  const note = (key: string, by: number): void => {
    const left = (due.get(key) ?? 0) + by;
    if (left === 0) due.delete(key);
    else due.set(key, left);
  };
  wire.onTold((message: Reported) => {
    if (message.method !== undefined) return;
    reported += 1;
    const key = keyOf(message.id, message.error?.code);
    if ((due.get(key) ?? 0) <= 0) violations.push(`unexpected: ${JSON.stringify(message).slice(0, 300)}`);
    else {
      note(key, -1);
      open -= 1;
    }
    if (open === 0) wake();
  });
  return {
    expect(frames: readonly BrokenFrame[]): void {
      for (const { code, id } of frames.flatMap((one) => one.due)) {
        note(keyOf(id, code), 1);
        open += 1;
      }
    },
    settled: (): Promise<void> => (open === 0 ? Promise.resolve() : new Promise((resolve) => (wake = resolve))),
    missing: (): string =>
      [...due]
        .slice(0, 10)
        .map(([key, left]) => `${left} × ${key}`)
        .join("; "),
    reported: (): number => reported,
  };
}
