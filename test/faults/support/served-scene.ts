import { writeFileSync } from "node:fs";
import type { McpCaller } from "../../support/mcp-http.js";
import { type Chaos, startChaos } from "./chaosd.js";
import { inHome } from "./home.js";
import { API_DOCUMENT, type RemoteOptions, type RemoteServer, startRemote } from "./remote-server.js";
import type { ProxiedRequest } from "./request-reader.js";
import { openServedGateway, tokenEntry, tokenOf } from "./served-gateway.js";

/** A gateway over HTTP with several actors and one remote server. */
export interface ServedScene {
  readonly remote: RemoteServer;
  readonly chaos: Chaos;
  caller(actor: string): McpCaller;
}

export interface ServedParts {
  readonly dist: string;
  readonly actors: readonly string[];
  readonly remote?: RemoteOptions;
  /** Receives every request to the server. */
  readonly onRequest?: (request: ProxiedRequest) => void;
}

export async function inServedScene<T>(parts: ServedParts, work: (scene: ServedScene) => Promise<T>): Promise<T> {
  return await inHome(async (home) => {
    const remote = await startRemote(parts.remote);
    const chaos = await startChaos({
      port: remote.port,
      plan(request) {
        parts.onRequest?.(request);
        return { kind: "none" };
      },
    });
    writeFileSync(home.path("api.json"), JSON.stringify(API_DOCUMENT));
    home.configure(
      { json: { url: `${chaos.origin}/mcp` }, events: { url: `${chaos.origin}/mcp/events` } },
      {
        adapters: { api: { document: home.path("api.json"), baseUrl: chaos.origin } },
        http: { port: 0, tokens: parts.actors.map((actor) => tokenEntry(actor)) },
      },
    );
    try {
      const { url } = await openServedGateway(home, { dist: parts.dist });
      return await work({ remote, chaos, caller: (actor) => ({ url, token: tokenOf(actor) }) });
    } finally {
      await chaos.stop();
      await remote.stop();
    }
  });
}
