// Thousands of connections that send almost nothing: each is closed after its timeout, and other callers are not
// affected.
import { readFileSync } from "node:fs";
import { modern } from "../../../support/mcp-http.js";
import { rssOf, takeCensus } from "../../support/census.js";
import { waitFor } from "../../support/deadline.js";
import { inHome } from "../../support/home.js";
import { describeAnswer, openRaw, type RawConnection, toRequest } from "../../support/raw-http.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { openServedGateway, type ServedGateway, tokenEntry, tokenOf } from "../../support/served-gateway.js";
import { round, toSlices } from "../../support/measure.js";
import { createRandom } from "../../support/random.js";
import { judgeRatio, p99 } from "../../support/timing.js";

const HEAD_SHARE = 0.6;
const AT_ONCE = 100;
const DRIP_MS = 2000;
const STEP_MS = 10;
/** The gateway's time limits for headers and for a request, plus its check interval and a margin for a slow machine. */
const HEAD_LIMIT_MS = 10_000 + 2000 + 8000;
const BODY_LIMIT_MS = 60_000 + 2000 + 8000;
const CONTROL_CALLS = 300;
const CALL_LIMIT_MS = 20_000;
const FLOODS = 20;
/** The highest allowed ratio of the p99 of regular calls to the p99 before and after. */
const GATE = 1.2;
/** The test process also serves thousands of connections and is slower because of it. */
const UNEXPLAINED = { times: 5, ms: 0 };
const SLICES = 8;
/** From this number on, the row waits a minute for the slow bodies to end. */
const WORTH_A_MINUTE = 1000;

const HEADERS = {
  Host: "localhost",
  Authorization: `Bearer ${tokenOf("ann")}`,
  "Content-Type": "application/json",
  Accept: "application/json, text/event-stream",
};

/** `count`: the number of connections; the system must allow slightly more file descriptors. */
export async function slowSockets({ count, seed, dist, onProgress }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    const size = Math.min(count, maxDescriptors() - 500);
    home.configure({ one: home.stdio("one") }, { http: { tokens: [tokenEntry("ann")] } });
    const gateway = await openServedGateway(home, { dist });
    const callAlone = (): Promise<number[]> => callWhile(gateway, (calls) => calls < CONTROL_CALLS);
    // The first calls are slower than all later ones.
    await callAlone();
    const control = await callAlone();
    const before = takeCensus(gateway.pid);
    const heads = await openMany(gateway.port, Math.floor(size * HEAD_SHARE), {
      first: HALF_HEAD,
      drop: "X-Drop: y\r\n",
    });
    const bodies = await openMany(gateway.port, size - heads.length, { first: HALF_BODY, drop: " " });
    onProgress?.(`${size} connections are open`);
    const stopDripping = drip([...heads, ...bodies]);
    const kibibytes = (rssOf(gateway.pid) - before.rssBytes) / 1024 / size;
    const others = await callWhile(gateway, () => heads.some(({ connection }) => connection.isOpen));
    const violations = judgeEnds(heads, HEAD_LIMIT_MS, "head");
    const areBodiesAwaited = size >= WORTH_A_MINUTE;
    if (areBodiesAwaited) {
      await waitFor(
        () => bodies.every(({ connection }) => !connection.isOpen),
        "end of the slow bodies",
        BODY_LIMIT_MS,
      );
      violations.push(...judgeEnds(bodies, BODY_LIMIT_MS, "body"));
    }
    stopDripping();
    for (const { connection } of bodies) connection.end();
    violations.push(...(await floodHeads(gateway.port)));
    await waitFor(() => takeCensus(gateway.pid).descriptors <= before.descriptors + 10, "return of the descriptors");
    control.push(...(await callAlone()));
    const compared = { of: "a valid call at the same time", max: GATE, unexplained: UNEXPLAINED };
    const random = createRandom(seed);
    const judged = judgeRatio({ ...compared, slices: toSlices(others, control, SLICES), random });
    violations.push(...judged.violations);
    return {
      title: "slow connections",
      n: heads.length + (areBodiesAwaited ? bodies.length : 0) + FLOODS,
      injected: size + FLOODS,
      violations,
      gates: [judged.gate],
      figures: {
        connections: size,
        "slow headers closed after, s": rangeOf(heads),
        "slow bodies closed after, s": areBodiesAwaited ? rangeOf(bodies) : "not waited for",
        "KiB per connection": round(kibibytes),
        "valid calls at the same time": others.length,
        "their p99 ms": round(p99(others)),
        "their p99 ms before and after": round(p99(control)),
      },
      times: { of: "a valid call at the same time", ms: others },
    };
  });
}

const HALF_HEAD = "POST /mcp HTTP/1.1\r\nHost: localhost\r\n";
const HALF_BODY = [
  "POST /mcp HTTP/1.1",
  ...Object.entries(HEADERS).map(([name, value]) => `${name}: ${value}`),
  "Content-Length: 100000",
  "",
  '{"jsonrpc":',
].join("\r\n");

interface Words {
  readonly first: string;
  /** Sent from time to time without ever completing the request. */
  readonly drop: string;
}

interface Slow {
  readonly connection: RawConnection;
  readonly drop: string;
  /** Milliseconds from opening to closing. */
  readonly life: () => number;
}

async function openMany(port: number, size: number, { first, drop }: Words): Promise<Slow[]> {
  const all: Slow[] = [];
  while (all.length < size) {
    const some = Array.from({ length: Math.min(AT_ONCE, size - all.length) }, async (): Promise<Slow> => {
      const connection = await openRaw(port);
      const from = performance.now();
      let ended = Number.POSITIVE_INFINITY;
      connection.socket.once("close", () => (ended = performance.now()));
      connection.write(first);
      return { connection, drop, life: () => ended - from };
    });
    all.push(...(await Promise.all(some)));
  }
  return all;
}

/** A few at a time, so that the concurrent measurement is not delayed. */
function drip(all: readonly Slow[]): () => void {
  const share = Math.ceil(all.length / (DRIP_MS / STEP_MS));
  let at = 0;
  const timer = setInterval(() => {
    for (const { connection, drop } of all.slice(at, at + share)) if (connection.isOpen) connection.write(drop);
    at = at + share >= all.length ? 0 : at + share;
  }, STEP_MS);
  return () => clearInterval(timer);
}

function judgeEnds(all: readonly Slow[], limitMs: number, what: string): string[] {
  const late = all.filter(({ life }) => life() > limitMs);
  return late.length === 0 ? [] : [`${late.length} of ${all.length} connections with a slow ${what} stayed open`];
}

const rangeOf = (all: readonly Slow[]): string => {
  const seconds = all.map(({ life }) => life() / 1000);
  return `${round(Math.min(...seconds))} to ${round(Math.max(...seconds))}`;
};

/** Regular calls one after the other, each on its own connection. */
async function callWhile({ port }: ServedGateway, isWanted: (calls: number) => boolean): Promise<number[]> {
  const times: number[] = [];
  while (isWanted(times.length)) {
    const { body, headers } = modern("tools/list");
    const from = performance.now();
    const connection = await openRaw(port);
    connection.write(toRequest({ headers: { ...HEADERS, ...headers }, body: JSON.stringify(body) }));
    const answer = await connection.next(CALL_LIMIT_MS);
    connection.end();
    if (typeof answer === "string" || answer.status !== 200)
      throw new Error(`A regular call got ${describeAnswer(answer)}.`);
    times.push(performance.now() - from);
  }
  return times;
}

/** A thousand headers with 64 KiB in total. */
async function floodHeads(port: number): Promise<string[]> {
  const violations: string[] = [];
  const lines = Array.from({ length: 1000 }, (_, index) => [`X-${index}`, "y".repeat(60)] as const);
  for (let index = 0; index < FLOODS; index += 1) {
    const connection = await openRaw(port);
    connection.write(toRequest({ headers: { ...HEADERS, ...Object.fromEntries(lines) }, body: "{}" }));
    const answer = await connection.next(CALL_LIMIT_MS);
    connection.end();
    const status = typeof answer === "string" ? answer : answer.status;
    if (status !== 431) violations.push(`a request with a thousand headers was answered with ${status}`);
  }
  return violations;
}

function maxDescriptors(): number {
  return Number(/Max open files\s+\d+\s+(\d+)/.exec(readFileSync("/proc/self/limits", "utf8"))?.[1] ?? 1024);
}
