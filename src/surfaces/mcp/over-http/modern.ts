// Serves stateless MCP over HTTP (MCP 2026-07-28): each HTTP request contains one message and gets its own SDK server
// object.
import { createMcpHandler, type McpHttpHandler, type Server } from "@modelcontextprotocol/server";
import { boundStream, type BoundedStream } from "./bounded-stream.js";
import { isEventStream, SERVER_ERROR, toRpcFailure } from "./rpc-response.js";
import { maxPerActor } from "./sessions.js";

export interface ModernRequest {
  /** The HTTP request. Its signal aborts when the caller disconnects. */
  readonly request: Request;
  /** The parsed body of the HTTP request. */
  readonly message: unknown;
  readonly method: string | undefined;
  readonly actorId: string;
  /** How long a `subscriptions/listen` stream may stay open, in milliseconds. */
  readonly lifeMs: number;
  /** Sends change notifications to a `subscriptions/listen` stream until the returned function is called. */
  readonly subscribe: (notify: McpHttpHandler["notify"]) => () => void;
  /** Creates the SDK server object for the request. `ending` aborts when calls in progress must end. */
  readonly makeServer: (ending: AbortSignal) => Promise<Server>;
}

export interface Modern {
  serve(request: ModernRequest): Promise<Response>;
  /** Closes `subscriptions/listen` streams. Calls in progress continue. */
  endListening(): void;
  /** Aborts calls in progress. They still report their outcome to the client. */
  end(): void;
  close(): Promise<void>;
}

const LISTEN = "subscriptions/listen";
const MAX_LISTENERS = 1000;
/** Methods whose results are large or come from servers. Their responses are forwarded without parsing. */
const UNPARSED_METHODS: ReadonlySet<string | undefined> = new Set([
  "tools/call",
  "tools/list",
  "resources/read",
  "prompts/get",
  "tasks/get",
]);

interface Exchange {
  readonly handler: McpHttpHandler;
  readonly ending: AbortController;
  readonly isListening: boolean;
  readonly actorId: string;
  stream?: BoundedStream;
}

export function createModern(): Modern {
  const open = new Set<Exchange>();
  const listening = (): Exchange[] => [...open].filter(({ isListening }) => isListening);

  const mayListen = (actorId: string): boolean => {
    const all = listening();
    const own = all.filter((one) => one.actorId === actorId);
    return all.length < MAX_LISTENERS && own.length < maxPerActor(MAX_LISTENERS);
  };

  return {
    async serve({ request, message, method, actorId, lifeMs, subscribe, makeServer }) {
      const isListening = method === LISTEN;
      if (isListening && !mayListen(actorId)) return toRpcFailure(TOO_MANY);
      const ending = new AbortController();
      // Each request gets its own handler, so that its notifications reach only this caller and the handler can be
      // closed separately.
      const handler = createMcpHandler(() => makeServer(ending.signal), { legacy: "reject" });
      const exchange: Exchange = { handler, ending, isListening, actorId };
      open.add(exchange);
      let isStreaming = false;
      try {
        const response = await handler.fetch(request, { parsedBody: message });
        if (!isEventStream(response) || response.body === null) return await withStatus(response, method);
        isStreaming = true;
        const unsubscribe = isListening ? subscribe(handler.notify) : undefined;
        const onEnd = (): void => {
          open.delete(exchange);
          unsubscribe?.();
        };
        exchange.stream = boundStream(response.body, { onEnd, ...(isListening ? { lifeMs } : {}) });
        return new Response(exchange.stream.body, { status: response.status, headers: response.headers });
      } finally {
        if (!isStreaming) open.delete(exchange);
      }
    },
    endListening() {
      for (const { handler } of listening()) void handler.close();
    },
    end() {
      for (const { ending } of open) ending.abort();
    },
    async close() {
      await Promise.all([...open].map(({ handler }) => handler.close()));
    },
  };
}

const TOO_MANY = {
  status: 503,
  code: SERVER_ERROR,
  message: "Too many subscriptions/listen streams are open.",
  headers: { "retry-after": "5" },
} as const;

const METHOD_NOT_FOUND = -32601;

/**
 * Sets the HTTP status 404 for an unknown method, as MCP 2026-07-28 requires. The SDK does this only for methods that
 * it rejects itself.
 */
async function withStatus(response: Response, method: string | undefined): Promise<Response> {
  if (response.status !== 200 || UNPARSED_METHODS.has(method)) return response;
  const text = await response.text();
  const { error } = JSON.parse(text) as { error?: { code?: number } };
  const status = error?.code === METHOD_NOT_FOUND ? 404 : 200;
  return new Response(text, { status, headers: response.headers });
}
