// Request bodies that are too large, have a wrong length, never end or are compressed: rejected before they are read.
import { writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { peakRssOf } from "../../support/census.js";
import { inHome } from "../../support/home.js";
import { describeAnswer, openRaw, type RawConnection, toRequest } from "../../support/raw-http.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { openServedGateway, tokenEntry, tokenOf } from "../../support/served-gateway.js";
import { round } from "../../support/measure.js";

const MIB = 1024 * 1024;
const LIMIT_MS = 20_000;
const ENDLESS_MIB = 16;
const AT_ONCE = 10;
/** For each concurrent body: twice the bytes that may be buffered before it is rejected as too large. */
const MAX_GROWTH_MIB = 4;

const TARGET = "/api/adapters/one/tools/effect";
const HEADERS = {
  Host: "localhost",
  Authorization: `Bearer ${tokenOf("ann")}`,
  "Content-Type": "application/json",
};
const ofSize = (bytes: number): string => `{"id":"${"x".repeat(bytes - '{"id":""}'.length)}"}`;
const over = ofSize(MIB + 1);
const packed = gzipSync(ofSize(64 * MIB));

interface Case {
  readonly what: string;
  readonly statuses: readonly number[];
  readonly send: (connection: RawConnection) => void | Promise<void>;
}

const bare = (lines: readonly string[]): string =>
  [
    `POST ${TARGET} HTTP/1.1`,
    ...Object.entries(HEADERS).map(([name, value]) => `${name}: ${value}`),
    ...lines,
    "",
    "",
  ].join("\r\n");

const CASES: readonly Case[] = [
  {
    what: "1 MiB plus one byte to REST",
    statuses: [413],
    send: (connection) => connection.write(toRequest({ target: TARGET, headers: HEADERS, body: over })),
  },
  {
    what: "1 MiB plus one byte to /mcp",
    statuses: [413],
    send: (connection) => connection.write(toRequest({ target: "/mcp", headers: HEADERS, body: over })),
  },
  {
    what: "a length of 100 GiB and no body",
    statuses: [413],
    send: (connection) => connection.write(bare(["Content-Length: 107374182400"])),
  },
  {
    what: "a length that is too small",
    statuses: [400],
    send: (connection) => connection.write(`${bare(["Content-Length: 3"])}${ofSize(2000)}`),
  },
  {
    what: "endless chunks",
    statuses: [413],
    send: async (connection) => {
      connection.write(bare(["Transfer-Encoding: chunked"]));
      const closed = new Promise<void>((resolve) => connection.socket.once("close", () => resolve()));
      const piece = `8000\r\n${" ".repeat(0x8000)}\r\n`;
      for (let sent = 0; sent < ENDLESS_MIB * MIB && connection.isOpen; sent += 0x8000)
        if (!connection.socket.write(piece))
          await Promise.race([closed, new Promise((resolve) => connection.socket.once("drain", resolve))]);
    },
  },
  {
    what: "64 MiB compressed into few bytes",
    statuses: [415],
    send: (connection) =>
      connection.write(
        toRequest({ target: TARGET, headers: { ...HEADERS, "Content-Encoding": "gzip" }, body: packed }),
      ),
  },
  {
    what: "no length and no chunks",
    statuses: [400],
    send: (connection) => connection.write(bare([])),
  },
];

/** `count`: how often each of them is sent, ten at a time. */
export async function largeBodies({ count, dist }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    home.configure({ one: home.stdio("one") }, { http: { tokens: [tokenEntry("ann")] } });
    const { port, pid } = await openServedGateway(home, { dist });
    const violations: string[] = [];
    const times: number[] = [];
    const sendAll = async (repeats: number): Promise<void> => {
      for (const { what, statuses, send } of CASES) {
        const one = async (): Promise<void> => {
          const connection = await openRaw(port);
          const from = performance.now();
          const sending = send(connection);
          const answer = await connection.next(LIMIT_MS);
          times.push(performance.now() - from);
          connection.end();
          await sending;
          const status = typeof answer === "string" ? answer : answer.status;
          if (!statuses.some((due) => due === status)) violations.push(`${what} was answered with ${status}`);
        };
        for (let sent = 0; sent < repeats; sent += AT_ONCE)
          await Promise.all(Array.from({ length: Math.min(AT_ONCE, repeats - sent) }, one));
      }
    };
    const peakOf = async (work: () => Promise<void>): Promise<number> => {
      writeFileSync(`/proc/${pid}/clear_refs`, "5");
      await work();
      return peakRssOf(pid) / MIB;
    };
    await sendAll(AT_ONCE);
    times.length = 0;
    const control = await peakOf(() => sendProper(port, count));
    const peak = await peakOf(() => sendAll(count));
    const growth = peak - control;
    if (growth > AT_ONCE * MAX_GROWTH_MIB) violations.push(`the memory peak is ${growth.toFixed(0)} MiB higher`);
    const ran = home.ledger.entries().filter(({ kind }) => kind === "call");
    violations.push(...ran.map(() => "a call ran"));
    return {
      title: "request bodies that are too large or have a wrong length",
      n: times.length,
      injected: times.length,
      violations,
      figures: {
        kinds: CASES.length,
        "concurrent requests": AT_ONCE,
        "peak MiB": round(peak),
        "peak MiB with bodies of the allowed size": round(control),
      },
      times: { of: "rejection of a body", ms: times },
    };
  });
}

/** Bodies of the largest accepted size, rejected because of their content. */
async function sendProper(port: number, count: number): Promise<void> {
  const body = ofSize(MIB).replace('"id"', '"no"');
  for (let sent = 0; sent < count; sent += AT_ONCE) {
    const one = async (): Promise<void> => {
      const connection = await openRaw(port);
      connection.write(toRequest({ target: TARGET, headers: HEADERS, body }));
      const answer = await connection.next(LIMIT_MS);
      connection.end();
      if (typeof answer === "string" || answer.status !== 400)
        throw new Error(`A body of 1 MiB got ${describeAnswer(answer)}.`);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
  }
}
