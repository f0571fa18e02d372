// MCP over HTTP: a request and who sends it come in, the protocol's answer goes out. It knows no tokens, no addresses and
// no sockets, and reads what clients send as strictly as stdio does.
import { randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import { isLegacyRequest, type RequestId, type Server } from "@modelcontextprotocol/server";
import type { Stages } from "../../../compose.js";
import { DiscoveryError } from "../../../errors.js";
import { toFixedList } from "../../../metatools/offered.js";
import type { Actor } from "../../../model/actor.js";
import type { ServerDefinition } from "../../../model/server.js";
import { findMismatch } from "../../../upstreams/header-arguments.js";
import type { JsonViolation } from "../../../util/json/violation.js";
import { createRounds } from "../asking-back/rounds.js";
import { type Frame, INVALID_REQUEST, parseFrame } from "../frames.js";
import { createBesideTools } from "../beside-tools.js";
import { createGatewayServer, type GatewayServerParts } from "../gateway-server.js";
import { toInstructions } from "../instructions.js";
import { filterOf } from "../listens.js";
import type { Endpoint } from "./endpoint.js";
import { createModern } from "./modern.js";
import { onSeenChange } from "./seen-changes.js";
import { SERVER_ERROR, SESSION_NOT_FOUND, toRpcFailure } from "./rpc-response.js";
import { Session } from "./session.js";
import { SessionTransport } from "./session-transport.js";
import { createSessions, type SessionsParts } from "./sessions.js";

export interface McpOverHttpParts extends Omit<SessionsParts, "now"> {
  /** Of the configuration in force, as this actor sees it there; undefined where there is nothing for them. */
  readonly stagesFor: (endpoint: Endpoint, actor: Actor) => Promise<Stages | undefined>;
  /** Tells whenever there may be other tools. */
  readonly onToolsChanged: (listener: () => void) => void;
  /** Milliseconds that only ever grow. */
  readonly elapsed: () => number;
}

export interface McpRequest {
  /** Without its body. Its signal aborts when the caller is gone. */
  readonly request: Request;
  /** Of a POST, as it came. */
  readonly body: Buffer | undefined;
  readonly endpoint: Endpoint;
  readonly actor: Actor;
  /** How long the actor is known: a stream that only waits for news ends then. Left out, for ever. */
  readonly lifeMs?: number;
}

export interface McpOverHttp {
  /** Undefined where there is nothing for this actor. */
  serve(asked: McpRequest): Promise<Response | undefined>;
  /** Streams that only wait for news end, as the protocol has it; who may still have them comes back for them. */
  endStreams(): void;
  /** The same, and nothing that clients say is heard any more; what is under way goes on. */
  drain(): void;
  /** What is under way ends, and says what became of it. */
  end(): void;
  close(): Promise<void>;
  /** Sessions that nobody uses any more are ended. Done by itself from time to time. */
  sweep(): void;
  /** How many sessions there are. */
  readonly sessions: number;
}

const HEADER_MISMATCH = -32_020;
const STATE_KEY_BYTES = 32;
const SESSION_ID_BYTES = 24;
const SWEEP_MS = 30_000;
/** What is listened for belongs to the one stream that there is. */
const STREAM = "stream";

export function createMcpOverHttp(parts: McpOverHttpParts): McpOverHttp {
  const sessions = createSessions({ ...parts, now: parts.elapsed });
  const modern = createModern();
  const ending = new AbortController();
  const deafening = new AbortController();
  // As many listen as there are calls.
  setMaxListeners(0, ending.signal, deafening.signal);
  const stateKey = randomBytes(STATE_KEY_BYTES);
  const rounds = createRounds();
  const told = new WeakMap<Stages, string>();
  const listeners = new Set<() => void>();
  /** The actors whose sessions are about to begin. */
  const opening: string[] = [];
  parts.onToolsChanged(() => {
    for (const listener of listeners) listener();
  });
  const sweeping = setInterval(sessions.sweep, Math.min(SWEEP_MS, parts.idleMs)).unref();

  const stagesOf =
    ({ endpoint, actor }: McpRequest): (() => Promise<Stages>) =>
    async () =>
      (await parts.stagesFor(endpoint, actor)) ?? gone();

  const makeServer = async (
    asked: McpRequest,
    own: Pick<GatewayServerParts, "era" | "flawsOf" | "onToolsChanged" | "ending">,
  ): Promise<Server> => {
    const { actor } = asked;
    const stages = stagesOf(asked);
    const current = await stages();
    const { offered } = current;
    const instructions = told.get(current) ?? toInstructions(serversFor(current, actor), offered.names);
    // What a view shows may grow while servers are asked for the first time.
    if (actor.view === undefined) told.set(current, instructions);
    const shared = { stateKey, rounds, deaf: deafening.signal };
    return createGatewayServer({ ...own, ...shared, actor, stages, fixedList: toFixedList(offered), instructions })
      .server;
  };

  const openSession = async (asked: McpRequest, frame: Frame): Promise<Response> => {
    const { id } = asked.actor;
    if (!sessions.hasRoom(id, opening)) return toRpcFailure(NO_ROOM);
    opening.push(id);
    try {
      return await beginSession(asked, frame);
    } finally {
      opening.splice(opening.indexOf(id), 1);
    }
  };

  const beginSession = async (asked: McpRequest, frame: Frame): Promise<Response> => {
    // What lives as long as the session holds neither the request that opened it nor its body.
    const { actor } = asked;
    const stages = stagesOf(asked);
    const id = randomBytes(SESSION_ID_BYTES).toString("base64url");
    const transport = new SessionTransport({ sessionIdGenerator: () => id });
    const own = new Set<() => void>();
    const server = await makeServer(asked, {
      era: "legacy",
      flawsOf: (request) => transport.flawsOf(request),
      onToolsChanged: (listener) => void own.add(onSeenChange(actor, stages, listener)),
      ending: ending.signal,
    });
    await server.connect(transport);
    const onClose = (): void => {
      sessions.remove(id);
      for (const listener of own) listeners.delete(listener);
    };
    const session = new Session({
      id,
      owner: ownerOf(asked),
      actorId: actor.id,
      server,
      transport,
      now: parts.elapsed,
      onClose,
    });
    const response = await session.post(asked.request, frame);
    if (!response.ok) {
      await session.close();
      return response;
    }
    sessions.add(session);
    for (const listener of own) listeners.add(listener);
    return response;
  };

  /** Where tools go by their own names, some arguments have to be told in headers as well, and the same there. */
  const findWrongHeader = async ({ endpoint, actor, request }: McpRequest, frame: Frame) => {
    const call = frame.kind === "message" && "id" in frame.message && "method" in frame.message && frame.message;
    if (!call || call.method !== "tools/call") return undefined;
    const { name, arguments: args } = call.params ?? {};
    const offered = (await parts.stagesFor(endpoint, actor))?.offered;
    if (offered === undefined || offered.isFixed || typeof name !== "string") return undefined;
    const header = findMismatch(offered.find(name)?.inputSchema ?? {}, args, request.headers);
    if (header === undefined) return undefined;
    const message = `The header ${header} does not say what the arguments say.`;
    return { status: 400, code: HEADER_MISMATCH, message, id: call.id } as const;
  };

  const serveModern = async (asked: McpRequest, frame: Frame): Promise<Response> => {
    const mismatch = await findWrongHeader(asked, frame);
    if (mismatch !== undefined) return toRpcFailure(mismatch);
    const message = messagesOf(frame);
    const params = frame.kind === "message" && "params" in frame.message ? frame.message.params : undefined;
    const flaws: readonly JsonViolation[] = frame.kind === "message" ? frame.flaws : [];
    return await modern.serve({
      request: asked.request,
      actorId: asked.actor.id,
      lifeMs: asked.lifeMs ?? Number.POSITIVE_INFINITY,
      message,
      method: frame.kind === "message" && "method" in frame.message ? frame.message.method : undefined,
      hear: (news) => {
        const { actor } = asked;
        const stages = stagesOf(asked);
        const beside = createBesideTools(news, { era: "modern", actor, stages });
        beside.listen(STREAM, filterOf(params));
        const listener = onSeenChange(actor, stages, () => news.toolsChanged());
        listeners.add(listener);
        return () => {
          listeners.delete(listener);
          beside.close();
        };
      },
      makeServer: (end) =>
        makeServer(asked, {
          era: "modern",
          flawsOf: (_id: RequestId) => flaws,
          onToolsChanged: () => undefined,
          ending: end,
        }),
    });
  };

  const post = async (asked: McpRequest, body: Buffer): Promise<Response> => {
    const { request } = asked;
    const sessionId = request.headers.get("mcp-session-id");
    const frame = parseFrame(body);
    if (frame.kind === "refused") return toRpcFailure({ status: 400, id: frame.answer.id, ...frame.answer.error });
    if (frame.kind === "ignored") return toRpcFailure(AMBIGUOUS);
    if (!(await isOfSession(request, frame))) return await serveModern(asked, frame);
    if (sessionId !== null) {
      const session = sessions.find(sessionId, ownerOf(asked));
      return session === undefined ? toRpcFailure(NOT_FOUND) : await session.post(request, frame);
    }
    return isInitialize(frame) ? await openSession(asked, frame) : toRpcFailure(NO_SESSION);
  };

  const endStreams = (): void => {
    modern.endListening();
    for (const session of sessions.all()) session.endStandalone();
  };

  return {
    async serve(asked) {
      const { request, endpoint, actor, body, lifeMs = Number.POSITIVE_INFINITY } = asked;
      if ((await parts.stagesFor(endpoint, actor)) === undefined) return undefined;
      if (body !== undefined) return await post(asked, body);
      const sessionId = request.headers.get("mcp-session-id");
      if (sessionId === null) return toRpcFailure(NO_STREAM);
      const session = sessions.find(sessionId, ownerOf(asked));
      return session === undefined ? toRpcFailure(NOT_FOUND) : await session.handle(request, lifeMs);
    },
    endStreams,
    drain() {
      deafening.abort();
      endStreams();
    },
    end() {
      ending.abort();
      modern.end();
      void rounds.close();
    },
    async close() {
      clearInterval(sweeping);
      await Promise.all([rounds.close(), modern.close(), ...sessions.all().map((session) => session.close())]);
    },
    sweep: sessions.sweep,
    get sessions() {
      return sessions.all().length;
    },
  };
}

/** A session is for one actor as it was when it began: with other rights it is another's. */
function ownerOf({ endpoint, actor }: McpRequest): string {
  const { id, scopes, view } = actor;
  return JSON.stringify([id, scopes?.toSorted(), view, endpoint]);
}

/** What a view does not show is not told of. */
function serversFor({ collected, snapshot }: Stages, { view }: Actor): readonly ServerDefinition[] {
  return view === undefined ? collected.servers : collected.servers.filter(({ name }) => snapshot().servers.has(name));
}

function messagesOf(frame: Frame): unknown {
  if (frame.kind === "message") return frame.message;
  return frame.kind === "batch" ? frame.items.flatMap((item) => (item.kind === "message" ? [item.message] : [])) : {};
}

/** What holds no message at all says nothing of an era. */
async function isOfSession(request: Request, frame: Frame): Promise<boolean> {
  const messages = messagesOf(frame);
  return (Array.isArray(messages) && messages.length === 0) || (await isLegacyRequest(request, messages));
}

function isInitialize(frame: Frame): boolean {
  return frame.kind === "message" && "method" in frame.message && frame.message.method === "initialize";
}

function gone(): never {
  throw new DiscoveryError("INVALID_REQUEST", "What this endpoint offered is not there any more.", {
    hint: "Ask the person who runs the gateway which address to use.",
  });
}

const NOT_FOUND = { status: 404, code: SESSION_NOT_FOUND, message: "There is no such session." } as const;
const NO_SESSION = {
  status: 400,
  code: INVALID_REQUEST,
  message: "The header Mcp-Session-Id is missing; a session begins with initialize.",
} as const;
const NO_STREAM = {
  status: 405,
  code: SERVER_ERROR,
  message: "Without a session there is nothing but POST.",
  headers: { allow: "POST" },
} as const;
const NO_ROOM = {
  status: 503,
  code: SERVER_ERROR,
  message: "There are as many sessions as there may be, and all are in use.",
  headers: { "retry-after": "5" },
} as const;
const AMBIGUOUS = { status: 400, code: INVALID_REQUEST, message: "The notification can be read in two ways." } as const;
