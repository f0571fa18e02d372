// The daemon's side of one command: streams and a signal whose other ends are in the client's process.
import type { Socket } from "node:net";
import { Readable, Writable } from "node:stream";
import { FRAME, type FrameKind, writeFrame, writePieces } from "./frames.js";
import type { CommandRequest } from "./requests.js";

/** What a command line needs of the process that it runs for. */
export interface CommandIo {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly env: CommandRequest["env"];
  readonly cwd: string;
  readonly isTerminal: CommandRequest["isTerminal"];
  readonly columns: number;
  readonly stderrColumns: number;
  readonly signal: AbortSignal;
}

export interface RemoteCommand {
  readonly io: CommandIo;
  onFrame(kind: number, payload: Buffer): void;
  /** As Ctrl-C does. */
  interrupt(): void;
}

/** Output that the client has not taken. Beyond it the client is disconnected: it does not read. */
const MOST_PENDING_BYTES = 64 * 1024 * 1024;

export function openRemoteCommand(socket: Socket, request: CommandRequest): RemoteCommand {
  const stop = new AbortController();
  const stdin = inputFrom(socket);
  socket.once("close", () => {
    stop.abort();
    stdin.destroy();
  });
  const { env, cwd, isTerminal, columns, stderrColumns } = request;
  return {
    io: {
      stdin,
      stdout: outputTo(socket, FRAME.stdout),
      stderr: outputTo(socket, FRAME.stderr),
      env,
      cwd,
      isTerminal,
      columns,
      stderrColumns,
      signal: stop.signal,
    },
    interrupt: () => stop.abort(),
    onFrame(kind, payload) {
      if (kind === FRAME.interrupt) stop.abort();
      else if (kind === FRAME.input && !stdin.destroyed) stdin.push(payload);
      else if (kind === FRAME.inputEnd && !stdin.destroyed) stdin.push(null);
    },
  };
}

/** Frames of both outputs enter one queue at once: a terminal shows them in the order in which they were written. */
function outputTo(socket: Socket, kind: FrameKind): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (socket.writable) writePieces(socket, kind, chunk);
      if (socket.writableLength > MOST_PENDING_BYTES) socket.destroy();
      done();
    },
  });
}

/** Asks the client for input only while somebody reads here; nothing is read ahead. */
function inputFrom(socket: Socket): Readable {
  let isWanted = false;
  const want = (): void => {
    isWanted = true;
    if (socket.writable) writeFrame(socket, FRAME.inputWanted);
  };
  const input = new Readable({ highWaterMark: 0, read: want });
  input.on("pause", () => {
    if (isWanted && socket.writable) writeFrame(socket, FRAME.inputUnwanted);
  });
  // A read that was pending when the reader paused is not repeated by the stream itself.
  input.on("resume", () => {
    if (isWanted && !input.readableEnded) want();
  });
  input.on("error", () => undefined);
  return input;
}
