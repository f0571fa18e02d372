import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as received. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

const MAX_HEADER_BYTES = 1024 * 1024;

export type Reply = (received: Received, response: ServerResponse) => unknown;

export interface Loopback {
  readonly origin: string;
  readonly port: number;
  readonly received: Received[];
  /** The number of connections, with or without a request. */
  connections(): number;
  reply: Reply;
  stop(): Promise<void>;
}

/** A local API that records all requests. */
export async function listen(reply: Reply = json({})): Promise<Loopback> {
  const received: Received[] = [];
  let connections = 0;
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, (request, response) => {
    void take(request).then((whole) => {
      received.push(whole);
      return loopback.reply(whole, response);
    });
  });
  server.on("connection", () => (connections += 1));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const loopback: Loopback = {
    origin: `http://127.0.0.1:${port}`,
    port,
    received,
    connections: () => connections,
    reply,
    stop: () => stop(server),
  };
  return loopback;
}

export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Reply {
  return (_, response) =>
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
}

export async function stop(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}

async function take(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { method = "", url = "", headers, rawHeaders } = request;
  return { method, url, headers, rawHeaders, body: Buffer.concat(chunks) };
}
