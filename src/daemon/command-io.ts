// The daemon side of one command: its streams and its abort signal, which are connected to the client's process.
import type { Socket } from "node:net";
import { Readable, Writable } from "node:stream";
import { FRAME, type FrameKind, writeFrame, writePieces } from "./frames.js";
import type { CommandRequest } from "./requests.js";

/** The streams and properties of the client's process that a command uses. */
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
  /** Discards what the user has typed at the client's terminal. Resolves to false if the user never stops typing. */
  readonly discardInput: () => Promise<boolean>;
}

export interface RemoteCommand {
  readonly io: CommandIo;
  onFrame(kind: number, payload: Buffer): void;
  /** Interrupts the command, like Ctrl-C. */
  interrupt(): void;
  /** Call this when the command has finished writing. Resolves when all output has been sent. */
  flush(): Promise<void>;
}

/** Maximum number of unsent bytes in the socket's buffer. Above it, the command's writes wait for the client. */
const MAX_PENDING_BYTES = 1024 * 1024;
/**
 * Maximum number of buffered bytes while the client reads nothing. Only a command that ignores backpressure exceeds it.
 */
const MAX_BUFFERED_BYTES = 64 * 1024 * 1024;
/** A client that reads nothing for this long while more than `MAX_BUFFERED_BYTES` are buffered is disconnected. */
const UNREAD_MS = 3_000;

export function openRemoteCommand(socket: Socket, request: CommandRequest): RemoteCommand {
  const stop = new AbortController();
  const stdin = inputFrom(socket);
  const discarded: ((isQuiet: boolean) => void)[] = [];
  socket.once("close", () => {
    stop.abort();
    stdin.destroy();
    for (const resolve of discarded.splice(0)) resolve(false);
  });
  const [stdout, stderr] = [outputTo(socket, FRAME.stdout), outputTo(socket, FRAME.stderr)];
  const { env, cwd, isTerminal, columns, stderrColumns } = request;
  return {
    io: {
      stdin,
      stdout,
      stderr,
      env,
      cwd,
      isTerminal,
      columns,
      stderrColumns,
      signal: stop.signal,
      discardInput() {
        if (!isTerminal.stdin || !socket.writable) return Promise.resolve(true);
        writeFrame(socket, FRAME.discardInput);
        return new Promise((resolve) => discarded.push(resolve));
      },
    },
    interrupt: () => stop.abort(),
    async flush() {
      await Promise.all([whenWritten(stdout), whenWritten(stderr)]);
    },
    onFrame(kind, payload) {
      if (kind === FRAME.interrupt) stop.abort();
      else if (kind === FRAME.inputDiscarded) discarded.shift()?.(payload[0] === 1);
      else if (kind === FRAME.input && !stdin.destroyed) stdin.push(payload);
      else if (kind === FRAME.inputEnd && !stdin.destroyed) stdin.push(null);
    },
  };
}

/**
 * Creates the command's standard output or standard error. Both streams put their frames into one queue immediately, so
 * that a terminal shows them in the order in which they were written. Above a limit, writes wait for the client, as
 * they would for a pipe. If the command ignores this backpressure, a client that reads nothing is disconnected.
 */
function outputTo(socket: Socket, kind: FrameKind): Writable {
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (socket.writable) writePieces(socket, kind, chunk);
      if (!socket.writable || socket.writableLength <= MAX_PENDING_BYTES) return done();
      let pending = socket.writableLength;
      const check = setInterval(() => {
        const isOverLimit = output.writableLength - chunk.length > MAX_BUFFERED_BYTES;
        if (isOverLimit && socket.writableLength >= pending) socket.destroy();
        pending = socket.writableLength;
      }, UNREAD_MS);
      const resume = (): void => {
        clearInterval(check);
        socket.off("drain", resume).off("close", resume);
        done();
      };
      socket.on("drain", resume).on("close", resume);
    },
  });
  return output;
}

function whenWritten(output: Writable): Promise<void> {
  return new Promise((resolve) => output.once("finish", resolve).once("close", resolve).end());
}

/** Requests input from the client only while the command reads; nothing is read ahead. */
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
  // The stream does not repeat a read that was pending when the reader paused, so the input is requested again.
  input.on("resume", () => {
    if (isWanted && !input.readableEnded) want();
  });
  input.on("error", () => undefined);
  return input;
}
