// The client side of a connection to a daemon. Opening the connection includes mutual authentication.
import { randomBytes } from "node:crypto";
import { createConnection, type Socket } from "node:net";
import { createFrameReader, FRAME, writeFrame, writeJson } from "./frames.js";
import { handshakeKey, isProof, listenAddress, NONCE_BYTES, proofOf } from "./handshake.js";
import type { DaemonPaths } from "./paths.js";
import { checkPrivate } from "./private-folder.js";
import type { DaemonRequest } from "./requests.js";
import { readRegularFileSync } from "../util/regular-file.js";

export type FrameListener = (kind: number, payload: Buffer) => void;

export interface DaemonChannel {
  readonly socket: Socket;
  /** Sets the listener for received frames. It replaces the previous listener. */
  onFrame(listener: FrameListener): void;
  /** Sends a request and waits for the response. */
  ask(request: DaemonRequest): Promise<unknown>;
  /** Resolves when the connection has ended, for any reason. */
  readonly closed: Promise<void>;
  close(): void;
}

/** No daemon listens on the socket. */
export class AbsentError extends Error {
  override readonly name = "AbsentError";
}

/** A process listens on the socket, but it cannot be used as a daemon, for example because it fails authentication. */
export class UnusableError extends Error {
  override readonly name = "UnusableError";
}

/** A process listens on the socket but does not respond in time. */
export class SilentError extends UnusableError {}

export type ChannelPaths = Pick<DaemonPaths, "socket" | "socketFolder" | "keyFile">;

const ANSWER_MS = 5000;

/**
 * Connects to a daemon. Throws `AbsentError` or `UnusableError`. Sends no user data before the daemon has authenticated
 * itself.
 */
export async function openChannel(paths: ChannelPaths, answerMs = ANSWER_MS): Promise<DaemonChannel> {
  const key = readKey(paths);
  checkOwner(paths);
  const socket = createConnection(listenAddress(paths.socket, key));
  let listener: FrameListener = () => undefined;
  const read = createFrameReader((kind, payload) => listener(kind, payload));
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  let failure: Error | undefined;
  socket.on("error", (error: NodeJS.ErrnoException) => {
    failure ??= isAbsent(error) ? new AbsentError(error.message) : new UnusableError(error.message);
  });
  socket.on("data", (chunk) => {
    try {
      read(chunk);
    } catch (error) {
      socket.destroy(error instanceof Error ? error : undefined);
    }
  });

  /** Waits for the next frame. Rejects if the frame is not of the wanted kind. */
  const next = (wanted: number): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const fail = (error: Error): void => {
        clearTimeout(timer);
        reject(failure ?? error);
        socket.destroy();
      };
      const late = (): void => fail(new SilentError(`The daemon did not answer within ${answerMs / 1000} s.`));
      const timer = setTimeout(late, answerMs);
      listener = (kind, payload) => {
        clearTimeout(timer);
        if (kind === wanted) resolve(payload);
        else fail(new UnusableError("The daemon sent an unexpected frame."));
      };
      void closed.then(() => fail(new UnusableError("The daemon closed the connection.")));
    });

  await authenticate(socket, key, next);
  return {
    socket,
    closed,
    onFrame: (wanted) => (listener = wanted),
    async ask(request) {
      const answer = next(FRAME.answer);
      writeJson(socket, FRAME.request, request);
      return JSON.parse((await answer).toString("utf8")) as unknown;
    },
    close: () => void socket.destroy(),
  };
}

async function authenticate(socket: Socket, key: Buffer, next: (kind: number) => Promise<Buffer>): Promise<void> {
  const theirs = await next(FRAME.hello);
  if (theirs.length !== NONCE_BYTES) throw notAuthenticated(socket);
  const ours = randomBytes(NONCE_BYTES);
  const answer = next(FRAME.proof);
  writeFrame(socket, FRAME.proof, Buffer.concat([ours, proofOf(key, "client", [theirs, ours])]));
  if (!isProof(await answer, proofOf(key, "daemon", [ours, theirs]))) throw notAuthenticated(socket);
}

function notAuthenticated(socket: Socket): UnusableError {
  socket.destroy();
  return new UnusableError(
    "The program that listens on the daemon's socket does not have the key in the state folder.",
  );
}

function readKey({ keyFile }: ChannelPaths): Buffer {
  try {
    return handshakeKey(readRegularFileSync(keyFile));
  } catch (error) {
    // A daemon creates the key file before it listens, so without a key file there is no daemon.
    if (isAbsent(error)) throw new AbsentError(`${keyFile} does not exist.`);
    throw new UnusableError(`${keyFile} cannot be read.`);
  }
}

function checkOwner({ socketFolder, socket }: ChannelPaths): void {
  if (process.platform === "win32") return;
  try {
    checkPrivate(socketFolder);
    checkPrivate(socket);
  } catch (error) {
    if (isAbsent(error)) throw new AbsentError(`${socket} does not exist.`);
    throw new UnusableError(error instanceof Error ? error.message : String(error));
  }
}

function isAbsent(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOENT" || code === "ECONNREFUSED";
}
