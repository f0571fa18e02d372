import { PassThrough } from "node:stream";
import { createInterface } from "node:readline";
import { Client as ModernClient, StreamableHTTPClientTransport as ModernHttp } from "@modelcontextprotocol/client";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as LegacyHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  CallToolResultSchema,
  CreateMessageRequestSchema,
  ElicitationCompleteNotificationSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type { DiscoveryEngine } from "../../src/engine.js";
import type { Actor } from "../../src/model/actor.js";
import { type McpOverHttp } from "../../src/surfaces/mcp/over-http/over-http.js";
import { serveMcp } from "../../src/surfaces/mcp/serve.js";

export interface Asked {
  readonly method: string;
  readonly params: Record<string, unknown>;
  readonly signal: AbortSignal;
}

export type Answerer = (asked: Asked) => object | Promise<object>;

export interface AskedClient {
  execute(server: string, tool: string, args?: object, more?: CallMore): Promise<Executed>;
  /** The requests of the gateway to this client. */
  readonly asked: Asked[];
  readonly logs: string[];
  /** The completed URL elicitations; legacy only. */
  readonly completed: string[];
  setLevel(level: "debug" | "error"): Promise<unknown>;
  /** Disconnects. */
  close(): Promise<void>;
}

export interface CallMore {
  readonly options?: object;
  readonly meta?: Record<string, unknown>;
  readonly signal?: AbortSignal;
}

export interface Executed {
  readonly isError: boolean;
  readonly text: string;
  readonly json: unknown;
}

export interface ClientParts {
  readonly capabilities?: object;
  readonly answer: Answerer;
}

export const EVERYTHING = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} };

/** What the server itself says in a question: the gateway begins each line of the server's text with a bar. */
export function saidBy({ message }: Record<string, unknown>): string {
  const lines = String(message).split("\n");
  return lines.flatMap((line) => (line.startsWith("│ ") ? [line.slice(2)] : [])).join("\n");
}

interface Way {
  readonly transport: unknown;
  readonly hangUp: () => Promise<unknown>;
}

/** A legacy client (SDK v1). */
export async function legacyClient(way: Way, { capabilities = EVERYTHING, answer }: ClientParts): Promise<AskedClient> {
  const client = new LegacyClient({ name: "legacy", version: "1" }, { capabilities });
  const { asked, logs, take } = createNotes(answer);
  const completed: string[] = [];
  const has = capabilities as Record<string, unknown>;
  type Handler = Parameters<typeof client.setRequestHandler>;
  const handle = (schema: unknown) =>
    client.setRequestHandler(
      schema as Handler[0],
      ((request: Asked, { signal }: Asked) => take(request.method, request.params, signal)) as unknown as Handler[1],
    );
  if (has["elicitation"] !== undefined) handle(ElicitRequestSchema);
  if (has["sampling"] !== undefined) handle(CreateMessageRequestSchema);
  if (has["roots"] !== undefined) handle(ListRootsRequestSchema);
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logs.push(String(params.data)));
  client.setNotificationHandler(
    ElicitationCompleteNotificationSchema,
    ({ params }) => void completed.push(params.elicitationId),
  );
  await client.connect(way.transport as Parameters<typeof client.connect>[0]);
  return {
    asked,
    logs,
    completed,
    execute: async (server, tool, args = {}, { options, meta, signal } = {}) =>
      toExecuted(
        await client.request(
          {
            method: "tools/call",
            params: { name: "execute_tool", arguments: { server, tool, arguments: args, options }, _meta: meta },
          },
          CallToolResultSchema,
          { timeout: 60_000, ...(signal && { signal }) },
        ),
      ),
    setLevel: (level) => client.setLoggingLevel(level),
    close: async () => void (await Promise.all([client.close(), way.hangUp()])),
  };
}

/** A modern client (SDK v2), without a handshake. */
export async function modernClient(way: Way, { capabilities = EVERYTHING, answer }: ClientParts): Promise<AskedClient> {
  const client = new ModernClient(
    { name: "modern", version: "2" },
    { capabilities, versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  const { asked, logs, take } = createNotes(answer);
  const has = capabilities as Record<string, unknown>;
  const handle = (method: "elicitation/create") =>
    client.setRequestHandler(method, ((request: Asked, { mcpReq }: { mcpReq: Asked }) =>
      take(method, request.params, mcpReq.signal)) as never);
  if (has["elicitation"] !== undefined) handle("elicitation/create");
  if (has["sampling"] !== undefined) handle("sampling/createMessage" as "elicitation/create");
  if (has["roots"] !== undefined) handle("roots/list" as "elicitation/create");
  client.setNotificationHandler("notifications/message", ({ params }) => void logs.push(String(params.data)));
  let level: string | undefined;
  await client.connect(way.transport as Parameters<typeof client.connect>[0]);
  return {
    asked,
    logs,
    completed: [],
    async execute(server, tool, args = {}, { options, meta, signal } = {}) {
      const _meta = { ...meta, ...(level === undefined ? {} : { "io.modelcontextprotocol/logLevel": level }) };
      const call = { name: "execute_tool", arguments: { server, tool, arguments: args, options }, _meta };
      return toExecuted(await client.callTool(call, signal && { signal }));
    },
    setLevel: (chosen) => Promise.resolve((level = chosen)),
    close: async () => void (await Promise.all([client.close(), way.hangUp()])),
  };
}

function createNotes(answer: Answerer) {
  const asked: Asked[] = [];
  const logs: string[] = [];
  const take = (method: string, params: Record<string, unknown> = {}, signal: AbortSignal) => {
    const one = { method, params, signal };
    asked.push(one);
    return answer(one);
  };
  return { asked, logs, take };
}

function toExecuted(result: unknown): Executed {
  const { isError = false, content } = result as { isError?: boolean; content: { text: string }[] };
  const text = content[0]?.text ?? "";
  return {
    isError,
    text,
    get json() {
      return JSON.parse(text) as unknown;
    },
  };
}

interface PipeTransport {
  onmessage: ((message: unknown) => void) | undefined;
  onclose: (() => void) | undefined;
  start(): Promise<void>;
  send(message: unknown): Promise<void>;
  close(): Promise<void>;
}

/** A separate connection to the engine, as over stdio. */
export function overPipes(engine: DiscoveryEngine): Way {
  const input = new PassThrough();
  const output = new PassThrough();
  const served = serveMcp({ engine, input, output, log: () => undefined }, new AbortController().signal);
  const transport: PipeTransport = {
    onmessage: undefined,
    onclose: undefined,
    start() {
      createInterface({ input: output }).on("line", (line) => transport.onmessage?.(JSON.parse(line)));
      return Promise.resolve();
    },
    send(message: unknown) {
      input.write(`${JSON.stringify(message)}\n`);
      return Promise.resolve();
    },
    close() {
      input.end();
      transport.onclose?.();
      return Promise.resolve();
    },
  };
  return { transport, hangUp: () => (input.end(), served) };
}

/** Streamable HTTP without a network. */
export function overHttp(mcp: McpOverHttp, actor: Actor, era: "legacy" | "modern"): Way {
  const fetch = async (url: string | URL, { body, ...init }: RequestInit = {}): Promise<Response> => {
    const request = new Request(url, init);
    const bytes = typeof body === "string" ? Buffer.from(body) : undefined;
    const response = await mcp.serve({ request, body: bytes, endpoint: { kind: "default" }, actor });
    return response ?? new Response(null, { status: 404 });
  };
  const transport = new (era === "legacy" ? LegacyHttp : ModernHttp)(new URL("http://gateway.test/mcp"), { fetch });
  return { transport, hangUp: () => Promise.resolve() };
}

/** A modern client whose rounds the test sends one by one. */
export interface RawRounds {
  call(call: object, more?: object): Promise<Round>;
  close(): Promise<unknown>;
}

export interface Round {
  readonly result?: Record<string, unknown> & {
    readonly inputRequests?: Record<string, { method: string; params: Record<string, unknown> }>;
    readonly requestState?: string;
    readonly content?: { text: string }[];
  };
  readonly error?: { code: number; message: string; data?: unknown };
}

export function rawRounds(engine: DiscoveryEngine, capabilities: object = EVERYTHING): RawRounds {
  const { transport, hangUp } = overPipes(engine);
  const pipe = transport as PipeTransport;
  const waiting = new Map<unknown, (round: Round) => void>();
  let lastId = 0;
  pipe.onmessage = (message) => waiting.get((message as { id?: unknown }).id)?.(message as Round);
  void pipe.start();
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": capabilities,
  };
  return {
    call(call, more = {}) {
      const id = ++lastId;
      const params = { name: "execute_tool", arguments: call, ...more, _meta };
      void pipe.send({ jsonrpc: "2.0", id, method: "tools/call", params });
      return new Promise((resolve) => waiting.set(id, resolve));
    },
    close: hangUp,
  };
}
