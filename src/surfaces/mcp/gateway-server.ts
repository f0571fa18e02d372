// The gateway as an MCP server: translates between the protocol and the meta-tools, and decides nothing.
import { ProtocolError, ProtocolErrorCode, type RequestId, Server } from "@modelcontextprotocol/server";
import type { Stages } from "../../compose.js";
import { DiscoveryError, toDiscoveryError } from "../../errors.js";
import type { ListedPage } from "../../metatools/full-mode.js";
import type { MetaAnswer, MetaContext } from "../../metatools/meta-tool.js";
import type { Offered } from "../../metatools/offered.js";
import { toErrorObject } from "../../metatools/to-error-object.js";
import type { Actor } from "../../model/actor.js";
import type { CallResult } from "../../model/call.js";
import { isJsonObject, type JsonObject } from "../../model/json.js";
import { traceMeta } from "../../tracing/trace-context.js";
import type { JsonViolation } from "../../util/json/violation.js";
import type { Secrets } from "../../util/secrets.js";
import { underSignals } from "../../util/under-signals.js";
import { VERSION } from "../../version.js";
import { type Asking, type AskingParts, createAsking } from "./ask-person.js";
import type { Caller, Work } from "./asking-back/conversation.js";
import { createLogLevels } from "./asking-back/log-levels.js";
import type { Rounds } from "./asking-back/rounds.js";
import { type CallerParts, ownerOf, runForCaller } from "./asking-back/run-for-caller.js";
import { ASKING_BACK, BESIDE_CAPABILITIES, createBesideTools, type News } from "./beside-tools.js";
import { CHANGING, FIXED, withHint } from "./cache-hints.js";
import type { ListenListener } from "./listens.js";
import type { RequestContext } from "./request-context.js";
import { askInTask } from "./tasks/ask-in-task.js";
import { serveTasks, TASK_CAPABILITIES } from "./tasks/task-methods.js";

export interface GatewayServerParts extends Omit<AskingParts, "capabilities"> {
  /** For whom everything is done that this server is asked for. */
  readonly actor: Actor;
  /** Of the configuration in force when a request arrives. */
  readonly stages: () => Promise<Stages>;
  /**
   * The list of tools where it is the same for ever. Nothing else of the configuration at the start is held: a client may
   * stay for many others.
   */
  readonly fixedList: ListedPage | undefined;
  /** Tells whenever there may be other tools. */
  readonly onToolsChanged: (listener: () => void) => void;
  /** Tells of the streams of changes that the client opens and ends on this server's connection (2026-07-28). */
  readonly onListen?: (listener: ListenListener) => void;
  readonly instructions: string;
  /** Calls of modern clients that wait for answers: the same for all servers that may get one of their requests. */
  readonly rounds: Rounds;
  /** What reading the arguments of a request as JSON has silently changed. */
  readonly flawsOf: (id: RequestId) => readonly JsonViolation[];
  /** Aborts when calls under way are to end and to be answered with what became of them. */
  readonly ending?: AbortSignal;
}

export interface GatewayServer {
  readonly server: Server;
  /** What a request to call a tool is answered with, however it came. */
  callTool(params: JsonObject, context: RequestContext): Promise<JsonObject>;
}

export function createGatewayServer(parts: GatewayServerParts): GatewayServer {
  const isFixed = parts.fixedList !== undefined;
  const server = new Server(
    { name: "anygpt-discovery", title: "AnyGPT Discovery", version: VERSION },
    {
      capabilities: {
        tools: isFixed ? {} : { listChanged: true },
        ...BESIDE_CAPABILITIES,
        logging: {},
        ...(parts.era === "modern" ? TASK_CAPABILITIES : {}),
      },
      // What it says of servers holds for who asks.
      cacheHints: { "server/discover": CHANGING },
      instructions: parts.instructions,
    },
  );
  // A client that cannot be told looks for itself.
  if (!isFixed) parts.onToolsChanged(() => void server.sendToolListChanged().catch(() => undefined));
  const beside = createBesideTools(toNews(server), parts);
  parts.onListen?.((stream, filter) => beside.listen(stream, filter));
  server.onclose = () => beside.close();
  const levels = createLogLevels(server, parts.era);
  if (parts.era === "modern") serveTasks(server, parts.rounds.tasks, ownerOf(parts.actor));

  const toCaller = (params: JsonObject, context: RequestContext, signal: AbortSignal): CallerParts => ({
    era: parts.era,
    actor: parts.actor,
    rounds: parts.rounds,
    deaf: parts.deaf,
    client: server,
    declared: server.getClientCapabilities(),
    params,
    signal,
    onEvent: levels.listener(context),
  });

  const callTool = async (params: JsonObject, context: RequestContext): Promise<JsonObject> =>
    await underSignals([context.mcpReq.signal, parts.ending], (signal) => callUnder(params, context, signal));

  const callUnder = async (params: JsonObject, context: RequestContext, signal: AbortSignal): Promise<JsonObject> => {
    const caller = toCaller(params, context, signal);
    const { era, stateKey, deaf } = parts;
    const request = {
      params,
      actor: parts.actor,
      context,
      flaws: parts.flawsOf(context.mcpReq.id),
      asking: createAsking(context, { era, stateKey, deaf, capabilities: caller.declared }),
      logLevel: levels.wanted(context),
    };
    return await runForCaller(context, caller, (whom) => callMetaTool(request, whom, parts));
  };

  // A handler registered for a method has its result parsed and copied by the SDK, which drops what its
  // schemas do not know. The fallback's result goes out as it is, and what an upstream says must.
  server.fallbackRequestHandler = async ({ method, params }, context) => {
    if (method === "tools/list")
      return withHint(await listTools(params?.["cursor"], parts), isFixed ? FIXED : CHANGING, parts.era);
    const given = params ?? {};
    if (ASKING_BACK.has(method)) {
      const answer: Work = async (whom) => (await beside.handle(method, given, whom)) ?? {};
      return await underSignals([context.mcpReq.signal, parts.ending], (signal) =>
        runForCaller(context, toCaller(given, context, signal), answer),
      );
    }
    const answer = beside.handle(method, given, context.mcpReq);
    if (answer !== undefined) return await answer;
    if (method !== "tools/call") throw new ProtocolError(ProtocolErrorCode.MethodNotFound, "Method not found");
    return await callTool(given, context);
  };
  return { server, callTool };
}

/** A client that cannot be told looks for itself. */
function toNews(server: Server): News {
  const ignore = (): void => undefined;
  return {
    promptsChanged: () => void server.sendPromptListChanged().catch(ignore),
    resourcesChanged: () => void server.sendResourceListChanged().catch(ignore),
    resourceUpdated: (uri) => void server.sendResourceUpdated({ uri }).catch(ignore),
  };
}

/** How long the list of all tools waits for servers that were never asked: many clients ask for it once only. */
const FIRST_TIME_WAIT_MS = 10_000;

/** The five tools are listed before anything is known of the servers; all of them only then. */
async function listTools(cursor: unknown, { fixedList, stages }: GatewayServerParts): Promise<ListedPage> {
  if (fixedList !== undefined) return fixedList;
  if (cursor !== undefined && typeof cursor !== "string")
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "The cursor is not a text.");
  try {
    return (await whenKnown(await stages())).page(cursor);
  } catch (error) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, toDiscoveryError(error).message);
  }
}

async function whenKnown({ offered, refresh }: Stages): Promise<Offered> {
  if (!offered.isFixed) await refresh.whenKnown(FIRST_TIME_WAIT_MS);
  return offered;
}

interface MetaRequest {
  readonly actor: Actor;
  readonly logLevel: string | undefined;
  readonly params: JsonObject;
  readonly context: RequestContext;
  readonly flaws: readonly JsonViolation[];
  readonly asking: Asking | undefined;
}

async function callMetaTool(
  request: MetaRequest,
  caller: Caller,
  { stages, era }: GatewayServerParts,
): Promise<JsonObject> {
  const { name, arguments: args } = request.params;
  if (typeof name !== "string")
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "tools/call needs the tool's name.");
  let current: Stages;
  try {
    current = await stages();
  } catch (error) {
    return { ...toFailedResult(error) };
  }
  const { offered, place } = current;
  const metaTool = offered.find(name) ?? (await whenKnown(current)).find(name);
  if (metaTool === undefined) throw unknownMetaTool(place.secrets.redact(name), offered.names);
  try {
    return toResult(await metaTool.run(args, toMetaContext(request, caller)));
  } catch (error) {
    assertNoPage(error, caller);
    if (era === "modern" && !offered.isFixed) assertNoLack(error);
    const isAnswered = caller.isAnswered?.() === true;
    if (isAnswered && !offered.isFixed) assertNoProtocolError(error, place.secrets);
    const isUnconfirmed = error instanceof DiscoveryError && error.code === "CONFIRMATION_REQUIRED";
    return (
      (isUnconfirmed && !isAnswered ? request.asking?.nextRound() : undefined) ?? toFailedResult(error, place.secrets)
    );
  }
}

/** A legacy client that opens pages does so on the protocol's own error, and calls again. */
function assertNoPage(error: unknown, { peer }: Caller): void {
  const { jsonRpcCode, elicitations } = error instanceof DiscoveryError ? error.facts : {};
  const elicitation = peer?.notify === undefined ? undefined : peer.capabilities["elicitation"];
  if (jsonRpcCode !== ProtocolErrorCode.UrlElicitationRequired || !isJsonObject(elicitation)) return;
  if (elicitation["url"] === undefined || !(error instanceof Error)) return;
  throw new ProtocolError(ProtocolErrorCode.UrlElicitationRequired, error.message, { elicitations });
}

/** Where tools go by their own names, a client is told in the protocol's own words what it would have to be able to do. */
function assertNoLack(error: unknown): void {
  const { jsonRpcCode, requiredCapabilities } = error instanceof DiscoveryError ? error.facts : {};
  const isLack = jsonRpcCode === ProtocolErrorCode.MissingRequiredClientCapability;
  if (!isLack || !isJsonObject(requiredCapabilities)) return;
  throw new ProtocolError(jsonRpcCode, toDiscoveryError(error).message, { requiredCapabilities });
}

/** Where tools go by their own names, a task says of itself that its server has failed to answer the call at all. */
function assertNoProtocolError(error: unknown, secrets: Secrets): void {
  const { jsonRpcCode } = error instanceof DiscoveryError ? error.facts : {};
  if (typeof jsonRpcCode !== "number") return;
  const { message } = secrets.redactError(toDiscoveryError(error));
  throw new ProtocolError(jsonRpcCode, message, toErrorObject(error, secrets).error);
}

/** How a failure inside a meta-tool is told: as an answer that a model can act on. */
export function toFailedResult(error: unknown, secrets?: Secrets): CallResult {
  return { content: [{ type: "text", text: JSON.stringify(toErrorObject(error, secrets)) }], isError: true };
}

/** An agent that calls an upstream's tool by its own name is told the way. */
function unknownMetaTool(name: string, names: readonly string[]): ProtocolError {
  const run = names.find((one) => /execute/.test(one));
  const offers =
    run === undefined ? "" : ` This gateway offers ${names.join(", ")}; tools of other servers run through ${run}.`;
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool "${name}".${offers}`);
}

function toResult(answer: MetaAnswer): CallResult {
  if (answer.kind === "result") return answer.result;
  return { content: [{ type: "text", text: JSON.stringify(answer.data) }] };
}

function toMetaContext({ actor, context, flaws, asking, logLevel }: MetaRequest, caller: Caller): MetaContext {
  const { mcpReq, http } = context;
  return {
    actor,
    signal: caller.signal,
    onEvent: caller.onEvent,
    peer: caller.peer,
    meta: toMeta(mcpReq._meta, http?.req),
    flaws: flaws.length > 0 ? flaws : undefined,
    ask: asking && askInTask(caller, asking.ask),
    logLevel,
  };
}

/** What travels on; over HTTP the trace may stand in the headers. */
function toMeta(given: unknown, request: Request | undefined): JsonObject | undefined {
  if (!isJsonObject(given) && request === undefined) return undefined;
  const { progressToken: _token, ...own }: JsonObject = isJsonObject(given) ? given : {};
  const meta = request === undefined ? own : { ...traceMeta(Object.fromEntries(request.headers)), ...own };
  return Object.keys(meta).length > 0 ? meta : undefined;
}
