// The same malformed messages, and malformed headers, over HTTP: every request is rejected at once with a 4xx status and
// reveals nothing.
import { modern, openMcpSession } from "../../../support/mcp-http.js";
import { breakFrame } from "../../support/broken-frames.js";
import { withDeadline } from "../../support/deadline.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { createRandom, type Random } from "../../support/random.js";
import { describeAnswer, openRaw, type RawAnswer, type RawConnection, toRequest } from "../../support/raw-http.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { openServedGateway, type ServedGateway, tokenEntry, tokenOf } from "../../support/served-gateway.js";
import { judgeFigure } from "../../support/timing.js";

const CONNECTIONS = 8;
const HANG_MS = 1000;
/** A slow machine delays everything; only a longer delay counts as a hang. */
const TIMES_CONTROL = 20;
const CONTROLS = 100;
const GIVE_UP_MS = 20_000;
const LEAKS = /node_modules|\n\s+at |\.[cm]?[jt]s:\d+|file:\/\/|\/tmp\/|hono|undici|SQLITE|v20\./i;

/** `count`: the number of requests. */
export async function fuzzHttp({ count, seed, dist, onProgress }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    home.configure({ one: home.stdio("one") }, { http: { tokens: [tokenEntry("fuzz")] } });
    const gateway = await openServedGateway(home, { dist });
    const control = await timeProper(gateway);
    const limitMs = Math.max(HANG_MS, TIMES_CONTROL * Math.max(...control));
    const seen = { statuses: new Map<number, number>(), closed: 0, times: [] as number[], violations: [] as string[] };
    let sent = 0;
    const work = Array.from({ length: CONNECTIONS }, async (_, connectionIndex) => {
      const random = createRandom(seed * 1000 + connectionIndex);
      const { id: session } = await openMcpSession({ url: gateway.url, token: tokenOf("fuzz") });
      let connection = await openRaw(gateway.port);
      let isOver = false;
      for (let index = 0; index < count / CONNECTIONS && seen.violations.length < 20; index += 1) {
        const { what, bytes } = breakRequest(connectionIndex * 1_000_000 + index, random, session);
        if (isOver || !connection.isOpen || random.chance(0.02)) connection = await renew(connection, gateway.port);
        isOver = false;
        const from = performance.now();
        connection.write(bytes);
        const answer = await connection.next(GIVE_UP_MS, bytes.subarray(0, 5).toString() === "HEAD ");
        const ms = performance.now() - from;
        seen.times.push(ms);
        if (ms > limitMs) seen.violations.push(`${what} had no answer for ${ms.toFixed(0)} ms: ${show(bytes)}`);
        if (typeof answer === "string") {
          seen.closed += 1;
          seen.violations.push(`${what} got no answer (${answer}): ${show(bytes)}`);
        } else {
          seen.statuses.set(answer.status, (seen.statuses.get(answer.status) ?? 0) + 1);
          seen.violations.push(...judge(answer, what).map((text) => `${text}: ${show(bytes)}`));
        }
        // Further data on the connection would not belong to this request.
        if (typeof answer !== "string" && answer.headers.get("connection") === "close") isOver = true;
        if (connection.rest() !== "") seen.violations.push(`${what} was answered twice: ${show(bytes)}`);
        sent += 1;
        if (sent % 5000 === 0) onProgress?.(`${sent} of ${count} requests`);
      }
      connection.end();
    });
    await Promise.all(work);
    const after = await timeProper(gateway);
    const { violations } = seen;
    if (!gateway.isAlive) violations.push("the gateway has exited");
    violations.push(...findReached(home));
    if (/    at /.test(gateway.said())) violations.push(`it said ${gateway.said().slice(-500)}`);
    const { gate } = judgeFigure({
      of: "the longest wait for an answer",
      seen: Math.max(...seen.times),
      max: HANG_MS,
      beyond: limitMs,
      unit: "ms",
    });
    return {
      title: "malformed HTTP requests",
      n: sent,
      injected: sent,
      violations,
      gates: [gate],
      figures: {
        ...Object.fromEntries([...seen.statuses].toSorted().map(([status, times]) => [`${status}`, times])),
        "closed without an answer": seen.closed,
        "valid call before, max ms": Math.round(Math.max(...control)),
        "valid call after, max ms": Math.round(Math.max(...after)),
      },
      times: { of: "an answer", ms: seen.times },
    };
  });
}

async function renew(connection: RawConnection, port: number): Promise<RawConnection> {
  connection.end();
  return await openRaw(port);
}

const show = (bytes: Buffer): string => JSON.stringify(bytes.toString("latin1").slice(0, 400));

function judge(answer: RawAnswer, what: string): string[] {
  const { status, headers, body } = answer;
  const violations: string[] = [];
  if (status < 200 || status >= 500) violations.push(`${what} was answered with ${status} ${body.slice(0, 200)}`);
  if (!isRefused(answer, what)) violations.push(`${what} was accepted: ${status} ${body.slice(0, 200)}`);
  const reported = `${[...headers.values()].join("\n")}\n${body}`;
  if (LEAKS.test(reported)) violations.push(`${what} revealed internals: ${reported.slice(0, 300)}`);
  if (headers.has("server") || headers.has("x-powered-by")) violations.push(`${what} revealed the server software`);
  return violations;
}

/** The error may be in a JSON-RPC response; notifications are accepted; a changed header may have no effect. */
function isRefused({ status, body }: RawAnswer, what: string): boolean {
  return status >= 300 || status === 202 || what === CHANGED || /"error":\{|"isError":true/.test(body);
}

const CHANGED = "a changed header";
const AUTHORIZED = {
  Host: "localhost",
  Authorization: `Bearer ${tokenOf("fuzz")}`,
  "Content-Type": "application/json",
  Accept: "application/json, text/event-stream",
};
const REST = "/api/adapters/one/tools/effect";

/** Its id is a number, which the tool does not accept as an argument. */
function breakRequest(id: number, random: Random, session: string): { what: string; bytes: Buffer } {
  let { kind, bytes } = breakFrame(id, random, "one");
  // In an HTTP body a newline is ordinary whitespace.
  while (kind === "a newline inside") ({ kind, bytes } = breakFrame(id, random, "one"));
  const dice = random.next();
  if (dice < 0.15) return { what: kind, bytes: toRequest({ headers: AUTHORIZED, body: bytes }) };
  if (dice < 0.35) {
    const headers = { ...AUTHORIZED, "Mcp-Session-Id": session };
    return { what: `${kind} in a session`, bytes: toRequest({ headers, body: bytes }) };
  }
  if (dice < 0.5) {
    const { headers } = modern("tools/call", { name: "execute_tool" });
    return { what: kind, bytes: toRequest({ headers: { ...AUTHORIZED, ...headers }, body: bytes }) };
  }
  if (dice < 0.7) {
    const target = random.chance(0.5) ? REST : "/api/adapters/nobody/tools/effect";
    return { what: "a body of no arguments", bytes: toRequest({ target, headers: AUTHORIZED, body: bytes }) };
  }
  return { what: CHANGED, bytes: changeHead(random, bytes) };
}

const HEADS = [
  "Authorization",
  "Content-Type",
  "Accept",
  "Host",
  "Origin",
  "Content-Encoding",
  "Transfer-Encoding",
  "Expect",
  "Upgrade",
  "Mcp-Session-Id",
  "Mcp-Protocol-Version",
  "Mcp-Method",
  "Mcp-Name",
  "Last-Event-Id",
  "Idempotency-Key",
  "Connection",
  "Range",
  "Cookie",
  "X-Forwarded-For",
];
const VALUES = ["", " ", "\0", "x", "a, b", "*", "../..", "é", "-1", "\u00ff", "%00", "{}", "null", "undefined"];
const TARGETS = ["/mcp", "/mcp/gateway", REST, "/api/search?q=%", "/%", "/mcp?x", "//mcp", "/api/adapters/%00/tools/x"];
const METHODS = ["POST", "GET", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "LINK", "POSTS", "get", ""];

/** A request whose headers are missing, doubled or changed; its body is never an executable call. */
function changeHead(random: Random, body: Buffer): Buffer {
  const method = random.chance(0.6) ? "POST" : random.pick(METHODS);
  const lines = Object.entries(AUTHORIZED).flatMap(([name, value]) => {
    const dice = random.next();
    if (dice < 0.1) return [];
    if (dice < 0.15) return [`${name}: ${value}`, `${name}: ${value}`];
    return [`${dice < 0.2 ? name.toUpperCase() : name}: ${value}`];
  });
  const more = Array.from({ length: random.between(1, 4) }, () => {
    const value = random.chance(0.2) ? "y".repeat(random.between(1, 20_000)) : random.pick(VALUES);
    return `${random.pick(HEADS)}: ${value}`;
  });
  const length = random.chance(0.9) ? [`Content-Length: ${body.length}`] : ["Content-Length: nine"];
  const target = random.pick(TARGETS);
  const version = random.chance(0.97) ? "1.1" : random.pick(["1.0", "2.0", "9", ""]);
  const head = [`${method} ${target} HTTP/${version}`, ...lines, ...more, ...length, "", ""].join("\r\n");
  return Buffer.concat([Buffer.from(head, "latin1"), body]);
}

/** Valid calls one by one, each on its own connection; returns their milliseconds. */
async function timeProper({ port }: ServedGateway): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < CONTROLS; index += 1) {
    const { body, headers } = modern("tools/list");
    const connection = await openRaw(port);
    const from = performance.now();
    connection.write(toRequest({ headers: { ...AUTHORIZED, ...headers }, body: JSON.stringify(body) }));
    const answer = await withDeadline(connection.next(GIVE_UP_MS), GIVE_UP_MS, "a proper call");
    times.push(performance.now() - from);
    connection.end();
    if (typeof answer === "string" || answer.status !== 200)
      throw new Error(`A valid call got ${describeAnswer(answer)}.`);
  }
  return times;
}

/** None of the requests is a valid call: any that ran was misread. */
function findReached({ ledger }: FaultHome): string[] {
  const reached = ledger.entries().filter(({ kind }) => kind === "call");
  return reached.map(({ id }) => `${id} reached the server`);
}
