import type { JsonObject } from "../../src/model/json.js";

/** The result of one POST to an MCP endpoint. */
export interface McpReply {
  readonly status: number;
  readonly headers: Headers;
  readonly isStream: boolean;
  /** All messages of the response, in order. */
  readonly messages: readonly McpMessage[];
  /** The first answer, or an error without an id. */
  readonly answer: McpMessage;
}

export interface McpMessage {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: JsonObject;
  readonly result?: JsonObject & { content?: { text: string }[]; isError?: boolean };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: JsonObject };
}

export interface McpCaller {
  readonly url: string;
  readonly token: string;
  readonly path?: string;
}

export const ACCEPT = "application/json, text/event-stream";

/** Sends a body unchanged and reads the whole response, whatever it is. */
export async function postMcp(
  { url, token, path = "/mcp" }: McpCaller,
  body: unknown,
  { signal, ...headers }: Record<string, string> & { signal?: never } = {},
): Promise<McpReply> {
  const response = await fetch(`${url}${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: ACCEPT,
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
  return await readReply(response);
}

export async function readReply(response: Response): Promise<McpReply> {
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  const text = await response.text();
  const messages = isStream
    ? eventsOf(text)
    : text === ""
      ? []
      : [JSON.parse(text) as McpMessage | McpMessage[]].flat();
  const answer = messages.find((one) => one.method === undefined) ?? {};
  return { status: response.status, headers: response.headers, isStream, messages, answer };
}

export function eventsOf(text: string): McpMessage[] {
  return text
    .split("\n\n")
    .flatMap((event) => event.split("\n").filter((line) => line.startsWith("data: ")))
    .map((line) => JSON.parse(line.slice("data: ".length)) as McpMessage);
}

export const REVISION = "2026-07-28";

/** A stateless request (2026-07-28) with its required metadata. */
export function modern(method: string, params: JsonObject = {}, id: number | string = 1) {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": REVISION,
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
    ...(params["_meta"] as object | undefined),
  };
  const body = { jsonrpc: "2.0", id, method, params: { ...params, _meta } };
  const name = params["name"] ?? params["uri"] ?? params["taskId"];
  const headers: Record<string, string> = {
    "mcp-protocol-version": REVISION,
    "mcp-method": method,
    ...(typeof name === "string" ? { "mcp-name": name } : {}),
  };
  return { body, headers };
}

export async function askModern(caller: McpCaller, method: string, params: JsonObject = {}, id: number | string = 1) {
  const { body, headers } = modern(method, params, id);
  return await postMcp(caller, body, headers);
}

export interface McpSession {
  readonly id: string;
  readonly opening: McpReply;
  post(body: unknown, headers?: Record<string, string>): Promise<McpReply>;
  ask(method: string, params?: JsonObject, id?: number | string): Promise<McpReply>;
  request(method: "GET" | "DELETE", headers?: Record<string, string>): Promise<Response>;
}

export async function openMcpSession(
  caller: McpCaller,
  { revision = "2025-11-25", capabilities = {} }: { revision?: string; capabilities?: JsonObject } = {},
): Promise<McpSession> {
  const params = { protocolVersion: revision, capabilities, clientInfo: { name: "raw", version: "1" } };
  const opening = await postMcp(caller, { jsonrpc: "2.0", id: 0, method: "initialize", params });
  const id = opening.headers.get("mcp-session-id") ?? "";
  const own = { "mcp-session-id": id, "mcp-protocol-version": revision };
  const post = (body: unknown, headers: Record<string, string> = {}) => postMcp(caller, body, { ...own, ...headers });
  await post({ jsonrpc: "2.0", method: "notifications/initialized" });
  const { url, token, path = "/mcp" } = caller;
  return {
    id,
    opening,
    post,
    ask: (method, given = {}, rpcId = 1) => post({ jsonrpc: "2.0", id: rpcId, method, params: given }),
    request: (method, headers = {}) =>
      fetch(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, accept: ACCEPT, ...own, ...headers },
      }),
  };
}
