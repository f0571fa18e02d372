// Lists the prompts and resources of all servers under unique names, and forwards requests for them to the right
// server. The MCP surface sends the results to clients.
import type { Refresh } from "../../catalog/refresh.js";
import type { CatalogServer, Snapshot } from "../../catalog/snapshot.js";
import { toDiscoveryError } from "../../errors.js";
import type { GatedMethod, RequestGate } from "../../executor/request-gate.js";
import type { Actor } from "../../model/actor.js";
import type { JsonObject } from "../../model/json.js";
import type {
  OfferKind,
  UpstreamAnswer,
  UpstreamRequest,
  Upstreams,
  UpstreamTarget,
  Watching,
} from "../../upstreams/types.js";
import { withoutHiddenTexts } from "../without-hidden-texts.js";
import { toAlias, toAliases } from "../full-mode-alias.js";
import { collect } from "./collect.js";
import { parseSharedUri, type ServerResource, toSharedTemplate, toSharedUri } from "./resource-names.js";

export interface PromptsAndResourcesParts {
  /** The actor whose connections to servers are used. */
  readonly actor: Actor;
  /** Decides which requests may be sent, and records them. */
  readonly gate: RequestGate;
  /** Returns the catalog as the caller may see it. Prompts and resources of servers that are not in it are hidden. */
  readonly snapshot: () => Snapshot;
  readonly refresh: Pick<Refresh, "whenKnown">;
  readonly upstreams: Pick<Upstreams, "offers" | "request" | "watch">;
  readonly target: (server: string) => UpstreamTarget;
  /** Whether the tool rules allow the prompts and resources of a server that has no tools. */
  readonly admits: (server: string) => boolean;
  /**
   * Whether a single server is passed through: its prompt names and resource URIs are unchanged, and a list request
   * starts the server.
   */
  readonly isTransparent: boolean;
  readonly freshMs: number;
  readonly timeoutMs: number;
  readonly log: (message: string) => void;
}

/** `peer`: the client that responds to requests from the server (elicitation, sampling, roots) during this request. */
export interface PromptOrResourceRequest extends Pick<UpstreamRequest, "params" | "peer"> {
  readonly method: GatedMethod;
}

export interface ServerPrompt {
  readonly server: string;
  readonly name: string;
}

export interface PromptsAndResources {
  /**
   * The name of the server whose prompt names and resource URIs are unchanged because it is the only server; otherwise
   * undefined.
   */
  readonly only: string | undefined;
  /**
   * Lists the prompts, resources or templates of all servers as MCP objects, in the order of the servers. Servers that
   * are not running or respond too late are omitted.
   */
  list(kind: OfferKind): Promise<readonly JsonObject[]>;
  /** Finds the server of a prompt; undefined if no server that the caller may see has this prompt. */
  prompt(name: string): Promise<ServerPrompt | undefined>;
  /**
   * Finds the server and the original URI of a resource URI or template; undefined if the caller may not see the
   * server.
   */
  resource(uri: string): ServerResource | undefined;
  /** Returns the URI under which the caller sees the resource. */
  nameOf(resource: ServerResource): string;
  /** Whether the caller may send requests with this method to the server. */
  permits(server: string, method: GatedMethod): boolean;
  /** Throws SCOPE_REQUIRED if the caller lacks a scope for the server. */
  request(server: string, request: PromptOrResourceRequest, signal?: AbortSignal): Promise<UpstreamAnswer>;
  watch(resource: ServerResource, onChange: () => void): Promise<Watching>;
}

const LIST_TIMEOUT_MS = 3000;
const FIRST_TIME_WAIT_MS = 1500;
const CONCURRENCY = 4;

interface Offer {
  readonly server: string;
  readonly name: string;
  readonly item: JsonObject;
}

const LISTING = {
  prompts: "prompts/list",
  resources: "resources/list",
  templates: "resources/templates/list",
} as const satisfies Record<OfferKind, GatedMethod>;
const CAPABILITIES = { prompts: "prompts", resources: "resources", templates: "resources" } as const;
const NAMES = { prompts: "name", resources: "uri", templates: "uriTemplate" } as const;

function isUpstream({ definition }: CatalogServer): boolean {
  return definition.connection.kind !== "built-in";
}

export function createPromptsAndResources(parts: PromptsAndResourcesParts): PromptsAndResources {
  const { snapshot, refresh, upstreams, target, freshMs, timeoutMs, log } = parts;
  const [first, second] = [...snapshot().servers.values()].filter(isUpstream);
  const only = parts.isTransparent && second === undefined ? first?.definition.name : undefined;

  const isShown = ({ definition, tools }: CatalogServer): boolean => {
    const { kind } = definition.connection;
    if (kind === "rest" || kind === "built-in") return false;
    return tools.length === 0 ? parts.admits(definition.name) : tools.some(({ enabled }) => enabled);
  };
  const find = (name: string): CatalogServer | undefined => {
    const server = snapshot().servers.get(name);
    return server !== undefined && isShown(server) ? server : undefined;
  };

  /**
   * Whether a list request may open a connection to the server. A list request does not start a stdio server, unless it
   * is the only server: its items are listed once another request has started the server.
   */
  const mayOpen = ({ definition, record }: CatalogServer, kind: OfferKind): boolean => {
    if (definition.name === only) return true;
    return definition.connection.kind !== "stdio" && record?.capabilities?.[CAPABILITIES[kind]] === true;
  };

  const permits = (server: string, method: GatedMethod): boolean =>
    parts.gate.permits({ actor: parts.actor, server, method });

  const offersOf = async (server: CatalogServer, kind: OfferKind): Promise<readonly Offer[]> => {
    const { name } = server.definition;
    try {
      const items = await upstreams.offers(target(name), { kind, freshMs, mayOpen: mayOpen(server, kind) });
      return (items ?? []).map((item) => ({
        server: name,
        name: String(item[NAMES[kind]]),
        item: withoutHiddenTexts(item),
      }));
    } catch (error) {
      log(`Cannot list the ${kind} of ${name}: ${toDiscoveryError(error).message}`);
      return [];
    }
  };

  const gather = async (kind: OfferKind): Promise<readonly Offer[]> => {
    if (only === undefined) await refresh.whenKnown(FIRST_TIME_WAIT_MS);
    const shown = [...snapshot().servers.values()].filter(
      (server) => isShown(server) && permits(server.definition.name, LISTING[kind]),
    );
    const limits = { concurrency: CONCURRENCY, timeoutMs: only === undefined ? LIST_TIMEOUT_MS : timeoutMs };
    return (await collect(shown, (server) => offersOf(server, kind), limits)).flat();
  };

  const nameOf = (resource: ServerResource): string =>
    resource.server === only ? resource.uri : toSharedUri(resource);

  const byAlias = async (): Promise<ReadonlyMap<string, Offer>> => toAliases(await gather("prompts"), false);

  return {
    only,
    nameOf,

    async list(kind) {
      if (only !== undefined) return (await gather(kind)).map(({ item }) => item);
      if (kind === "prompts") return [...(await byAlias())].map(([name, { item }]) => ({ ...item, name }));
      return (await gather(kind)).map(({ server, name, item }) => {
        if (kind === "resources") return { ...item, uri: toSharedUri({ server, uri: name }) };
        return { ...item, uriTemplate: toSharedTemplate(server, name) };
      });
    },

    async prompt(name) {
      if (only !== undefined) return find(only) && { server: only, name };
      for (const server of snapshot().servers.values()) {
        const prompt = { server: server.definition.name, name: name.slice(server.definition.name.length + 2) };
        if (prompt.name !== "" && isShown(server) && toAlias(prompt, false) === name) return prompt;
      }
      return (await byAlias()).get(name);
    },

    resource(uri) {
      // If there is only one server, its URIs are not parsed: the server may itself be a gateway of this kind, whose
      // URIs look like shared URIs.
      const resource = only === undefined ? parseSharedUri(uri) : { server: only, uri };
      return resource !== undefined && find(resource.server) !== undefined ? resource : undefined;
    },

    permits,

    async request(server, request, signal) {
      const { actor, gate } = parts;
      const { _meta: _own, ...params } = request.params;
      return await gate.run({ actor, server, method: request.method, params }, async () => {
        log(`Forwarding ${request.method} to ${server}.`);
        return await upstreams.request(target(server), { ...request, actorId: actor.id, timeoutMs }, signal);
      });
    },

    async watch({ server, uri }, onChange) {
      const { actor, gate } = parts;
      let end = (): void => undefined;
      const answer = await gate.run({ actor, server, method: "resources/subscribe", params: { uri } }, async () => {
        const watching = await upstreams.watch(target(server), uri, onChange);
        ({ end } = watching);
        return watching.answer;
      });
      return { answer, end };
    },
  };
}
