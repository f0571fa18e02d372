// 500 results of 1 MiB at once for clients that read slowly: memory stays below its limit.
import { spawn } from "node:child_process";
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { peakRssOf } from "../../support/census.js";
import { withDeadline } from "../../support/deadline.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { ACTOR, openLoadGateway, toTokens } from "../../support/load-gateway.js";
import { tokenOf } from "../../support/served-gateway.js";
import { stdioLoad } from "../../support/load-servers.js";
import { inMiB } from "../../support/measure.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const LAUNCH = fileURLToPath(new URL("../../support/launch.mjs", import.meta.url));
const BYTES = 1024 * 1024;
const SERVERS = 4;
const MAX_MIB = 500;
const LIMIT_MS = 180_000;
/** A reader takes this many bytes and then pauses; all readers together are slower than the servers. */
const SIP_BYTES = 64 * 1024;
const SIP_EVERY_MS = 20;

/** `count`: how many results are returned at once over HTTP, over stdio and, as views, over stdio. */
export async function largeResults({ count, dist, onProgress }: RowOptions): Promise<RowResult> {
  const http = await inHome((home) => overHttp(home, { count, dist }));
  onProgress?.(`over HTTP: peak of ${inMiB(http.peakBytes)} MiB`);
  const stdio = await inHome((home) => overStdio(home, { count, dist, results: { maxTokens: 0 } }));
  onProgress?.(`over stdio: peak of ${inMiB(stdio.peakBytes)} MiB`);
  const views = await inHome((home) => overStdio(home, { count, dist }));
  const peaks = { "over HTTP": http, "over stdio": stdio, "as views": views };
  return {
    title: "results of 1 MiB for clients that read slowly",
    n: http.whole + stdio.whole + views.whole,
    injected: 3 * count,
    violations: Object.entries(peaks).flatMap(([surface, { whole, peakBytes }]) => [
      ...(whole === count ? [] : [`${surface}: ${whole} of ${count} results arrived`]),
      ...(inMiB(peakBytes) <= MAX_MIB ? [] : [`${surface}: peak of ${inMiB(peakBytes)} MiB`]),
    ]),
    figures: Object.fromEntries(
      Object.entries(peaks).flatMap(([surface, { peakBytes, idleBytes }]) => [
        [`peak ${surface}, MiB`, inMiB(peakBytes)],
        [`before, ${surface}, MiB`, inMiB(idleBytes)],
      ]),
    ),
  };
}

interface Parts {
  readonly count: number;
  readonly dist: string;
  /** The section of the configuration; undefined for the default, which shortens every result of this row to a view. */
  readonly results?: object;
}

interface Peak {
  readonly whole: number;
  readonly peakBytes: number;
  readonly idleBytes: number;
}

function configure(home: FaultHome, { count, results = {} }: Parts): void {
  const servers = Array.from({ length: SERVERS }, (_, number) => [`big${number}`, stdioLoad(home, `big${number}`)]);
  home.configure(Object.fromEntries(servers), {
    http: { port: 0, tokens: toTokens() },
    upstreams: { queue: count, queueWaitMs: LIMIT_MS },
    results,
  });
}

/** REST returns results untruncated, which makes it the harder surface. */
async function overHttp(home: FaultHome, parts: Parts): Promise<Peak> {
  const { count, dist } = parts;
  configure(home, parts);
  const gateway = await openLoadGateway(home, { dist });
  for (let server = 0; server < SERVERS; server += 1) {
    await gateway.post(`/api/adapters/big${server}/tools/read`, { id: "warm" });
  }
  const idleBytes = peakRssOf(gateway.pid);
  const readers = Array.from({ length: count }, (_, number) => readSlowly(gateway.url, number));
  const whole = await withDeadline(Promise.all(readers), LIMIT_MS, "the results");
  const peakBytes = peakRssOf(gateway.pid);
  await gateway.close();
  return { whole: whole.filter(Boolean).length, peakBytes, idleBytes };
}

/** Whether the answer was complete. */
function readSlowly(url: string, number: number): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const body = JSON.stringify({ id: `big-${number}`, bytes: BYTES });
  const head = [
    `POST /api/adapters/big${number % SERVERS}/tools/read HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    `Authorization: Bearer ${tokenOf(ACTOR)}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    "Connection: close",
  ];
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let read = 0;
    socket.on("data", (chunk: Buffer) => {
      read += chunk.length;
      pauseFor(socket, (chunk.length / SIP_BYTES) * SIP_EVERY_MS);
    });
    socket.once("close", () => resolve(read > BYTES)).once("error", () => resolve(false));
    socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  });
}

function pauseFor(stream: { pause(): unknown; resume(): unknown } | Socket, ms: number): void {
  stream.pause();
  setTimeout(() => stream.resume(), ms);
}

/** One client that requests all results at once and reads them in small pieces. */
async function overStdio(home: FaultHome, parts: Parts): Promise<Peak> {
  const { count, dist } = parts;
  configure(home, parts);
  const child = spawn(process.execPath, [LAUNCH, dist, "discovery", "--config", home.config], {
    env: home.env,
    cwd: home.folder,
    stdio: ["pipe", "pipe", "ignore"],
  });
  home.own(child);
  const pid = child.pid ?? 0;
  const send = (message: object): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const answered = new Map<number, string>();
  let onAnswer: () => void = () => undefined;
  createInterface({ input: child.stdout }).on("line", (line) => {
    const id = Number(/"id":(\d+)/.exec(line.slice(-40))?.[1] ?? /"id":(\d+)/.exec(line)?.[1]);
    answered.set(id, line.slice(0, 200));
    onAnswer();
  });
  const until = (size: number): Promise<void> =>
    withDeadline(
      new Promise((resolve) => {
        onAnswer = () => (answered.size >= size ? resolve() : undefined);
        onAnswer();
      }),
      LIMIT_MS,
      "the results",
    );
  const clientInfo = { name: "faults", version: "1.0.0" };
  send({ id: 0, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } });
  await until(1);
  send({ method: "notifications/initialized" });
  const call = (id: number, server: string, args: object): void =>
    send({
      id,
      method: "tools/call",
      params: { name: "execute_tool", arguments: { server, tool: "read", arguments: args } },
    });
  for (let server = 0; server < SERVERS; server += 1) call(1 + server, `big${server}`, { id: "warm" });
  await until(1 + SERVERS);
  const idleBytes = peakRssOf(pid);
  child.stdout.on("data", (chunk: Buffer) => pauseFor(child.stdout, (chunk.length / SIP_BYTES) * 2));
  for (let number = 0; number < count; number += 1) {
    call(100 + number, `big${number % SERVERS}`, { id: `big-${number}`, bytes: BYTES });
  }
  await until(1 + SERVERS + count);
  const peakBytes = peakRssOf(pid);
  const whole = [...answered].filter(([id, line]) => id >= 100 && line.includes(`done big-${id - 100}`)).length;
  const gone = new Promise((resolve) => child.once("close", resolve));
  child.stdin.end();
  await withDeadline(gone, LIMIT_MS, "the gateway's end");
  return { whole, peakBytes, idleBytes };
}
