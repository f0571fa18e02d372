// A legacy client's call of a tool comes in from stdio, its answer goes back. The SDK's own way for requests reads every
// message several times and makes a context for what calls never do: more work than all the rest of the gateway. What is
// unusual about a request is left to the SDK.
import {
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  type RequestId,
  type Server,
} from "@modelcontextprotocol/server";
import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { RequestContext } from "./request-context.js";

export interface ShortWayParts {
  readonly server: Server;
  readonly callTool: (params: JsonObject, context: RequestContext) => Promise<JsonObject>;
  readonly send: (answer: Answer) => void;
  readonly log: (message: string) => void;
}

export type Answer = { readonly jsonrpc: "2.0"; readonly id: RequestId } & (
  | { readonly result: JsonObject }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }
);

export interface ShortWay {
  /** False when the request has to go the SDK's way. */
  take(request: JSONRPCRequest): boolean;
  /** Nobody waits for the answer any more. */
  cancel(id: RequestId): void;
  /** Nor for any other. */
  close(): void;
}

const PARAMS: ReadonlySet<string> = new Set(["name", "arguments", "_meta"]);
/** Members of `_meta` that speak of the connection. */
const ENVELOPE = "io.modelcontextprotocol/";

export function createShortWay({ server, callTool, send, log }: ShortWayParts): ShortWay {
  const open = new Map<RequestId, AbortController>();
  const ask: RequestContext["mcpReq"]["send"] = server.request.bind(server);
  const notify: RequestContext["mcpReq"]["notify"] = (notification) => server.notification(notification);

  async function answer(id: RequestId, params: JsonObject): Promise<void> {
    const ending = new AbortController();
    open.set(id, ending);
    let answer: Answer;
    try {
      answer = { jsonrpc: "2.0", id, result: await callTool(params, toContext(id, params, ending.signal)) };
    } catch (error) {
      answer = { jsonrpc: "2.0", id, error: toError(error) };
    }
    // Another request may have the id by now.
    if (open.get(id) === ending) open.delete(id);
    if (!ending.signal.aborted) send(answer);
  }

  /** What the protocol has a word for is told; a defect is nothing for the caller, who hears that there is one. */
  function toError(thrown: unknown): { code: number; message: string; data?: unknown } {
    if (thrown instanceof ProtocolError) {
      const { code, message, data } = thrown;
      return { code, message, ...(data === undefined ? {} : { data }) };
    }
    log(`A request failed: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`);
    return { code: ProtocolErrorCode.InternalError, message: "The gateway failed at this request; its log says why." };
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
      // Until the handshake is over, nobody knows whether the client is a legacy one, nor what it can be asked.
      if (method !== "tools/call" || server.getClientCapabilities() === undefined) return false;
      if (!isJsonObject(params) || !isUsual(params)) return false;
      void answer(id, params);
      return true;
    },
    cancel: (id) => open.get(id)?.abort(),
    close() {
      for (const ending of open.values()) ending.abort();
    },
  };
}

function isUsual(params: JsonObject): boolean {
  for (const name in params) if (!PARAMS.has(name)) return false;
  const meta = params["_meta"];
  if (meta === undefined) return true;
  if (!isJsonObject(meta)) return false;
  for (const name in meta) if (name.startsWith(ENVELOPE)) return false;
  return true;
}
