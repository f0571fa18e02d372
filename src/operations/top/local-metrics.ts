// Reads the metrics of a gateway of this user. The token is sent only over a connection on which the gateway has proved
// that it knows the token.
import { Agent, type ClientRequest, type IncomingMessage, request } from "node:http";
import type { Socket } from "node:net";
import { DiscoveryError } from "../../errors.js";
import { withAnySignal } from "../../util/with-any-signal.js";
import {
  CHALLENGE_HEADER,
  createChallenge,
  isSameProof,
  PROOF_HEADER,
  proofOfToken,
  reachedEndpoint,
} from "../../util/gateway-proof.js";

export interface LocalMetricsParts {
  /** An `http:` URL on this machine. */
  readonly url: URL;
  /** The token of this machine's user. */
  readonly token: string;
  /** The token to send. */
  readonly sentToken: string;
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

export interface MetricsAnswer {
  readonly status: number;
  readonly text: string;
}

export interface LocalMetrics {
  fetch(signal: AbortSignal): Promise<MetricsAnswer>;
  close(): void;
}

export function createLocalMetrics({ url, token, sentToken, timeoutMs, maxBytes }: LocalMetricsParts): LocalMetrics {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const proven = new WeakSet<Socket>();

  /** Sends the token over a proven connection, and a challenge over another one. */
  function send(signal: AbortSignal): Promise<{ readonly answer: IncomingMessage; readonly challenge?: string }> {
    return new Promise((resolve, reject) => {
      let challenge: string | undefined;
      const sent: ClientRequest = request(url, { agent, signal });
      sent.on("error", (cause) => reject(unreachable(url, cause)));
      sent.on("socket", (socket) => {
        if (proven.has(socket)) sent.setHeader("authorization", `Bearer ${sentToken}`);
        else sent.setHeader(CHALLENGE_HEADER, (challenge = createChallenge()));
        sent.end();
      });
      sent.on("response", (answer) => resolve({ answer, ...(challenge === undefined ? {} : { challenge }) }));
    });
  }

  async function read(answer: IncomingMessage): Promise<string> {
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxBytes) throw unreachable(url);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString("utf8");
  }

  async function fetchProven(signal: AbortSignal): Promise<MetricsAnswer> {
    // The connection may be new in the second round too, if the gateway has closed the first one.
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const { answer, challenge } = await send(signal);
      const { socket } = answer;
      const expected = proofOfToken(token, challenge, reachedEndpoint(socket));
      const text = await read(answer);
      if (challenge === undefined) return { status: answer.statusCode ?? 0, text };
      if (!isSameProof(answer.headers[PROOF_HEADER], expected)) throw unproven(url);
      proven.add(socket);
    }
    throw unreachable(url);
  }

  return {
    fetch: (signal) => withAnySignal([signal, AbortSignal.timeout(timeoutMs)], fetchProven),
    close: () => agent.destroy(),
  };
}

const MAX_ROUNDS = 4;

function unreachable({ host }: URL, cause?: unknown): DiscoveryError {
  return new DiscoveryError("SERVER_CONNECTION_ERROR", `${host} cannot be reached.`, {
    hint: { action: "run-command", command: "anygpt mcp serve --http", purpose: "start a gateway" },
    cause,
  });
}

function unproven({ host }: URL): DiscoveryError {
  return new DiscoveryError(
    "UNAUTHORIZED",
    `The program at ${host} did not prove that it is a gateway of this user, so the token of this machine was not sent.`,
    {
      hint: "Check which program listens there. To send a token to it anyway, name the token's file with --token-file.",
    },
  );
}
