// What a client asks for beside tools: prompts, resources, completion, subscriptions. Each request goes to the servers of
// the configuration in force, as the caller may see them, and the answer comes back in the protocol's form.
import type { RequestId } from "@modelcontextprotocol/server";
import type { Stages } from "../../compose.js";
import type { Actor } from "../../model/actor.js";
import type { JsonObject } from "../../model/json.js";
import { type Asked, openOfferings } from "./asked.js";
import { complete } from "./completion.js";
import { OWN_PROMPTS } from "./own-prompts.js";
import { getPrompt, listPrompts } from "./prompts.js";
import { needText, resourceNotFound, toProtocolError, toResult } from "./relayed.js";
import { isOwn, listResources, listTemplates, NO_SUCH_RESOURCE, readResource } from "./resources.js";
import { createSubscriptions, type Subscriptions } from "./subscriptions.js";

export interface BesideToolsParts {
  readonly era: "legacy" | "modern";
  readonly actor: Actor;
  readonly stages: () => Promise<Stages>;
}

/** How the client is told; whether it wants to hear of it is known there. */
export interface News {
  promptsChanged(): void;
  resourcesChanged(): void;
  resourceUpdated(uri: string): void;
}

/** For whom, and how long it is wanted. */
export type BesideCaller = Pick<Asked, "signal" | "peer">;

export interface BesideTools {
  /** Undefined for a method that is none of these. */
  handle(method: string, params: JsonObject, caller?: BesideCaller): Promise<JsonObject> | undefined;
  /** The client opens a stream of changes with this filter, or ends it. */
  listen(stream: RequestId, filter: JsonObject | undefined): void;
  close(): void;
}

type Handler = (asked: Asked, subscriptions: Subscriptions) => Promise<JsonObject>;

/** What all of a legacy client's wishes belong to: it has one stream. */
const SESSION = "session";

const HANDLERS: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ["prompts/list", listPrompts],
  ["prompts/get", getPrompt],
  ["resources/list", listResources],
  ["resources/templates/list", listTemplates],
  ["resources/read", readResource],
  ["completion/complete", complete],
  ["resources/subscribe", subscribe],
  ["resources/unsubscribe", unsubscribe],
]);

/** What a server may ask something back before it answers. */
export const ASKING_BACK: ReadonlySet<string> = new Set(["prompts/get", "resources/read"]);

/** What clients are told that they can ask for. */
export const BESIDE_CAPABILITIES = {
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  completions: {},
};

export function createBesideTools(news: News, parts: BesideToolsParts): BesideTools {
  const ignore = (): void => undefined;
  const subscriptions = createSubscriptions((uri) => void tellUpdated(uri).catch(ignore));
  let stopHearing: (() => void) | undefined;
  let isClosed = false;

  /** Who has never asked for a list has none that could be old. */
  const hearChanges = ({ upstreams }: Stages): void => {
    if (isClosed) return;
    stopHearing ??= upstreams.onOffersChanged((name, kind) => void tell(name, kind).catch(ignore));
  };
  const tell = async (name: string, kind: "prompts" | "resources"): Promise<void> => {
    // What the caller does not see does not change either.
    if (!(await parts.stages()).snapshot().servers.has(name)) return;
    if (kind === "prompts") news.promptsChanged();
    else news.resourcesChanged();
  };

  /** What was seen when it was subscribed to may be hidden by now. */
  const tellUpdated = async (uri: string): Promise<void> => {
    const { resource } = openOfferings(await parts.stages(), parts.actor);
    if (resource(uri) !== undefined) news.resourceUpdated(uri);
  };

  const run = async (handler: Handler, params: JsonObject, caller: BesideCaller = {}): Promise<JsonObject> => {
    const stages = await parts.stages();
    try {
      hearChanges(stages);
      const offerings = openOfferings(stages, parts.actor);
      const { era, actor } = parts;
      const asked = { ...caller, params, era, actor, stages, offerings, ownPrompts: OWN_PROMPTS };
      return await handler(asked, subscriptions);
    } catch (error) {
      throw toProtocolError(error, stages.place.secrets);
    }
  };

  return {
    handle(method, params, { signal, peer } = {}) {
      const handler = HANDLERS.get(method);
      if (handler === undefined) return undefined;
      return run(handler, params, { ...(signal && { signal }), ...(peer && { peer }) });
    },
    listen(stream, filter) {
      if (filter === undefined) return subscriptions.removeAll(stream);
      const wanted = filter["resourceSubscriptions"];
      const uris = Array.isArray(wanted) ? wanted.filter((uri): uri is string => typeof uri === "string") : [];
      // What cannot be watched is not told of: the stream has been acknowledged already.
      const watchAll = async (asked: Asked): Promise<JsonObject> => {
        await Promise.allSettled(uris.map((uri) => watch(uri, stream, { ...asked, subscriptions })));
        return {};
      };
      run(watchAll, {}).catch(ignore);
    },
    close() {
      isClosed = true;
      stopHearing?.();
      subscriptions.close();
    },
  };
}

async function watch(
  uri: string,
  owner: RequestId,
  { offerings, subscriptions, era }: Asked & { readonly subscriptions: Subscriptions },
): Promise<JsonObject> {
  if (!isOwn(uri) && offerings.resource(uri) === undefined) throw resourceNotFound(uri, NO_SUCH_RESOURCE);
  return toResult(await subscriptions.add(uri, owner, offerings), era);
}

async function subscribe(asked: Asked, subscriptions: Subscriptions): Promise<JsonObject> {
  return await watch(needText(asked.params, "uri", "resources/subscribe"), SESSION, { ...asked, subscriptions });
}

function unsubscribe({ params }: Asked, subscriptions: Subscriptions): Promise<JsonObject> {
  subscriptions.remove(needText(params, "uri", "resources/unsubscribe"), SESSION);
  return Promise.resolve({});
}
