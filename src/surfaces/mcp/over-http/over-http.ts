// MCP over HTTP: handles the requests of authenticated actors. It handles neither tokens nor sockets. Messages are
// parsed as strictly as on stdio.
import { randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import { isLegacyRequest, type RequestId, type Server } from "@modelcontextprotocol/server";
import type { CatalogAccess, Configured, Stages } from "../../../gateway/stages.js";
import { DiscoveryError } from "../../../errors.js";
import { toFixedList } from "../../../metatools/offered.js";
import type { Actor } from "../../../model/actor.js";
import type { ServerDefinition } from "../../../model/server.js";
import { findMismatch } from "../../../upstreams/header-arguments.js";
import type { JsonViolation } from "../../../util/json/violation.js";
import { createMultiRoundTripRequests } from "../client-requests/multi-round-trip-requests.js";
import { type Frame, INVALID_REQUEST, parseFrame } from "../frames.js";
import { createPromptAndResourceMethods } from "../prompts-and-resources.js";
import { createGatewayServer, type GatewayServerParts } from "../gateway-server.js";
import { toInstructions } from "../instructions.js";
import { filterOf } from "../listens.js";
import type { Endpoint } from "./endpoint.js";
import { createModern } from "./modern.js";
import { onViewChange } from "./view-changes.js";
import { SERVER_ERROR, SESSION_NOT_FOUND, toRpcFailure } from "./rpc-response.js";
import { HttpSession } from "./session.js";
import { SessionTransport } from "./session-transport.js";
import { createSessions, type SessionsParts } from "./sessions.js";

export interface McpOverHttpParts extends Omit<SessionsParts, "now"> {
  /**
   * Returns the components that the actor may use at this endpoint; undefined if the actor may not use the endpoint.
   */
  readonly stagesFor: (endpoint: Endpoint, actor: Actor) => Promise<Stages | undefined>;
  /** Registers a listener that is called when the tools may have changed. */
  readonly onToolsChanged: (listener: () => void) => void;
  /** A monotonic clock in milliseconds. */
  readonly elapsed: () => number;
}

export interface McpRequest {
  /** The request without its body. Its signal aborts when the caller disconnects. */
  readonly request: Request;
  /** The unparsed body of a POST. */
  readonly body: Buffer | undefined;
  readonly endpoint: Endpoint;
  readonly actor: Actor;
  /**
   * How long the actor's token is still valid, in milliseconds. Notification streams end then. Undefined if the token
   * does not expire.
   */
  readonly lifeMs?: number;
}

export interface McpOverHttp {
  /** Handles a request. Resolves to undefined if the actor may not use the endpoint. */
  serve(incoming: McpRequest): Promise<Response | undefined>;
  /** Ends all notification streams. Clients that are still allowed will reconnect. */
  endStreams(): void;
  /** Ends all notification streams and waits no longer for responses from clients. Calls in progress continue. */
  drain(): void;
  /** Aborts calls in progress. They still report their outcome to the client. */
  end(): void;
  close(): Promise<void>;
  /** Ends sessions that have been idle for too long. Also runs periodically. */
  sweep(): void;
  /** The number of open sessions. */
  readonly sessions: number;
}

const HEADER_MISMATCH = -32_020;
const STATE_KEY_BYTES = 32;
const SESSION_ID_BYTES = 24;
const SWEEP_MS = 30_000;
/**
 * The owner key for the resource subscriptions of a stateless request. One constant is enough, because each such
 * request has its own subscriptions and one stream.
 */
const STREAM = "stream";

export function createMcpOverHttp(parts: McpOverHttpParts): McpOverHttp {
  const sessions = createSessions({ ...parts, now: parts.elapsed });
  const modern = createModern();
  const ending = new AbortController();
  const closingInput = new AbortController();
  // No limit: every call in progress adds a listener to these signals.
  setMaxListeners(0, ending.signal, closingInput.signal);
  const stateKey = randomBytes(STATE_KEY_BYTES);
  const roundTrips = createMultiRoundTripRequests();
  const instructionsByStages = new WeakMap<Stages, string>();
  const listeners = new Set<() => void>();
  /** The ids of the actors whose sessions are being opened. */
  const opening: string[] = [];
  parts.onToolsChanged(() => {
    for (const listener of listeners) listener();
  });
  const sweeping = setInterval(sessions.sweep, Math.min(SWEEP_MS, parts.idleMs)).unref();

  const stagesOf =
    ({ endpoint, actor }: McpRequest): (() => Promise<Stages>) =>
    async () =>
      (await parts.stagesFor(endpoint, actor)) ?? endpointRemoved();

  const makeServer = async (
    incoming: McpRequest,
    own: Pick<GatewayServerParts, "era" | "flawsOf" | "onToolsChanged" | "ending">,
  ): Promise<Server> => {
    const { actor } = incoming;
    const stages = stagesOf(incoming);
    const current = await stages();
    const { offered } = current;
    const instructions = instructionsByStages.get(current) ?? toInstructions(serversFor(current, actor), offered.names);
    // The instructions for a view are not cached: servers that start for the first time can still become part of the
    // view.
    if (actor.view === undefined) instructionsByStages.set(current, instructions);
    const shared = { stateKey, roundTrips, inputClosed: closingInput.signal };
    return createGatewayServer({ ...own, ...shared, actor, stages, fixedList: toFixedList(offered), instructions })
      .server;
  };

  const openSession = async (incoming: McpRequest, frame: Frame): Promise<Response> => {
    const { id } = incoming.actor;
    if (!sessions.hasRoom(id, opening)) return toRpcFailure(TOO_MANY_SESSIONS);
    opening.push(id);
    try {
      return await beginSession(incoming, frame);
    } finally {
      opening.splice(opening.indexOf(id), 1);
    }
  };

  const beginSession = async (incoming: McpRequest, frame: Frame): Promise<Response> => {
    // Objects that live as long as the session must not keep references to the request or its body.
    const { actor } = incoming;
    const stages = stagesOf(incoming);
    const id = randomBytes(SESSION_ID_BYTES).toString("base64url");
    const transport = new SessionTransport({ sessionIdGenerator: () => id });
    const own = new Set<() => void>();
    const server = await makeServer(incoming, {
      era: "legacy",
      flawsOf: (request) => transport.flawsOf(request),
      onToolsChanged: (listener) => void own.add(onViewChange(actor, stages, listener)),
      ending: ending.signal,
    });
    await server.connect(transport);
    const onClose = (): void => {
      sessions.remove(id);
      for (const listener of own) listeners.delete(listener);
    };
    const session = new HttpSession({
      id,
      owner: ownerOf(incoming),
      actorId: actor.id,
      server,
      transport,
      now: parts.elapsed,
      onClose,
    });
    const response = await session.post(incoming.request, frame);
    if (!response.ok) {
      await session.close();
      return response;
    }
    sessions.add(session);
    for (const listener of own) listeners.add(listener);
    return response;
  };

  /**
   * Finds a header that differs from the argument that it must repeat. In full mode, a tool's schema can require such
   * headers (MCP 2026-07-28).
   */
  const findHeaderMismatch = async ({ endpoint, actor, request }: McpRequest, frame: Frame) => {
    const call = frame.kind === "message" && "id" in frame.message && "method" in frame.message && frame.message;
    if (!call || call.method !== "tools/call") return undefined;
    const { name, arguments: args } = call.params ?? {};
    const offered = (await parts.stagesFor(endpoint, actor))?.offered;
    if (offered === undefined || offered.isFixed || typeof name !== "string") return undefined;
    const header = findMismatch(offered.find(name)?.inputSchema ?? {}, args, request.headers);
    if (header === undefined) return undefined;
    const message = `The header ${header} differs from the argument that it repeats.`;
    return { status: 400, code: HEADER_MISMATCH, message, id: call.id } as const;
  };

  const serveModern = async (incoming: McpRequest, frame: Frame): Promise<Response> => {
    const mismatch = await findHeaderMismatch(incoming, frame);
    if (mismatch !== undefined) return toRpcFailure(mismatch);
    const message = messagesOf(frame);
    const params = frame.kind === "message" && "params" in frame.message ? frame.message.params : undefined;
    const flaws: readonly JsonViolation[] = frame.kind === "message" ? frame.flaws : [];
    return await modern.serve({
      request: incoming.request,
      actorId: incoming.actor.id,
      lifeMs: incoming.lifeMs ?? Number.POSITIVE_INFINITY,
      message,
      method: frame.kind === "message" && "method" in frame.message ? frame.message.method : undefined,
      subscribe: (notify) => {
        const { actor } = incoming;
        const stages = stagesOf(incoming);
        const methods = createPromptAndResourceMethods(notify, { era: "modern", actor, stages });
        methods.listen(STREAM, filterOf(params));
        const listener = onViewChange(actor, stages, () => notify.toolsChanged());
        listeners.add(listener);
        return () => {
          listeners.delete(listener);
          methods.close();
        };
      },
      makeServer: (end) =>
        makeServer(incoming, {
          era: "modern",
          flawsOf: (_id: RequestId) => flaws,
          onToolsChanged: () => undefined,
          ending: end,
        }),
    });
  };

  const post = async (incoming: McpRequest, body: Buffer): Promise<Response> => {
    const { request } = incoming;
    const sessionId = request.headers.get("mcp-session-id");
    const frame = parseFrame(body);
    if (frame.kind === "refused") return toRpcFailure({ status: 400, id: frame.answer.id, ...frame.answer.error });
    if (frame.kind === "ignored") return toRpcFailure(AMBIGUOUS);
    if (!(await isLegacy(request, frame))) return await serveModern(incoming, frame);
    if (sessionId !== null) {
      const session = sessions.find(sessionId, ownerOf(incoming));
      return session === undefined ? toRpcFailure(NOT_FOUND) : await session.post(request, frame);
    }
    return isInitialize(frame) ? await openSession(incoming, frame) : toRpcFailure(NO_SESSION);
  };

  const endStreams = (): void => {
    modern.endListening();
    for (const session of sessions.all()) session.endStandalone();
  };

  return {
    async serve(incoming) {
      const { request, endpoint, actor, body, lifeMs = Number.POSITIVE_INFINITY } = incoming;
      if ((await parts.stagesFor(endpoint, actor)) === undefined) return undefined;
      if (body !== undefined) return await post(incoming, body);
      const sessionId = request.headers.get("mcp-session-id");
      if (sessionId === null) return toRpcFailure(NO_STREAM);
      const session = sessions.find(sessionId, ownerOf(incoming));
      return session === undefined ? toRpcFailure(NOT_FOUND) : await session.handle(request, lifeMs);
    },
    endStreams,
    drain() {
      closingInput.abort();
      endStreams();
    },
    end() {
      ending.abort();
      modern.end();
      void roundTrips.close();
    },
    async close() {
      clearInterval(sweeping);
      await Promise.all([roundTrips.close(), modern.close(), ...sessions.all().map((session) => session.close())]);
    },
    sweep: sessions.sweep,
    get sessions() {
      return sessions.all().length;
    },
  };
}

/**
 * Returns the owner key of a session: an actor with its permissions and endpoint. An actor whose permissions change
 * cannot continue the session.
 */
function ownerOf({ endpoint, actor }: McpRequest): string {
  const { id, scopes, view } = actor;
  return JSON.stringify([id, scopes?.toSorted(), view, endpoint]);
}

/** Returns the servers that the actor's view includes. */
function serversFor(
  { configuredServers, snapshot }: Configured & CatalogAccess,
  { view }: Actor,
): readonly ServerDefinition[] {
  return view === undefined
    ? configuredServers.servers
    : configuredServers.servers.filter(({ name }) => snapshot().servers.has(name));
}

function messagesOf(frame: Frame): unknown {
  if (frame.kind === "message") return frame.message;
  return frame.kind === "batch" ? frame.items.flatMap((item) => (item.kind === "message" ? [item.message] : [])) : {};
}

/**
 * Whether the request comes from a legacy client (MCP before 2026-07-28). True if it contains no valid message: the
 * session then rejects it.
 */
async function isLegacy(request: Request, frame: Frame): Promise<boolean> {
  const messages = messagesOf(frame);
  return (Array.isArray(messages) && messages.length === 0) || (await isLegacyRequest(request, messages));
}

function isInitialize(frame: Frame): boolean {
  return frame.kind === "message" && "method" in frame.message && frame.message.method === "initialize";
}

function endpointRemoved(): never {
  throw new DiscoveryError("INVALID_REQUEST", "This endpoint no longer exists.", {
    hint: "Ask the operator of the gateway for the current URL.",
  });
}

const NOT_FOUND = {
  status: 404,
  code: SESSION_NOT_FOUND,
  message: "The session does not exist or has expired. Open a new session with an initialize request.",
} as const;
const NO_SESSION = {
  status: 400,
  code: INVALID_REQUEST,
  message: "The header Mcp-Session-Id is missing. Open a session with an initialize request.",
} as const;
const NO_STREAM = {
  status: 405,
  code: SERVER_ERROR,
  message: "Without the header Mcp-Session-Id, only POST is allowed.",
  headers: { allow: "POST" },
} as const;
const TOO_MANY_SESSIONS = {
  status: 503,
  code: SERVER_ERROR,
  message: "The maximum number of sessions is reached, and all sessions are in use. Repeat the request later.",
  headers: { "retry-after": "5" },
} as const;
const AMBIGUOUS = {
  status: 400,
  code: INVALID_REQUEST,
  message: "The notification has duplicate or forbidden keys, or numbers that cannot be represented exactly.",
} as const;
