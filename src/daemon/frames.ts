// The protocol between client and daemon. A frame consists of its kind (1 byte), the length of its payload (4 bytes,
// big-endian) and the payload.
import type { Socket } from "node:net";

export const FRAME = {
  /** Sent by the daemon: a nonce for the client's proof. */
  hello: 1,
  /**
   * Sent by both sides: an HMAC that proves possession of the shared key. The client's frame begins with the client's
   * nonce.
   */
  proof: 2,
  /** Sent by the client: a `DaemonRequest` as JSON. */
  request: 3,
  /** Sent by the daemon: the response to a request, as JSON. */
  answer: 4,
  /** Sent by the client: starts the accepted command. */
  go: 5,
  stdout: 6,
  stderr: 7,
  /**
   * Sent by the daemon when the command reads standard input. Before this frame arrives, the client reads no input,
   * because the input may belong to a surrounding shell loop.
   */
  inputWanted: 8,
  inputUnwanted: 9,
  input: 10,
  inputEnd: 11,
  /** Sent by the client after Ctrl-C or SIGTERM. */
  interrupt: 12,
  /** Sent by the daemon: the command's exit code as one byte. */
  exit: 13,
  /** Sent by the daemon before a question: the client discards what the user has typed. */
  discardInput: 14,
  /** Sent by the client after it has done so. Payload: one byte, 1 if the terminal is quiet now. */
  inputDiscarded: 15,
} as const;

export type FrameKind = (typeof FRAME)[keyof typeof FRAME];

const HEADER_BYTES = 5;
/** Maximum payload of a frame that carries standard input, output or error. */
const PIECE_BYTES = 64 * 1024;
/**
 * Maximum payload of any frame. A request contains the arguments and the environment, for which operating systems allow
 * about 2 MiB; JSON escaping may double that.
 */
export const MAX_FRAME_BYTES = 8 * 1024 * 1024;
const EMPTY = Buffer.alloc(0);

export class FrameError extends Error {
  override readonly name = "FrameError";
}

/** Calls `onFrame` once per complete frame. Throws `FrameError` for a frame that is longer than `maxBytes()`. */
export function createFrameReader(
  onFrame: (kind: number, payload: Buffer) => void,
  maxBytes: () => number = () => MAX_FRAME_BYTES,
): (chunk: Buffer) => void {
  let chunks: Buffer[] = [];
  let length = 0;
  let needed = HEADER_BYTES;
  return (chunk) => {
    chunks.push(chunk);
    length += chunk.length;
    while (length >= needed) {
      const all = chunks.length === 1 ? (chunks[0] ?? EMPTY) : Buffer.concat(chunks);
      const size = all.readUInt32BE(1);
      if (size > maxBytes()) throw new FrameError(`A frame of ${size} bytes is longer than ${maxBytes()} bytes.`);
      const end = HEADER_BYTES + size;
      chunks = [all];
      needed = end;
      if (length < end) return;
      chunks = end === length ? [] : [all.subarray(end)];
      length -= end;
      needed = HEADER_BYTES;
      onFrame(all[0] ?? 0, all.subarray(HEADER_BYTES, end));
    }
  };
}

/** Returns false if the socket's buffer is full, like `socket.write`. */
export function writeFrame(socket: Socket, kind: FrameKind, payload: Uint8Array = EMPTY): boolean {
  const header = Buffer.allocUnsafe(HEADER_BYTES);
  header[0] = kind;
  header.writeUInt32BE(payload.length, 1);
  if (payload.length === 0) return socket.write(header);
  socket.cork();
  socket.write(header);
  const hasRoom = socket.write(payload);
  socket.uncork();
  return hasRoom;
}

export function writePieces(socket: Socket, kind: FrameKind, data: Buffer): boolean {
  let hasRoom = true;
  for (let start = 0; start < data.length; start += PIECE_BYTES) {
    hasRoom = writeFrame(socket, kind, data.subarray(start, start + PIECE_BYTES));
  }
  return hasRoom;
}

export function writeJson(socket: Socket, kind: FrameKind, value: unknown): boolean {
  return writeFrame(socket, kind, Buffer.from(JSON.stringify(value)));
}
