// Handles tools/call of legacy clients (MCP before 2026-07-28) on stdio without the SDK's request handling, which
// validates every message several times and costs more than the rest of the gateway. Requests with unusual parameters
// still go through the SDK.
import {
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  type RequestId,
  type Server,
} from "@modelcontextprotocol/server";
import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { RequestContext } from "./request-context.js";

export interface FastPathParts {
  readonly server: Server;
  readonly callTool: (params: JsonObject, context: RequestContext) => Promise<JsonObject>;
  readonly send: (answer: FastPathResponse) => void;
  readonly log: (message: string) => void;
}

export type FastPathResponse = { readonly jsonrpc: "2.0"; readonly id: RequestId } & (
  | { readonly result: JsonObject }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }
);

export interface FastPath {
  /** Handles a request. Returns false if the SDK has to handle it instead. */
  take(request: JSONRPCRequest): boolean;
  /** Aborts the request; no response is sent. */
  cancel(id: RequestId): void;
  /** Aborts all requests. */
  close(): void;
}

const PARAMS: ReadonlySet<string> = new Set(["name", "arguments", "_meta"]);
/** The prefix of `_meta` members that the SDK evaluates. Requests with such members are left to the SDK. */
const ENVELOPE = "io.modelcontextprotocol/";

export function createFastPath({ server, callTool, send, log }: FastPathParts): FastPath {
  const open = new Map<RequestId, AbortController>();
  const ask: RequestContext["mcpReq"]["send"] = server.request.bind(server);
  const notify: RequestContext["mcpReq"]["notify"] = (notification) => server.notification(notification);

  async function answer(id: RequestId, params: JsonObject): Promise<void> {
    const ending = new AbortController();
    open.set(id, ending);
    let answer: FastPathResponse;
    try {
      answer = { jsonrpc: "2.0", id, result: await callTool(params, toContext(id, params, ending.signal)) };
    } catch (error) {
      answer = { jsonrpc: "2.0", id, error: toError(error) };
    }
    // Delete the id only if the client has not reused it for a new request.
    if (open.get(id) === ending) open.delete(id);
    if (!ending.signal.aborted) send(answer);
  }

  /**
   * Converts an error to a JSON-RPC error. A protocol error is sent unchanged; the details of any other error are only
   * logged.
   */
  function toError(thrown: unknown): { code: number; message: string; data?: unknown } {
    if (thrown instanceof ProtocolError) {
      const { code, message, data } = thrown;
      return { code, message, ...(data === undefined ? {} : { data }) };
    }
    log(`A request failed: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`);
    return {
      code: ProtocolErrorCode.InternalError,
      message: "Internal error in the gateway. The gateway's log has the details.",
    };
  }

  function toContext(id: RequestId, params: JsonObject, signal: AbortSignal): RequestContext {
    return {
      mcpReq: {
        id,
        method: "tools/call",
        _meta: params["_meta"] as NonNullable<RequestContext["mcpReq"]["_meta"]>,
        signal,
        requestState: () => undefined,
        send: ask,
        notify,
      },
    };
  }

  return {
    take({ id, method, params }) {
      // Before the handshake is complete, the MCP revision and the capabilities of the client are not known.
      if (method !== "tools/call" || server.getClientCapabilities() === undefined) return false;
      if (!isJsonObject(params) || !hasOnlyKnownMembers(params)) return false;
      void answer(id, params);
      return true;
    },
    cancel: (id) => open.get(id)?.abort(),
    close() {
      for (const ending of open.values()) ending.abort();
    },
  };
}

function hasOnlyKnownMembers(params: JsonObject): boolean {
  for (const name in params) if (!PARAMS.has(name)) return false;
  const meta = params["_meta"];
  if (meta === undefined) return true;
  if (!isJsonObject(meta)) return false;
  for (const name in meta) if (name.startsWith(ENVELOPE)) return false;
  return true;
}
