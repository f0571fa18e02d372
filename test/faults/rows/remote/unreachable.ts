// Servers are unreachable or have invalid certificates: the error names the reason, the gateway waits before it retries,
// and never connects without TLS.
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { openGateway, type Gateway, type Outcome } from "../../support/gateway.js";
import { type GuardedPort, openGuardedPorts } from "../../support/guarded-ports.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { API_DOCUMENT } from "../../support/remote-server.js";
import { describe } from "../../support/replay.js";
import type { RowOptions, RowResult } from "../../support/row.js";

interface Place {
  readonly name: string;
  readonly url: string;
  /** The reason in the error message. */
  readonly says: RegExp;
  readonly port?: GuardedPort;
}

const CERTIFICATE = /certificate|TLS/i;
/** No server definition can disable the certificate check. */
const SWITCHES = ["insecure", "rejectUnauthorized", "tls", "skipTlsVerify", "ca"] as const;

/** `count`: how often each address is called with each kind of connection. */
export async function unreachable({ count, dist }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    const { ports, authority } = await openGuardedPorts(home);
    const [closed, plain] = [await openPlain(), await openPlain()];
    closed.close();
    const places: Place[] = [
      { name: "nothing-listens", url: `http://127.0.0.1:${closed.port}`, says: /nothing listens|ECONNREFUSED/ },
      { name: "no-such-host", url: "http://nowhere.invalid", says: /host name|ENOTFOUND|EAI_AGAIN/ },
      { name: "no-tls-there", url: `https://127.0.0.1:${plain.port}`, says: /TLS|SSL/ },
      ...ports.map((port, index) => ({ name: `certificate-${index}`, url: port.url, says: CERTIFICATE, port })),
    ];
    try {
      configure(home, places);
      // With a trusted certificate authority, each certificate is invalid in exactly one way.
      const env = { ...home.env, NODE_EXTRA_CA_CERTS: authority };
      const gateway = await openGateway({ ...home, env }, { dist });
      const violations: string[] = [];
      let calls = 0;
      for (const place of places) {
        for (const kind of ["http", "sse", "api"] as const) {
          for (let number = 0; number < count; number += 1) {
            const before = place.port?.connections() ?? 0;
            const outcome = await call(gateway, `${kind}-${place.name}`, kind === "api" ? "look" : "read");
            calls += 1;
            violations.push(...judge(`${kind} to ${place.port?.name ?? place.name}, call ${number}`, outcome, place));
            const more = (place.port?.connections() ?? 0) - before;
            if (kind !== "api" && number > 0 && more > 0) violations.push(`${kind} to ${place.name}: retried at once`);
          }
        }
        if (place.port !== undefined && place.port.plain() > 0)
          violations.push(`${place.port.name}: contacted without TLS`);
        if (place.port !== undefined && place.port.requests() > 0)
          violations.push(`${place.port.name}: received a request`);
      }
      await gateway.close();
      violations.push(...(await judgeSwitches(home, dist, ports[0]!)));
      return {
        title: "unreachable servers",
        n: calls + SWITCHES.length,
        injected: calls + SWITCHES.length,
        violations,
        figures: {
          places: places.length,
          connections: ports.reduce((sum, port) => sum + port.connections(), 0),
          "without TLS": ports.reduce((sum, port) => sum + port.plain(), 0),
          "requests with a wrong certificate": ports.reduce((sum, port) => sum + port.requests(), 0),
        },
      };
    } finally {
      plain.close();
      for (const port of ports) port.stop();
    }
  });
}

/** A server without TLS. */
async function openPlain(): Promise<{ port: number; close(): void }> {
  const server = createServer((_, response) => void response.end("{}"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function configure(home: FaultHome, places: readonly Place[]): void {
  writeFileSync(home.path("api.json"), JSON.stringify(API_DOCUMENT));
  const tools = [{ name: "read", description: "Reads something." }];
  const servers = places.flatMap(({ name, url }) => [
    [`http-${name}`, { url: `${url}/mcp`, tools }],
    [`sse-${name}`, { type: "sse", url: `${url}/sse`, tools }],
  ]);
  const adapters = places.map(({ name, url }) => [`api-${name}`, { document: home.path("api.json"), baseUrl: url }]);
  home.configure(Object.fromEntries(servers) as Record<string, object>, {
    adapters: Object.fromEntries(adapters) as object,
  });
}

function call(gateway: Gateway, server: string, tool: string): Promise<Outcome> {
  return gateway.execute({ server, tool, arguments: { id: "x" } });
}

function judge(what: string, outcome: Outcome, { says }: Place): string[] {
  if (outcome.kind !== "error") return [`${what}: ${describe(outcome)}`];
  const found: string[] = [];
  if (outcome.code !== "SERVER_CONNECTION_ERROR" || outcome.executed !== "no")
    found.push(`${what}: ${describe(outcome)}`);
  const text = JSON.stringify(outcome.error);
  if (!says.test(text)) found.push(`${what}: the reason is missing: ${text}`);
  return found;
}

/** A definition that would disable the check is rejected. */
async function judgeSwitches(home: FaultHome, dist: string, port: GuardedPort): Promise<string[]> {
  const found: string[] = [];
  for (const name of SWITCHES) {
    const config = home.configure(
      { one: { url: `${port.url}/mcp`, [name]: name !== "rejectUnauthorized" } },
      {},
      `${name}.json`,
    );
    const before = port.requests();
    const opened = await openGateway(home, { dist, config }).catch(() => undefined);
    const outcome = await opened?.execute({ server: "one", tool: "read", arguments: { id: "x" } });
    if (outcome?.kind === "answer" || port.requests() > before) found.push(`a definition with ${name} was accepted`);
    await opened?.close();
  }
  return found;
}
