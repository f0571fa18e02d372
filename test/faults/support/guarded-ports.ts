import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net";
import { type Certificate, createIssuer, EXPIRED } from "../../rest/certificate.js";
import type { FaultHome } from "./home.js";

const HANDSHAKE = 0x16;

/** A local port with a TLS fault. */
export interface GuardedPort {
  readonly name: string;
  readonly url: string;
  /** Connections so far. */
  connections(): number;
  /** Connections with data other than a TLS handshake, and parsed requests. */
  plain(): number;
  requests(): number;
  stop(): void;
}

/** Ports with invalid certificates, each in one way, and a file with the only trusted certificate authority. */
export async function openGuardedPorts(home: FaultHome): Promise<{ ports: GuardedPort[]; authority: string }> {
  const issuer = createIssuer();
  const authority = home.path("authority.pem");
  writeFileSync(authority, issuer.cert);
  const cases: [string, Certificate][] = [
    ["an expired certificate", issuer.issue({ ip: "127.0.0.1" }, EXPIRED)],
    ["a certificate of an unknown authority", createIssuer().issue({ ip: "127.0.0.1" })],
    ["a self-signed certificate", createIssuer()],
    ["a certificate of another host", issuer.issue({ dns: ["other.example"] })],
  ];
  return { ports: await Promise.all(cases.map(([name, certificate]) => openPort(name, certificate))), authority };
}

async function openPort(name: string, certificate: Certificate): Promise<GuardedPort> {
  const count = { connections: 0, plain: 0, requests: 0 };
  const secure = createServer({ key: certificate.key, cert: certificate.cert }, (_, response) => {
    count.requests += 1;
    response.end("{}");
  });
  secure.on("tlsClientError", () => undefined);
  secure.listen(0, "127.0.0.1");
  await once(secure, "listening");
  const sockets = new Set<Socket>();
  const front = createTcpServer((client) => {
    count.connections += 1;
    const inner = connect((secure.address() as AddressInfo).port, "127.0.0.1");
    for (const socket of [client, inner]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
    }
    client.once("data", (first: Buffer) => {
      if (first[0] !== HANDSHAKE) count.plain += 1;
    });
    client.pipe(inner).pipe(client);
  });
  front.listen(0, "127.0.0.1");
  await once(front, "listening");
  return {
    name,
    url: `https://127.0.0.1:${(front.address() as AddressInfo).port}`,
    connections: () => count.connections,
    plain: () => count.plain,
    requests: () => count.requests,
    stop() {
      front.close();
      secure.close();
      secure.closeAllConnections();
      for (const socket of sockets) socket.destroy();
    },
  };
}
