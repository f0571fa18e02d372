// The gateway as an MCP server: translates between MCP messages and the meta-tools. It makes no policy decisions.
import { ProtocolError, ProtocolErrorCode, type RequestId, Server } from "@modelcontextprotocol/server";
import type { Profiles } from "../../gateway/profiles.js";
import type { CatalogAccess, Services, Stages } from "../../gateway/stages.js";
import { DiscoveryError, toDiscoveryError } from "../../errors.js";
import type { ListedPage } from "../../metatools/full-mode.js";
import type { MetaAnswer } from "../../metatools/meta-tool.js";
import { describeDiscoveryStep } from "../../metatools/next-steps.js";
import type { Offered } from "../../metatools/offered.js";
import { toErrorObject } from "../../metatools/to-error-object.js";
import { toModelError } from "../../metatools/to-model-error.js";
import type { Actor } from "../../model/actor.js";
import type { CallContext, CallResult } from "../../model/call.js";
import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { DescribeStep } from "../../model/next-steps.js";
import { traceMeta } from "../../tracing/trace-context.js";
import { revealHiddenJson } from "../../util/hidden-text.js";
import type { JsonViolation } from "../../util/json/violation.js";
import type { Secrets } from "../../util/secrets.js";
import { withAnySignal } from "../../util/with-any-signal.js";
import { VERSION } from "../../version.js";
import { type UserQuestion, type UserQuestionParts, createUserQuestion } from "./user-question.js";
import type { CallWork } from "./client-requests/multi-round-trip-call.js";
import { createLogLevels } from "./client-requests/log-levels.js";
import type { MultiRoundTripRequests } from "./client-requests/multi-round-trip-requests.js";
import { type CallerParts, clientNameOf, declaredBy, ownerOf, runForCaller } from "./client-requests/run-for-caller.js";
import {
  METHODS_WITH_SERVER_REQUESTS,
  PROMPT_AND_RESOURCE_CAPABILITIES,
  createPromptAndResourceMethods,
  type ChangeNotifications,
} from "./prompts-and-resources.js";
import { CHANGING, FIXED, withHint } from "./cache-hints.js";
import { withClientHints } from "./client-hints.js";
import type { ListenListener } from "./listens.js";
import type { RequestContext } from "./request-context.js";
import { askInTask } from "./tasks/ask-in-task.js";
import { serveTasks, TASK_CAPABILITIES } from "./tasks/task-methods.js";

export interface GatewayServerParts extends UserQuestionParts {
  /** The actor for which all requests to this server object are processed. */
  readonly actor: Actor;
  /** Returns the components of the configuration that is current when a request arrives. */
  readonly stages: () => Promise<Stages>;
  /**
   * The tools/list result if it never changes; otherwise undefined. Everything else comes from `stages`, because the
   * configuration may be reloaded.
   */
  readonly fixedList: ListedPage | undefined;
  /** Registers a listener that is called when the tools may have changed. */
  readonly onToolsChanged: (listener: () => void) => void;
  /**
   * Registers a listener that is called when the client opens or closes a `subscriptions/listen` stream (MCP
   * 2026-07-28).
   */
  readonly onListen?: (listener: ListenListener) => void;
  readonly instructions: string;
  /**
   * The waiting calls of modern clients (MCP 2026-07-28 and later). Shared by all server objects that may receive the
   * next request of a call.
   */
  readonly roundTrips: MultiRoundTripRequests;
  /** Returns the JSON ambiguities (such as duplicate keys) in the arguments of a request. */
  readonly flawsOf: (id: RequestId) => readonly JsonViolation[];
  /** Aborts when calls in progress must end and report their outcome. */
  readonly ending?: AbortSignal;
}

export interface GatewayServer {
  readonly server: Server;
  /** Handles tools/call requests from the SDK and from the fast path. */
  callTool(params: JsonObject, context: RequestContext): Promise<JsonObject>;
}

export function createGatewayServer(parts: GatewayServerParts): GatewayServer {
  const isFixed = parts.fixedList !== undefined;
  const server = new Server(
    { name: "anygpt-discovery", title: "AnyGPT Discovery", version: VERSION },
    {
      capabilities: {
        tools: isFixed ? {} : { listChanged: true },
        ...PROMPT_AND_RESOURCE_CAPABILITIES,
        logging: {},
        ...(parts.era === "modern" ? TASK_CAPABILITIES : {}),
      },
      // The instructions contain server names, which depend on the caller.
      cacheHints: { "server/discover": CHANGING },
      instructions: parts.instructions,
    },
  );
  // Errors are ignored: a client that does not get the notification has to request the tool list again by itself.
  if (!isFixed) parts.onToolsChanged(() => void server.sendToolListChanged().catch(() => undefined));
  const methods = createPromptAndResourceMethods(toChangeNotifications(server), parts);
  parts.onListen?.((stream, filter) => methods.listen(stream, filter));
  server.onclose = () => methods.close();
  const levels = createLogLevels(server, parts.era);
  if (parts.era === "modern") serveTasks(server, parts.roundTrips.tasks, ownerOf(parts.actor));

  const { era, actor, roundTrips, inputClosed } = parts;
  const callerParts: CallerParts = { era, actor, roundTrips, inputClosed, client: server };
  const answerFor = async (params: JsonObject, context: RequestContext, work: CallWork): Promise<JsonObject> =>
    await withAnySignal([context.mcpReq.signal, parts.ending], (signal) =>
      runForCaller({ params, context, signal, onEvent: levels.listener(context) }, callerParts, work),
    );

  const callTool = async (params: JsonObject, request: RequestContext): Promise<JsonObject> =>
    await answerFor(params, request, async (caller) => {
      const userQuestion = createUserQuestion(request, declaredBy(request, era, server), parts);
      const { mcpReq, http } = request;
      const context: CallContext = {
        actor,
        clientName: clientNameOf(request, era, server),
        signal: caller.signal,
        onEvent: caller.onEvent,
        peer: caller.peer,
        meta: toMeta(mcpReq._meta, http?.req),
        flaws: parts.flawsOf(mcpReq.id),
        ask: userQuestion && askInTask(caller, userQuestion.ask),
        logLevel: levels.wanted(request),
      };
      const isAnswered = (): boolean => caller.isAnswered?.() === true;
      return await callMetaTool(params, context, { userQuestion, isAnswered }, parts);
    });

  // Handlers that are registered for a method are not used here: the SDK parses and copies their results and drops
  // members that its schemas do not know. It sends the results of the fallback handler unchanged, as results from
  // servers must be.
  server.fallbackRequestHandler = async ({ method, params }, context) => {
    if (method === "tools/list")
      return withHint(await listTools(params?.["cursor"], parts), isFixed ? FIXED : CHANGING, parts.era);
    const received = params ?? {};
    if (METHODS_WITH_SERVER_REQUESTS.has(method)) {
      const answer: CallWork = async (caller) => (await methods.handle(method, received, caller)) ?? {};
      return await answerFor(received, context, answer);
    }
    const answer = methods.handle(method, received, context.mcpReq);
    if (answer !== undefined) return await answer;
    if (method !== "tools/call") throw new ProtocolError(ProtocolErrorCode.MethodNotFound, "Method not found");
    return await callTool(received, context);
  };
  return { server, callTool };
}

/**
 * Creates functions that notify the client of changes. Errors are ignored: a client that does not get a notification
 * has to request the list again by itself.
 */
function toChangeNotifications(server: Server): ChangeNotifications {
  const ignore = (): void => undefined;
  return {
    promptsChanged: () => void server.sendPromptListChanged().catch(ignore),
    resourcesChanged: () => void server.sendResourceListChanged().catch(ignore),
    resourceUpdated: (uri) => void server.sendResourceUpdated({ uri }).catch(ignore),
  };
}

/**
 * How long tools/list waits in full mode for servers that start for the first time. Many clients request the list only
 * once.
 */
const FIRST_TIME_WAIT_MS = 10_000;

/**
 * Returns a page of the tool list. The five meta-tools are returned at once; in full mode the function waits for the
 * servers.
 */
async function listTools(cursor: unknown, { fixedList, stages }: GatewayServerParts): Promise<ListedPage> {
  if (fixedList !== undefined) return withClientHints(fixedList);
  if (cursor !== undefined && typeof cursor !== "string")
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "The cursor is not a string.");
  try {
    const offered = await whenKnown(await stages());
    const page = offered.page(cursor);
    return offered.isFixed ? withClientHints(page) : page;
  } catch (error) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, toDiscoveryError(error).message);
  }
}

async function whenKnown({ offered, refresh }: Profiles & CatalogAccess): Promise<Offered> {
  if (!offered.isFixed) await refresh.whenKnown(FIRST_TIME_WAIT_MS);
  return offered;
}

interface ClientRequest {
  readonly userQuestion: UserQuestion | undefined;
  /**
   * Whether the client's request already got a task as its result. The client then sends no further request for this
   * call.
   */
  readonly isAnswered: () => boolean;
}

async function callMetaTool(
  { name, arguments: args }: JsonObject,
  context: CallContext,
  { userQuestion, isAnswered }: ClientRequest,
  { stages, era }: GatewayServerParts,
): Promise<JsonObject> {
  if (typeof name !== "string")
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'tools/call needs a string in "name".');
  let current: Profiles & CatalogAccess & Services;
  try {
    current = await stages();
  } catch (error) {
    return { ...toFailedResult(error, describeDiscoveryStep) };
  }
  const { offered, runtime } = current;
  const metaTool = offered.find(name) ?? (await whenKnown(current)).find(name);
  if (metaTool === undefined) throw unknownMetaTool(runtime.secrets.redact(name), offered.names);
  try {
    return toResult(await metaTool.run(args, context));
  } catch (error) {
    assertNoUrlElicitation(error, context);
    if (era === "modern" && !offered.isFixed) assertNoMissingCapability(error);
    if (isAnswered() && !offered.isFixed) assertNoProtocolError(error, offered.describeStep, runtime.secrets);
    const isUnconfirmed = error instanceof DiscoveryError && error.code === "CONFIRMATION_REQUIRED";
    const next = isUnconfirmed && !isAnswered() ? userQuestion?.nextRoundTrip() : undefined;
    return next ?? toFailedResult(error, offered.describeStep, runtime.secrets);
  }
}

/**
 * Throws if the server requires URL elicitation. A legacy client (MCP before 2026-07-28) that supports it opens the
 * page when it gets this protocol error, and then repeats the call.
 */
function assertNoUrlElicitation(error: unknown, { peer }: CallContext): void {
  const { jsonRpcCode, elicitations } = error instanceof DiscoveryError ? error.facts : {};
  const elicitation = peer?.notify === undefined ? undefined : peer.capabilities["elicitation"];
  if (jsonRpcCode !== ProtocolErrorCode.UrlElicitationRequired || !isJsonObject(elicitation)) return;
  if (elicitation["url"] === undefined || !(error instanceof Error)) return;
  throw new ProtocolError(ProtocolErrorCode.UrlElicitationRequired, error.message, { elicitations });
}

/**
 * Throws if the client lacks a capability that the server requires. In full mode, this is reported with the protocol
 * error that MCP defines.
 */
function assertNoMissingCapability(error: unknown): void {
  const { jsonRpcCode, requiredCapabilities } = error instanceof DiscoveryError ? error.facts : {};
  const isMissing = jsonRpcCode === ProtocolErrorCode.MissingRequiredClientCapability;
  if (!isMissing || !isJsonObject(requiredCapabilities)) return;
  throw new ProtocolError(jsonRpcCode, toDiscoveryError(error).message, { requiredCapabilities });
}

/**
 * Throws if the server responded with a JSON-RPC error. In full mode, the task then fails, instead of completing with
 * an error result.
 */
function assertNoProtocolError(error: unknown, describe: DescribeStep, secrets: Secrets): void {
  const { jsonRpcCode } = error instanceof DiscoveryError ? error.facts : {};
  if (typeof jsonRpcCode !== "number") return;
  const { message } = secrets.redactError(toDiscoveryError(error));
  throw new ProtocolError(jsonRpcCode, message, toErrorObject(error, describe, secrets).error);
}

/** The `_meta` member of a failed result with all details of the error, such as the request id. */
const ERROR_MEMBER = "anygpt/error";

/** Converts an error to a tool result with `isError`, so that the model sees the error and can react. */
export function toFailedResult(error: unknown, describe: DescribeStep, secrets?: Secrets): CallResult {
  const { error: shown, details } = toModelError(error, describe, secrets);
  const text = revealHiddenJson(JSON.stringify({ success: false, error: shown }));
  return { content: [{ type: "text", text }], isError: true, _meta: { [ERROR_MEMBER]: details } };
}

/**
 * The error for an unknown tool name. It explains how to call the tools of servers, because models sometimes call them
 * directly by name.
 */
function unknownMetaTool(name: string, names: readonly string[]): ProtocolError {
  const run = names.find((one) => /execute/.test(one));
  const offers =
    run === undefined ? "" : ` This gateway offers ${names.join(", ")}; call the tools of servers through ${run}.`;
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool "${name}".${offers}`);
}

function toResult(answer: MetaAnswer): CallResult {
  if (answer.kind === "result") return answer.result;
  // Equivalent JSON: a model sees hidden characters in names and texts as escapes.
  return { content: [{ type: "text", text: revealHiddenJson(JSON.stringify(answer.data)) }] };
}

/** Returns the `_meta` to forward. Over HTTP, the trace context may also be in the headers. */
function toMeta(received: unknown, request: Request | undefined): JsonObject | undefined {
  if (!isJsonObject(received) && request === undefined) return undefined;
  const { progressToken: _token, ...own }: JsonObject = isJsonObject(received) ? received : {};
  const meta = request === undefined ? own : { ...traceMeta(Object.fromEntries(request.headers)), ...own };
  return Object.keys(meta).length > 0 ? meta : undefined;
}
