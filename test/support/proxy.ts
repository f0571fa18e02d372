import { once } from "node:events";
import { createServer, request, type IncomingMessage, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { Certificate } from "../rest/certificate.js";

/** A local HTTP proxy: every requested host name resolves to 127.0.0.1 with the same port. */
export interface TestProxy {
  readonly port: number;
  /** `CONNECT host:port` and `GET http://host:port/path`, in order of arrival. */
  readonly asked: readonly string[];
  stop(): Promise<void>;
}

export interface TestProxyParts {
  /** The required `user:password`. */
  readonly credentials?: string;
  /** Answers every request with this status. */
  readonly refuses?: number;
  /** The proxy itself uses https. */
  readonly certificate?: Certificate;
}

export async function startProxy({ credentials, refuses, certificate }: TestProxyParts = {}): Promise<TestProxy> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server: Server = certificate === undefined ? createServer() : createTlsServer(certificate);

  function refusalOf({ headers }: IncomingMessage): number | undefined {
    const wanted = credentials && `Basic ${Buffer.from(credentials).toString("base64")}`;
    return wanted !== undefined && headers["proxy-authorization"] !== wanted ? 407 : refuses;
  }

  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.on("connect", (incoming: IncomingMessage, socket: Socket) => {
    asked.push(`CONNECT ${incoming.url}`);
    socket.on("error", () => undefined);
    const refusal = refusalOf(incoming);
    if (refusal !== undefined) return socket.end(`HTTP/1.1 ${refusal} No\r\n\r\n`);
    const port = Number(/:(\d+)$/.exec(incoming.url ?? "")?.[1]);
    const behind = connect(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      behind.pipe(socket).pipe(behind);
    });
    behind.on("error", () => socket.destroy());
    socket.on("close", () => behind.destroy());
  });
  server.on("request", (incoming, response) => {
    asked.push(`${incoming.method} ${incoming.url}`);
    const refusal = refusalOf(incoming);
    if (refusal !== undefined) return response.writeHead(refusal).end();
    const { hostname, port, pathname, search } = new URL(incoming.url ?? "");
    const { "proxy-authorization": _credentials, connection: _hop, ...headers } = incoming.headers;
    const options = { host: "127.0.0.1", port, path: `${pathname}${search}`, method: incoming.method, headers };
    const behind = request({ ...options, setHost: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, { ...answer.headers, "x-proxied-for": hostname });
      answer.pipe(response);
    });
    behind.on("error", () => response.destroy());
    incoming.pipe(behind);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    async stop() {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
