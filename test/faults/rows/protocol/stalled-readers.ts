// Clients stop reading while many messages arrive for them: each loses only its own stream, and memory and other clients
// are not affected.
import { modern } from "../../../support/mcp-http.js";
import { rssOf } from "../../support/census.js";
import { waitFor, withDeadline } from "../../support/deadline.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { describeAnswer, openRaw, toRequest } from "../../support/raw-http.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { openServedGateway, type ServedGateway, tokenEntry, tokenOf } from "../../support/served-gateway.js";
import { round, toSlices } from "../../support/measure.js";
import { createRandom } from "../../support/random.js";
import { judgeRatio, p99 } from "../../support/timing.js";
import { openNotes, wireServer } from "../../support/wire-notes.js";

const MIB = 1024 * 1024;
const CLIENTS = 50;
/** Each holds at most sixteen calls. */
const FLOODERS = ["flood1", "flood2", "flood3", "flood4"];
/** Chunks of 16 KiB to each client: about 30 MiB a second in total. */
const PIECE_EVERY_MS = 25;
const CONTROL_MIB = 4;
const LIMIT_MS = 180_000;
/** Limit above the peak with as many clients that read: traffic makes the heap grow, whether or not it is read. */
const MAX_GROWTH_MIB = 64;
/** The highest allowed ratio of the others' p99 to their p99 next to as many clients that read. */
const GATE = 1.1;
/** The two runs follow each other: the load of the machine may differ. */
const UNEXPLAINED = { times: 5, ms: 100 };
const SLICES = 8;

/** `count`: how many MiB arrive for each of fifty clients. */
export async function stalledReaders({ count, seed, dist }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    const servers = Object.fromEntries([...FLOODERS, "calm"].map((name) => [name, wireServer(home, name)]));
    home.configure(servers, { http: { tokens: [tokenEntry("ann")] } });
    const gateway = await openServedGateway(home, { dist });
    for (const server of [...FLOODERS, "calm"]) await ask(gateway, server);
    const callOthers = async <T>(work: Promise<T>) => {
      const times: number[] = [];
      let peak = rssOf(gateway.pid);
      const state = { isOver: false };
      const ended = work.finally(() => (state.isOver = true));
      while (!state.isOver) {
        times.push(await ask(gateway, "calm"));
        peak = Math.max(peak, rssOf(gateway.pid));
      }
      return { value: await ended, times, peak };
    };
    const reading = { clients: CLIENTS, mebibytes: CONTROL_MIB, isReading: true };
    const before = rssOf(gateway.pid);
    const { times: control, peak: baseline } = await callOthers(flood(home, gateway, reading));
    const stalled = { clients: CLIENTS, mebibytes: count, isReading: false };
    const { value: ends, times: others, peak } = await callOthers(flood(home, gateway, stalled));
    const growth = (peak - baseline) / MIB;
    const compared = { of: "a call of another client at the same time", max: GATE, unexplained: UNEXPLAINED };
    const random = createRandom(seed);
    const judged = judgeRatio({ ...compared, slices: toSlices(others, control, SLICES), random });
    const reported = ends.filter((end) => /: closed because nothing was read/.test(end)).length;
    const whole = ends.filter((end) => end.includes('"result"')).length;
    const violations = [
      ...(reported + whole === CLIENTS
        ? []
        : [`${CLIENTS - reported - whole} streams ended without an answer or a reason`]),
      ...(growth > MAX_GROWTH_MIB ? [`memory grew by ${growth.toFixed(0)} MiB more than with clients that read`] : []),
      ...judged.violations,
      ...(gateway.isAlive ? [] : ["the gateway has exited"]),
    ];
    return {
      title: "clients that stop reading",
      n: CLIENTS,
      injected: CLIENTS,
      violations,
      gates: [judged.gate],
      figures: {
        "MiB for each client": count,
        "closed with the reason": reported,
        "streams that fit into system buffers": whole,
        "peak above the control, MiB": round(growth),
        "peak above the start, MiB": round((peak - before) / MIB),
        "others' calls": others.length,
        "others p99 ms": round(p99(others)),
        "others p99 ms, control": round(p99(control)),
      },
      times: { of: "a call of another client at the same time", ms: others },
    };
  });
}

const headersOf = (): Record<string, string> => ({
  Host: "localhost",
  Authorization: `Bearer ${tokenOf("ann")}`,
  "Content-Type": "application/json",
  Accept: "application/json, text/event-stream",
});

const toCall = (server: string, tool: string, args: object, meta: object = {}): Buffer => {
  const params = { name: "execute_tool", arguments: { server, tool, arguments: { ...args } }, _meta: { ...meta } };
  const { body, headers } = modern("tools/call", params);
  return toRequest({ headers: { ...headersOf(), ...headers }, body: JSON.stringify(body) });
};

/** On its own connection; returns its milliseconds. */
async function ask({ port }: ServedGateway, server: string): Promise<number> {
  const from = performance.now();
  const connection = await openRaw(port);
  connection.write(toCall(server, "quick", {}));
  const answer = await connection.next(LIMIT_MS);
  connection.end();
  if (typeof answer === "string" || !answer.body.includes("here"))
    throw new Error(`A call of another client got ${describeAnswer(answer)}.`);
  return performance.now() - from;
}

interface Flood {
  readonly clients: number;
  readonly mebibytes: number;
  readonly isReading: boolean;
}

/** The last message to each client; stalled clients start to read when everything has been sent. */
async function flood(
  home: FaultHome,
  { port }: ServedGateway,
  { clients, mebibytes, isReading }: Flood,
): Promise<string[]> {
  const connections = await Promise.all(Array.from({ length: clients }, () => openRaw(port)));
  const bytes = mebibytes * MIB;
  const notes = openNotes(home);
  const countFloods = (): number => notes().filter(({ kind }) => kind === "flooded").length;
  const before = countFloods();
  connections.forEach(({ socket }, index) => {
    if (!isReading) socket.pause();
    const pace = { bytes, everyMs: PIECE_EVERY_MS, marker: index };
    socket.write(toCall(FLOODERS[index % FLOODERS.length]!, "flood", pace, { progressToken: index }));
  });
  await waitFor(() => countFloods() === before + clients, "end of the flood", LIMIT_MS);
  return await Promise.all(
    connections.map(async (connection) => {
      connection.socket.resume();
      const answer = await withDeadline(connection.next(LIMIT_MS), LIMIT_MS, "the end of a stream");
      connection.end();
      return typeof answer === "object" ? answer.body.slice(-2000) : connection.rest().slice(-2000);
    }),
  );
}
