// The daemon side of one connection: authenticates the client within limits of time and size, then handles one request.
import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import { openRemoteCommand, type RemoteCommand } from "./command-io.js";
import { createFrameReader, FRAME, MAX_FRAME_BYTES, writeFrame, writeJson } from "./frames.js";
import { isProof, NONCE_BYTES, PROOF_BYTES, proofOf } from "./handshake.js";
import type { CommandAnswer, CommandRequest, DaemonRequest, DaemonStatus } from "./requests.js";

export interface ConnectionParts {
  readonly key: Buffer;
  readonly proofMs: number;
  onAuthenticated(): void;
  /** Decides whether the command may run in this daemon. */
  admit(request: CommandRequest): CommandAnswer;
  /** Runs the command. Never rejects. */
  run(request: CommandRequest, command: RemoteCommand): Promise<number>;
  /** Handles a request that is not a command. */
  answer(request: Exclude<DaemonRequest, CommandRequest>): DaemonStatus;
}

export function serveConnection(socket: Socket, parts: ConnectionParts): void {
  const nonce = randomBytes(NONCE_BYTES);
  let isAuthenticated = false;
  let admitted: CommandRequest | undefined;
  let command: RemoteCommand | undefined;
  const timer = setTimeout(() => socket.destroy(), parts.proofMs);

  const take = (kind: number, payload: Buffer): void => {
    if (!isAuthenticated) {
      const ours = toOwnProof(kind, payload, nonce, parts.key);
      if (ours === undefined) return void socket.destroy();
      clearTimeout(timer);
      isAuthenticated = true;
      parts.onAuthenticated();
      writeFrame(socket, FRAME.proof, ours);
    } else if (command !== undefined) command.onFrame(kind, payload);
    else if (kind === FRAME.go && admitted !== undefined) {
      command = openRemoteCommand(socket, admitted);
      void runToEnd(socket, admitted, command, parts);
    } else if (kind === FRAME.request) {
      const request = JSON.parse(payload.toString("utf8")) as DaemonRequest;
      if (request.kind === "command") {
        const answer = parts.admit(request);
        if (answer.kind === "accepted") admitted = request;
        writeJson(socket, FRAME.answer, answer);
      } else writeJson(socket, FRAME.answer, parts.answer(request));
    } else socket.destroy();
  };

  const read = createFrameReader(take, () => (isAuthenticated ? MAX_FRAME_BYTES : NONCE_BYTES + PROOF_BYTES));
  socket.on("data", (chunk) => {
    try {
      read(chunk);
    } catch {
      socket.destroy();
    }
  });
  socket.on("error", () => undefined);
  socket.once("close", () => clearTimeout(timer));
  writeFrame(socket, FRAME.hello, nonce);
}

/** The daemon's proof, which answers the client's proof in `payload`. Undefined if the client's proof is wrong. */
function toOwnProof(kind: number, payload: Buffer, nonce: Buffer, key: Buffer): Buffer | undefined {
  if (kind !== FRAME.proof || payload.length !== NONCE_BYTES + PROOF_BYTES) return undefined;
  const theirs = payload.subarray(0, NONCE_BYTES);
  const isRight = isProof(payload.subarray(NONCE_BYTES), proofOf(key, "client", [nonce, theirs]));
  return isRight ? proofOf(key, "daemon", [theirs, nonce]) : undefined;
}

async function runToEnd(
  socket: Socket,
  request: CommandRequest,
  command: RemoteCommand,
  parts: ConnectionParts,
): Promise<void> {
  const exitCode = await parts.run(request, command);
  await command.flush();
  if (!socket.writable) return;
  writeFrame(socket, FRAME.exit, Buffer.of(exitCode));
  socket.end();
}
