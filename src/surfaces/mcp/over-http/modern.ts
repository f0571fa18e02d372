// One message of the stateless era (2026-07-28) comes in as one HTTP request; what a server of its own answers goes out.
import { createMcpHandler, type McpHttpHandler, type Server } from "@modelcontextprotocol/server";
import { boundStream, type BoundedStream } from "./bounded-stream.js";
import { isEventStream, SERVER_ERROR, toRpcFailure } from "./rpc-response.js";
import { mostOfOne } from "./sessions.js";

export interface ModernRequest {
  /** Its signal aborts when the caller is gone. */
  readonly request: Request;
  /** As it was read, strictly. */
  readonly message: unknown;
  readonly method: string | undefined;
  readonly actorId: string;
  /** How long the caller may listen. */
  readonly lifeMs: number;
  /** Who listens hears of these changes until the function that comes back is called. */
  readonly hear: (news: McpHttpHandler["notify"]) => () => void;
  /** Makes the server for it. `ending` aborts when what is under way is to end. */
  readonly makeServer: (ending: AbortSignal) => Promise<Server>;
}

export interface Modern {
  serve(request: ModernRequest): Promise<Response>;
  /** Who listens is told that it is over. What is under way goes on. */
  endListening(): void;
  /** What is under way ends, and says so. */
  end(): void;
  close(): Promise<void>;
}

const LISTEN = "subscriptions/listen";
const MOST_LISTENERS = 1000;
/** Their answers are large, or another's: whatever they say goes out as it is. */
const PASSED_ON: ReadonlySet<string | undefined> = new Set([
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
    return all.length < MOST_LISTENERS && own.length < mostOfOne(MOST_LISTENERS);
  };

  return {
    async serve({ request, message, method, actorId, lifeMs, hear, makeServer }) {
      const isListening = method === LISTEN;
      if (isListening && !mayListen(actorId)) return toRpcFailure(TOO_MANY);
      const ending = new AbortController();
      // One for each request: what is told on its streams is for this caller alone, and can be ended by itself.
      const handler = createMcpHandler(() => makeServer(ending.signal), { legacy: "reject" });
      const exchange: Exchange = { handler, ending, isListening, actorId };
      open.add(exchange);
      let isStreaming = false;
      try {
        const response = await handler.fetch(request, { parsedBody: message });
        if (!isEventStream(response) || response.body === null) return await withStatus(response, method);
        isStreaming = true;
        const stopHearing = isListening ? hear(handler.notify) : undefined;
        const onEnd = (): void => {
          open.delete(exchange);
          stopHearing?.();
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
  message: "Too many clients are listening.",
  headers: { "retry-after": "5" },
} as const;

const METHOD_NOT_FOUND = -32601;

/** A method that nobody knows is a place that is not there (2026-07-28); the SDK tells so only of its own refusals. */
async function withStatus(response: Response, method: string | undefined): Promise<Response> {
  if (response.status !== 200 || PASSED_ON.has(method)) return response;
  const text = await response.text();
  const { error } = JSON.parse(text) as { error?: { code?: number } };
  const status = error?.code === METHOD_NOT_FOUND ? 404 : 200;
  return new Response(text, { status, headers: response.headers });
}
