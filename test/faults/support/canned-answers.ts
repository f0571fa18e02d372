import type { Socket } from "node:net";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { ProxiedRequest } from "./request-reader.js";

const MIB = 1024 * 1024;

/** The headers of an HTTP response. */
export function head(status: number, headers: Readonly<Record<string, string>> = {}): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Reported\r\n${lines.join("")}\r\n`;
}

export const EVENTS = { "content-type": "text/event-stream" };
export const JSON_TYPE = { "content-type": "application/json" };

/** The id of a JSON-RPC request. */
export function rpcIdOf({ body }: ProxiedRequest): string {
  return /"id":(\d+)/.exec(body)?.[1] ?? "null";
}

export function progressTokenOf({ body }: ProxiedRequest): string {
  return /"progressToken":(\d+)/.exec(body)?.[1] ?? "null";
}

/** Sends the text repeatedly until the connection closes. */
export function sayEvery(socket: Socket, everyMs: number, text: () => string): void {
  const timer = setInterval(() => void socket.write(text()), everyMs);
  socket.once("close", () => clearInterval(timer));
}

/** Writes chunks as fast as they are read, without end; reports the bytes sent. */
export function writeEndlessly(socket: Socket, piece: Buffer, onSent: (bytes: number) => void): void {
  const more = (): void => {
    while (!socket.destroyed && !socket.writableEnded) {
      onSent(piece.length);
      if (!socket.write(piece)) return void socket.once("drain", more);
    }
  };
  more();
}

/** About 1 MiB that decompresses to 1 GiB: the start of an answer, then one repeated letter. */
export function gzipBomb(start: string): Buffer {
  const member = gzipSync(Buffer.alloc(MIB, "x"), { level: 9 });
  return Buffer.concat([gzipSync(start), ...Array.from({ length: 1024 }, () => member)]);
}

/** The same, much smaller. */
export function brotliBomb(start: string): Buffer {
  const all = Buffer.alloc(1024 * MIB, "x");
  all.write(start);
  return brotliCompressSync(all, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
}
