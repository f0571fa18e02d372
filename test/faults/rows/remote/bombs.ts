// Compressed responses of 1 MiB that expand to 1 GiB, and endless responses: each stops at the size limit and uses
// little memory.
import { writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { brotliBomb, EVENTS, gzipBomb, head, JSON_TYPE, writeEndlessly } from "../../support/canned-answers.js";
import { peakRssOf, rssOf } from "../../support/census.js";
import type { Fault } from "../../support/chaosd.js";
import { inRemoteScene, type RemoteScene, type Way, WAYS } from "../../support/remote-scene.js";
import { describe } from "../../support/replay.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const MIB = 1024 * 1024;
const MAX_GROWN = 32 * MIB;
const MAX_MESSAGE_BYTES = 10 * MIB;
/** A line of a shared stream is skipped up to this multiple of the limit, so that its other events still arrive. */
const TIMES_SKIPPED = 16;
/** Data in buffers of sockets and decompressors. */
const BUFFERED = 16 * MIB;
const MAX_TAKEN = TIMES_SKIPPED * MAX_MESSAGE_BYTES + BUFFERED;
const START = '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"';

interface Bomb {
  readonly name: string;
  readonly write: (socket: Socket, onSent: (bytes: number) => void) => void;
}

function createBombs(): Bomb[] {
  const packed = (encoding: string, type: Readonly<Record<string, string>>, bytes: Buffer): Bomb => ({
    name: `${encoding} as ${type["content-type"]}`,
    write(socket) {
      socket.write(head(200, { ...type, "content-encoding": encoding, "content-length": String(bytes.length) }));
      socket.write(bytes);
    },
  });
  const endless = (name: string, headers: Readonly<Record<string, string>>, start: string, piece: Buffer): Bomb => ({
    name,
    write(socket, onSent) {
      socket.write(head(200, headers) + start);
      writeEndlessly(socket, piece, onSent);
    },
  });
  const chunk = Buffer.concat([Buffer.from("10000\r\n"), Buffer.alloc(65_536, "x"), Buffer.from("\r\n")]);
  return [
    packed("gzip", JSON_TYPE, gzipBomb(START)),
    packed("gzip", EVENTS, gzipBomb(`data: ${START}`)),
    packed("br", JSON_TYPE, brotliBomb(START)),
    packed("br", EVENTS, brotliBomb(`data: ${START}`)),
    endless("an endless body", { ...JSON_TYPE, "transfer-encoding": "chunked" }, "", chunk),
    endless("an endless event", EVENTS, "data: ", Buffer.alloc(65_536, "x")),
    endless("an endless text", { "content-type": "text/plain" }, "", Buffer.alloc(65_536, "x")),
    {
      name: "endless headers",
      write(socket, onSent) {
        socket.write("HTTP/1.1 200 Reported\r\nx: ");
        writeEndlessly(socket, Buffer.alloc(65_536, "x"), onSent);
      },
    },
  ];
}

/** `count`: how often each response is sent on each kind of connection. */
export async function bombs({ count, dist, onProgress }: RowOptions): Promise<RowResult> {
  const all = createBombs();
  const thrown = new Map<string, Bomb>();
  const sent = new Map<string, number>();
  const plan = (id: string): Fault => {
    const bomb = thrown.get(id);
    if (bomb === undefined) return { kind: "none" };
    const onSent = (bytes: number): void => void sent.set(id, (sent.get(id) ?? 0) + bytes);
    return { kind: "answer", write: (socket) => bomb.write(socket, onSent) };
  };
  const config = { execution: { timeoutMs: 20_000 }, upstreams: { maxMessageBytes: MAX_MESSAGE_BYTES } };
  return await inRemoteScene({ dist, plan, config }, async (scene) => {
    const violations: string[] = [];
    const grown: number[] = [];
    const first = rssOf(scene.gateway.pid);
    const rounds = Array.from({ length: count }, (_, round) => round);
    for (const [bomb, way, round] of rounds.flatMap((one) =>
      all.flatMap((bomb) => WAYS.map((way) => [bomb, way, one] as const)),
    )) {
      const id = `bomb-${grown.length}`;
      thrown.set(id, bomb);
      const { bytes, outcome } = await grownBy(scene, () => scene.change(way, id));
      const what = `${bomb.name} by ${way}, round ${round}`;
      grown.push(bytes);
      if (scene.seen(id) !== 1) violations.push(`${what}: sent ${scene.seen(id)} times`);
      if (outcome.kind !== "error") violations.push(`${what}: ${describe(outcome)}`);
      if (bytes > MAX_GROWN) violations.push(`${what}: ${toMib(bytes)} MiB more in memory`);
      const left = sent.get(id) ?? 0;
      if (left > MAX_TAKEN) violations.push(`${what}: ${toMib(left)} MiB were read`);
      violations.push(...(await judgeNext(scene, way, what)));
      onProgress?.(`${what}: ${describe(outcome)}, ${toMib(bytes)} MiB`);
    }
    return {
      title: "responses that expand to 1 GiB, and endless responses",
      n: grown.length,
      injected: grown.length,
      violations,
      figures: {
        "largest growth by one response, MiB": toMib(Math.max(...grown)),
        "growth by all responses, MiB": toMib(rssOf(scene.gateway.pid) - first),
        "message limit, MiB": toMib(MAX_MESSAGE_BYTES),
        "most read of an endless response, MiB": toMib(Math.max(...sent.values())),
      },
    };
  });
}

/** The growth of the gateway's memory above its level before the work. */
async function grownBy<T>(
  { gateway: { pid } }: RemoteScene,
  work: () => Promise<T>,
): Promise<{ bytes: number; outcome: T }> {
  // The kernel's way to reset the peak.
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
  const before = rssOf(pid);
  const outcome = await work();
  return { bytes: peakRssOf(pid) - before, outcome };
}

async function judgeNext(scene: RemoteScene, way: Way, what: string): Promise<string[]> {
  const outcome = await scene.look(way, `warm-${what.length}`);
  return outcome.kind === "answer" ? [] : [`${what}: the next call got ${describe(outcome)}`];
}

const toMib = (bytes: number): number => Math.round(bytes / MIB);
