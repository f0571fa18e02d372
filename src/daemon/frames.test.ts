import type { Socket } from "node:net";
import { expect, it } from "vitest";
import { createFrameReader, FRAME, FrameError, writeFrame, writePieces } from "./frames.js";

function written(write: (socket: Socket) => void): Buffer {
  const chunks: Buffer[] = [];
  const socket = {
    cork: () => undefined,
    uncork: () => undefined,
    write: (chunk: Uint8Array) => chunks.push(Buffer.from(chunk)) > 0,
  };
  write(socket as unknown as Socket);
  return Buffer.concat(chunks);
}

function read(chunks: readonly Buffer[], maxBytes?: number): { kind: number; payload: string }[] {
  const frames: { kind: number; payload: string }[] = [];
  const take = createFrameReader(
    (kind, payload) => frames.push({ kind, payload: payload.toString("latin1") }),
    maxBytes === undefined ? undefined : () => maxBytes,
  );
  for (const chunk of chunks) take(chunk);
  return frames;
}

const bytes = written((socket) => {
  writeFrame(socket, FRAME.go);
  writeFrame(socket, FRAME.stdout, Buffer.from([0, 255, 10]));
  writeFrame(socket, FRAME.exit, Buffer.of(3));
});
const frames = [
  { kind: FRAME.go, payload: "" },
  { kind: FRAME.stdout, payload: "\u0000\u00ff\n" },
  { kind: FRAME.exit, payload: "\u0003" },
];

it("reads the same frames wherever the stream is split", () => {
  for (let cut = 0; cut <= bytes.length; cut++) {
    expect(read([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(frames);
  }
  expect(read([...bytes].map((byte) => Buffer.of(byte)))).toEqual(frames);
});

it("rejects a frame that is too long by its header", () => {
  const header = Buffer.of(FRAME.request, 0xff, 0xff, 0xff, 0xff);
  expect(() => read([header])).toThrow(FrameError);
  expect(() => read([Buffer.of(FRAME.proof, 0, 0, 0, 65)], 64)).toThrow(FrameError);
  expect(read([Buffer.of(FRAME.proof, 0, 0, 0, 1, 7)], 1)).toEqual([{ kind: FRAME.proof, payload: "\u0007" }]);
});

it("splits long output into several frames", () => {
  const long = Buffer.alloc(200_001, 7);
  const pieces = read([written((socket) => writePieces(socket, FRAME.stderr, long))]);
  expect(pieces.map(({ payload }) => payload.length)).toEqual([65_536, 65_536, 65_536, 3393]);
});
