// An HTTP server in the process of the suite: MCP with sessions at /mcp, with event streams at /mcp/events, a REST API,
// and a ledger of all actions.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The actions for one marker: the record outside the gateway. */
export interface Done {
  /** Received requests. */
  calls: number;
  effects: number;
}

export interface RemoteServer {
  readonly port: number;
  readonly origin: string;
  readonly url: string;
  readonly ledger: ReadonlyMap<string, Done>;
  of(id: string): Done;
  /** How often a session was opened. */
  initialized(): number;
  /** The headers of all requests, as received. */
  readonly heads: string[];
  /** Acts as after a restart: requests with an old session id get a session error. */
  forgetSessions(): void;
  stop(): Promise<void>;
}

export interface RemoteOptions {
  /** Answers a call in place of the server; `false` leaves it to the server. */
  readonly onCall?: (call: RemoteCall) => boolean;
  /** Stores the headers of all requests. */
  readonly keepsHeads?: boolean;
}

export interface RemoteCall {
  readonly rpcId: unknown;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly response: ServerResponse;
  /** The regular answer, with its effect. */
  finish(): void;
}

interface Session {
  counter: number;
}

const inputSchema = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };
const TOOLS = [
  { name: "effect", description: "Does something once per call.", inputSchema },
  { name: "read", description: "Reads something.", inputSchema, annotations: { readOnlyHint: true } },
  { name: "count", description: "Counts the calls of this session.", inputSchema, annotations: { readOnlyHint: true } },
];

/** Its OpenAPI document: one operation with side effects and one without. */
export const API_DOCUMENT = {
  openapi: "3.0.3",
  info: { title: "Remote", version: "1" },
  paths: {
    "/items/{id}": Object.fromEntries(
      [
        ["get", "look"],
        ["post", "change"],
      ].map(([method, operationId]) => [
        method,
        {
          operationId,
          parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
          responses: { "200": { description: "Done." } },
        },
      ]),
    ),
  },
};

export async function startRemote(options: RemoteOptions = {}): Promise<RemoteServer> {
  const ledger = new Map<string, Done>();
  const sessions = new Map<string, Session>();
  const heads: string[] = [];
  let initialized = 0;
  const of = (id: string): Done => {
    const known = ledger.get(id) ?? { calls: 0, effects: 0 };
    ledger.set(id, known);
    return known;
  };

  const callTool = ({ rpcId, params, session, response, streams }: Asked): void => {
    const { name: tool = "", arguments: args = {}, _meta: meta = {} } = params;
    const id = String(args["id"]);
    of(id).calls += 1;
    const finish = (): void => {
      if (tool === "effect") of(id).effects += 1;
      if (tool === "count" && session !== undefined) session.counter += 1;
      const text = tool === "count" ? String(session?.counter) : `done ${id}`;
      send(response, { id: rpcId, result: { content: [{ type: "text", text }] } }, streams);
    };
    if (options.onCall?.({ rpcId, tool, args, meta, response, finish }) !== true) finish();
  };

  const answerMcp = (body: string, request: IncomingMessage, response: ServerResponse): unknown => {
    const known = String(request.headers["mcp-session-id"] ?? "");
    if (request.method === "DELETE") {
      sessions.delete(known);
      return response.writeHead(204).end();
    }
    if (request.method !== "POST") return response.writeHead(405).end();
    const { id, method, params = {} } = JSON.parse(body) as { id?: unknown; method?: string; params?: Params };
    if (method === "initialize") {
      initialized += 1;
      const session = randomUUID();
      sessions.set(session, { counter: 0 });
      const result = {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "remote", version: "1.0.0" },
      };
      return send(response, { id, result }, false, { "mcp-session-id": session });
    }
    if (known !== "" && !sessions.has(known)) return refuseSession(response);
    if (id === undefined) return response.writeHead(202).end();
    if (method === "tools/list") return send(response, { id, result: { tools: TOOLS } }, false);
    if (method === "tools/call") {
      const streams = request.url?.endsWith("/events") === true;
      return callTool({ rpcId: id, params, session: sessions.get(known), response, streams });
    }
    const error = { code: -32_601, message: "Method not found" };
    return send(response, { id, ...(method === "ping" ? { result: {} } : { error }) }, false);
  };

  const answerApi = (request: IncomingMessage, response: ServerResponse): void => {
    const id = decodeURIComponent(/^\/items\/([^?]*)/.exec(request.url ?? "")?.[1] ?? "");
    const done = of(id);
    done.calls += 1;
    if (request.method === "POST") done.effects += 1;
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ id }));
  };

  const server = createServer((request, response) => {
    if (options.keepsHeads === true) heads.push([request.method, request.url, ...request.rawHeaders].join("\n"));
    const chunks: Buffer[] = [];
    // A client that disconnects before it has sent everything gets no answer.
    request.on("error", () => undefined);
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (request.url?.startsWith("/mcp") !== true) return answerApi(request, response);
      answerMcp(Buffer.concat(chunks).toString("utf8"), request, response);
    });
  });
  server.keepAliveTimeout = 0;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    url: `http://127.0.0.1:${port}/mcp`,
    ledger,
    of,
    initialized: () => initialized,
    heads,
    forgetSessions: () => sessions.clear(),
    async stop() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

interface Asked {
  readonly rpcId: unknown;
  readonly params: Params;
  readonly session: Session | undefined;
  readonly response: ServerResponse;
  readonly streams: boolean;
}

interface Params {
  readonly protocolVersion?: string;
  readonly name?: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export function refuseSession(response: ServerResponse): void {
  const error = { code: -32_001, message: "Session not found" };
  response
    .writeHead(404, { "content-type": "application/json" })
    .end(JSON.stringify({ jsonrpc: "2.0", id: null, error }));
}

function send(response: ServerResponse, message: object, streams: boolean, headers: Record<string, string> = {}): void {
  const text = JSON.stringify({ jsonrpc: "2.0", ...message });
  if (streams) response.writeHead(200, { "content-type": "text/event-stream" }).end(`data: ${text}\n\n`);
  else response.writeHead(200, { "content-type": "application/json", ...headers }).end(text);
}
