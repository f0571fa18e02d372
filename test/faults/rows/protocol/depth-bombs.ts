// Messages below the size limit that are nested too deeply or have too many members: each is rejected at once, and no
// other client waits.
import { modern } from "../../../support/mcp-http.js";
import { type Bomb, BOMBS } from "../../support/bombs.js";
import { cpuMsOf } from "../../support/cpu.js";
import { withDeadline } from "../../support/deadline.js";
import { inHome } from "../../support/home.js";
import { readLag } from "../../support/lag.js";
import { openRaw, toRequest } from "../../support/raw-http.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { openServedGateway, tokenEntry, tokenOf } from "../../support/served-gateway.js";
import { openStdioWire, type StdioWire, toLine } from "../../support/stdio-wire.js";
import { round } from "../../support/measure.js";
import { judgeTime, p99, together } from "../../support/timing.js";

const GATE_MS = 50;
const LAG_GATE_MS = 50;
/** The event loop is also late when other processes use the processor. */
const TIMES_LAG_GATE = 4;
const LIMIT_MS = 60_000;
const HOLE = '"here"';
/** Over HTTP, a caller whose bodies take too much time is refused before the next one is parsed. */
const REFUSED = /INVALID_REQUEST|TOOL_VALIDATION_ERROR|RATE_LIMITED|-32600/;

type Send = (id: string, args: string) => Promise<string>;
interface Cost {
  readonly reported: string;
  /** Processor time of the gateway's main thread. */
  readonly ms: number;
}

const measured =
  (pid: number, send: Send) =>
  async (id: string, args: string): Promise<Cost> => {
    const before = cpuMsOf(pid);
    const reported = await send(id, args);
    return { reported, ms: cpuMsOf(pid) - before };
  };

/** `count`: how often each message is sent on each transport. */
export async function depthBombs({ count, dist }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    home.configure({ one: home.stdio("one") }, { http: { tokens: [tokenEntry("bomb")] } });
    const wire = await openStdioWire(home, { dist, measuresLag: true });
    const { port, pid } = await openServedGateway(home, { dist });
    const ways = {
      stdio: measured(wire.pid, overStdio(wire)),
      http: measured(pid, overHttp(port)),
    };
    const violations: string[] = [];
    const [times, control]: [number[], number[]] = [[], []];
    let slowest = { what: "", ms: 0 };
    const plain = `{"id":"${"x".repeat(1_000_000)}","mode":5}`;
    for (const send of Object.values(ways))
      for (let index = 0; index < 5; index += 1) await send(`warm ${index}`, plain);
    await readLag(home, wire.pid);
    for (let index = 0; index < count * BOMBS.length; index += 1)
      for (const send of Object.values(ways)) control.push((await send(`plain ${index}`, plain)).ms);
    const idle = await readLag(home, wire.pid);
    for (let index = 0; index < count; index += 1) {
      for (const bomb of BOMBS) {
        for (const [way, send] of Object.entries(ways)) {
          const { reported, ms } = await send(`${bomb.what} ${index}`, bomb.args);
          times.push(ms);
          if (ms > slowest.ms) slowest = { what: `${bomb.what} on ${way}`, ms };
          violations.push(...judge(bomb, way, reported));
        }
      }
    }
    const lag = await readLag(home, wire.pid);
    const judged = together([
      judgeTime({ of: `CPU time to reject a message, worst: ${slowest.what}`, ms: times, gateMs: GATE_MS, control }),
      judgeTime({
        of: "lag of the event loop",
        ms: [lag.max],
        gateMs: LAG_GATE_MS,
        control: [idle.max],
        timesGate: TIMES_LAG_GATE,
      }),
    ]);
    violations.push(...judged.violations);
    const ran = home.ledger.entries().filter(({ kind }) => kind === "call");
    violations.push(
      ...ran.map(({ id }) => `a rejected message reached the server as ${JSON.stringify(id).slice(0, 50)}`),
    );
    if (/RangeError/.test(wire.said())) violations.push(wire.said().slice(-500));
    await wire.close();
    return {
      title: "messages that are nested too deeply or have too many members",
      n: times.length,
      injected: times.length,
      violations,
      gates: judged.gates,
      figures: {
        kinds: BOMBS.length,
        slowest: slowest.what,
        "event loop lag, p99 / max ms": `${round(lag.p99)} / ${round(lag.max)}`,
        "event loop lag of the control, p99 / max ms": `${round(idle.p99)} / ${round(idle.max)}`,
        "a valid MiB, p99 ms of CPU time": round(p99(control)),
      },
      times: { of: "CPU time to reject a message", ms: times },
    };
  });
}

const toCall = () => ({
  name: "execute_tool",
  arguments: { server: "one", tool: "effect", arguments: JSON.parse(HOLE) as string },
});

function overStdio(wire: StdioWire): Send {
  return async (id, args) => {
    const line = toLine({ id, method: "tools/call", params: toCall() }).replace(HOLE, () => args);
    return JSON.stringify(await withDeadline(wire.ask(id, line), LIMIT_MS, id));
  };
}

function overHttp(port: number): Send {
  return async (id, args) => {
    const connection = await openRaw(port);
    const { body, headers } = modern("tools/call", toCall(), id);
    const text = JSON.stringify(body).replace(HOLE, () => args);
    connection.write(toRequest({ headers: { ...AUTHORIZED, ...headers }, body: text }));
    const answer = await connection.next(LIMIT_MS);
    connection.end();
    return typeof answer === "string" ? answer : `${answer.status} ${answer.body}`;
  };
}

const AUTHORIZED = {
  Host: "localhost",
  Authorization: `Bearer ${tokenOf("bomb")}`,
  "Content-Type": "application/json",
  Accept: "application/json, text/event-stream",
};

function judge({ what }: Bomb, way: string, reported: string): string[] {
  return REFUSED.test(reported) && !/RangeError|stack/i.test(reported)
    ? []
    : [`${what} on ${way} was answered with ${reported.slice(0, 300)}`];
}
