// Handles the MCP methods for prompts, resources, completion and subscriptions. Each request uses the current
// configuration and the servers that the caller may see.
import type { RequestId } from "@modelcontextprotocol/server";
import type { ConnectionAccess, Stages } from "../../gateway/stages.js";
import type { Actor } from "../../model/actor.js";
import type { CallContext } from "../../model/call.js";
import type { JsonObject } from "../../model/json.js";
import { type MethodRequest, openPromptsAndResources } from "./method-request.js";
import { completeArgument } from "./completion.js";
import { BUILT_IN_PROMPTS } from "../../built-in/prompts.js";
import { getPrompt, listPrompts } from "./prompts.js";
import { needText, resourceNotFound, toProtocolError, toRelayedResult } from "./relayed.js";
import { isBuiltInResource, listResources, listTemplates, NO_SUCH_RESOURCE, readResource } from "./resources.js";
import { createSubscriptions, type Subscriptions } from "./subscriptions.js";

export interface PromptAndResourceParts {
  readonly era: "legacy" | "modern";
  readonly actor: Actor;
  readonly stages: () => Promise<Stages>;
}

/** Sends change notifications to the client. The implementation omits those that the client has not subscribed to. */
export interface ChangeNotifications {
  promptsChanged(): void;
  resourcesChanged(): void;
  resourceUpdated(uri: string): void;
}

/** The signal that cancels the request, and the peer that responds to requests from the server. */
export type PromptAndResourceCaller = Pick<CallContext, "signal" | "peer">;

export interface PromptAndResourceMethods {
  /** Handles a request; undefined if the method is not one of those in this file. */
  handle(method: string, params: JsonObject, caller?: PromptAndResourceCaller): Promise<JsonObject> | undefined;
  /**
   * Call this with the filter when the client opens a `subscriptions/listen` stream, and with undefined when the stream
   * closes.
   */
  listen(stream: RequestId, filter: JsonObject | undefined): void;
  close(): void;
}

type Handler = (incoming: MethodRequest, subscriptions: Subscriptions) => Promise<JsonObject>;

/** The owner of all resource subscriptions of a legacy client (MCP before 2026-07-28), which has one stream. */
const SESSION = "session";

const HANDLERS: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ["prompts/list", listPrompts],
  ["prompts/get", getPrompt],
  ["resources/list", listResources],
  ["resources/templates/list", listTemplates],
  ["resources/read", readResource],
  ["completion/complete", completeArgument],
  ["resources/subscribe", subscribe],
  ["resources/unsubscribe", unsubscribe],
]);

/**
 * Methods that are forwarded to a server, which may send requests to the client (such as elicitation) while it handles
 * them.
 */
export const METHODS_WITH_SERVER_REQUESTS: ReadonlySet<string> = new Set(["prompts/get", "resources/read"]);

/** The MCP server capabilities that the gateway declares for prompts, resources and completion. */
export const PROMPT_AND_RESOURCE_CAPABILITIES = {
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  completions: {},
};

export function createPromptAndResourceMethods(
  notifications: ChangeNotifications,
  parts: PromptAndResourceParts,
): PromptAndResourceMethods {
  const ignore = (): void => undefined;
  const subscriptions = createSubscriptions((uri) => void notifyUpdated(uri).catch(ignore));
  let stopWatching: (() => void) | undefined;
  let isClosed = false;

  /**
   * Begins to watch the servers' lists for changes. Called with the client's first request, because before that the
   * client has no list that could be outdated.
   */
  const watchLists = ({ upstreams }: ConnectionAccess): void => {
    if (isClosed) return;
    stopWatching ??= upstreams.onOffersChanged((name, kind) => void notifyListChanged(name, kind).catch(ignore));
  };
  const notifyListChanged = async (name: string, kind: "prompts" | "resources"): Promise<void> => {
    const stages = await parts.stages();
    // Do not report changes of servers that the caller may not see or read.
    if (!stages.snapshot().servers.has(name)) return;
    const method = kind === "prompts" ? "prompts/list" : "resources/list";
    if (!stages.requests.permits({ actor: parts.actor, server: name, method })) return;
    if (kind === "prompts") notifications.promptsChanged();
    else notifications.resourcesChanged();
  };

  /**
   * Notifies the client of an updated resource, unless the client has lost access to the resource since it subscribed.
   */
  const notifyUpdated = async (uri: string): Promise<void> => {
    const { resource, permits } = openPromptsAndResources(await parts.stages(), parts.actor);
    const found = resource(uri);
    if (found !== undefined && permits(found.server, "resources/subscribe")) notifications.resourceUpdated(uri);
  };

  const run = async (
    handler: Handler,
    params: JsonObject,
    caller: PromptAndResourceCaller = {},
  ): Promise<JsonObject> => {
    const stages = await parts.stages();
    try {
      watchLists(stages);
      const promptsAndResources = openPromptsAndResources(stages, parts.actor);
      const { era, actor } = parts;
      const context = { actor, signal: caller.signal, peer: caller.peer };
      const incoming = { context, params, era, stages, promptsAndResources, builtInPrompts: BUILT_IN_PROMPTS };
      return await handler(incoming, subscriptions);
    } catch (error) {
      throw toProtocolError(error, stages.offered.describeStep, stages.runtime.secrets);
    }
  };

  return {
    handle(method, params, caller) {
      const handler = HANDLERS.get(method);
      return handler === undefined ? undefined : run(handler, params, caller);
    },
    listen(stream, filter) {
      if (filter === undefined) return subscriptions.removeAll(stream);
      const wanted = filter["resourceSubscriptions"];
      const uris = Array.isArray(wanted) ? wanted.filter((uri): uri is string => typeof uri === "string") : [];
      // Errors are ignored: the stream is already acknowledged, so a failed subscription cannot be reported.
      const watchAll = async (incoming: MethodRequest): Promise<JsonObject> => {
        await Promise.allSettled(uris.map((uri) => watch(uri, stream, { ...incoming, subscriptions })));
        return {};
      };
      run(watchAll, {}).catch(ignore);
    },
    close() {
      isClosed = true;
      stopWatching?.();
      subscriptions.close();
    },
  };
}

async function watch(
  uri: string,
  owner: RequestId,
  { promptsAndResources, subscriptions, era }: MethodRequest & { readonly subscriptions: Subscriptions },
): Promise<JsonObject> {
  if (!isBuiltInResource(uri) && promptsAndResources.resource(uri) === undefined)
    throw resourceNotFound(uri, NO_SUCH_RESOURCE);
  return toRelayedResult(await subscriptions.add(uri, owner, promptsAndResources), era);
}

async function subscribe(incoming: MethodRequest, subscriptions: Subscriptions): Promise<JsonObject> {
  return await watch(needText(incoming.params, "uri", "resources/subscribe"), SESSION, { ...incoming, subscriptions });
}

function unsubscribe({ params }: MethodRequest, subscriptions: Subscriptions): Promise<JsonObject> {
  subscriptions.remove(needText(params, "uri", "resources/unsubscribe"), SESSION);
  return Promise.resolve({});
}
