import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DiscoveryEngine } from "../../src/engine.js";
import { localActor } from "../../src/model/actor.js";
import { createMcpOverHttp } from "../../src/surfaces/mcp/over-http/over-http.js";
import {
  type Asked,
  type AskedClient,
  type ClientParts,
  legacyClient,
  modernClient,
  saidBy,
  overHttp,
  overPipes,
} from "./asking-clients.js";
import { testServer } from "./gateway.js";
import { startHttpServer } from "./upstreams.js";

/** The transports between client and gateway, and between gateway and server. */
export const KINDS = ["legacy-stdio", "legacy-http", "modern-stdio", "modern-http"] as const;
export type Kind = (typeof KINDS)[number];

export interface AskingGateway {
  readonly engine: DiscoveryEngine;
  client(kind: Kind, parts: ClientParts): Promise<AskedClient>;
  close(): Promise<void>;
}

/** One gateway with a server of each kind that sends requests to its clients, for clients of each kind. */
export async function openAskingGateway(): Promise<AskingGateway> {
  const folder = await mkdtemp(join(tmpdir(), "anygpt-asking-"));
  const [legacy, modern] = await Promise.all([
    startHttpServer("asking-legacy.mjs", "http"),
    startHttpServer("asking-modern.mjs", "http"),
  ]);
  const engine = new DiscoveryEngine(
    {
      servers: {
        "legacy-stdio": testServer("asking-legacy.mjs"),
        "legacy-http": { type: "http", url: `${legacy.origin}/mcp` },
        "modern-stdio": testServer("asking-modern.mjs"),
        "modern-http": { type: "http", url: `${modern.origin}/mcp` },
        odd: testServer("asking-undeclared.mjs"),
      },
      upstreams: { concurrency: 128, queue: 128, startWaitMs: 30_000 },
    },
    { stateFolder: folder, env: { PATH: process.env["PATH"], HOME: folder } },
  );
  (await engine.stages()).upstreams.expectPeers("one");
  const mcp = createMcpOverHttp({
    stagesFor: () => engine.known(),
    onToolsChanged: () => undefined,
    elapsed: () => performance.now(),
    idleMs: 600_000,
    most: 500,
  });
  const open: AskedClient[] = [];
  return {
    engine,
    async client(kind, parts) {
      const era = kind.startsWith("legacy") ? "legacy" : "modern";
      const way = kind.endsWith("http") ? overHttp(mcp, localActor("mcp"), era) : overPipes(engine);
      const opened = await (era === "legacy" ? legacyClient : modernClient)(way, parts);
      open.push(opened);
      return opened;
    },
    async close() {
      await Promise.all(open.map((client) => client.close().catch(() => undefined)));
      await mcp.close();
      await engine.close();
      await Promise.all([legacy.stop(), modern.stop()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The answers of the user and the model of one client. */
export const as =
  (name: string) =>
  ({ method, params }: Asked): object => {
    if (method === "roots/list") return { roots: [{ uri: `file:///home/${name}` }] };
    if (method === "sampling/createMessage") {
      const [{ content }] = params["messages"] as [{ content: { text: string } }];
      const said = { type: "text", text: `${name}: ${content.text}` };
      return { role: "assistant", model: "m", stopReason: "endTurn", content: said };
    }
    if (params["mode"] === "url") return { action: "accept" };
    return accepted(`${name}: ${saidBy(params)}`);
  };

export const accepted = (value: string) => ({ action: "accept", content: { value } });
