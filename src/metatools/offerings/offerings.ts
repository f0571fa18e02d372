// The catalog and the connections come in; what servers have beside tools goes out, under names that tell them apart, and
// requests find their way back. How a client is told of it is not known here.
import type { Refresh } from "../../catalog/refresh.js";
import type { CatalogServer, Snapshot } from "../../catalog/snapshot.js";
import { toDiscoveryError } from "../../errors.js";
import type { JsonObject } from "../../model/json.js";
import type {
  OfferKind,
  UpstreamAnswer,
  UpstreamRequest,
  Upstreams,
  UpstreamTarget,
  Watching,
} from "../../upstreams/types.js";
import { toAlias, toAliases } from "../full-mode-alias.js";
import { collect } from "./collect.js";
import { parseSharedUri, type ServerResource, toSharedTemplate, toSharedUri } from "./resource-names.js";

export interface OfferingsParts {
  /** For whom servers are asked. */
  readonly actorId: string;
  /** As the caller may see it: what is not in it has nothing beside tools either. */
  readonly snapshot: () => Snapshot;
  readonly refresh: Pick<Refresh, "whenKnown">;
  readonly upstreams: Pick<Upstreams, "offers" | "request" | "watch">;
  readonly target: (server: string) => UpstreamTarget;
  /** Whether the rules leave anything of a server that has no tools. */
  readonly admits: (server: string) => boolean;
  /** Where there is one server only, its names and addresses are as it gives them, and it is started for a list. */
  readonly isTransparent: boolean;
  readonly freshMs: number;
  readonly timeoutMs: number;
  readonly log: (message: string) => void;
}

/** `peer`: whom the server may ask something meanwhile. */
export type OfferingRequest = Pick<UpstreamRequest, "method" | "params" | "peer">;

export interface ServerPrompt {
  readonly server: string;
  readonly name: string;
}

export interface Offerings {
  /** The one server whose names and addresses are as it gives them. */
  readonly only: string | undefined;
  /** As the protocol lists them, in the order of the servers. Who does not answer in time, or is not running, is left out. */
  list(kind: OfferKind): Promise<readonly JsonObject[]>;
  /** Undefined when nobody has it, as far as the caller may know. */
  prompt(name: string): Promise<ServerPrompt | undefined>;
  /** The same of an address or a template. */
  resource(uri: string): ServerResource | undefined;
  /** How a resource of the server is named to the caller. */
  nameOf(resource: ServerResource): string;
  ask(server: string, request: OfferingRequest, signal?: AbortSignal): Promise<UpstreamAnswer>;
  watch(resource: ServerResource, onChange: () => void): Promise<Watching>;
}

const PATIENCE_MS = 3000;
const FIRST_TIME_WAIT_MS = 1500;
const AT_ONCE = 4;

interface Offer {
  readonly server: string;
  readonly name: string;
  readonly item: JsonObject;
}

const CAPABILITIES = { prompts: "prompts", resources: "resources", templates: "resources" } as const;
const NAMES = { prompts: "name", resources: "uri", templates: "uriTemplate" } as const;

function isForeign({ definition }: CatalogServer): boolean {
  return definition.connection.kind !== "built-in";
}

export function createOfferings(parts: OfferingsParts): Offerings {
  const { snapshot, refresh, upstreams, target, freshMs, timeoutMs, log } = parts;
  const [first, second] = [...snapshot().servers.values()].filter(isForeign);
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

  /** Nothing is started for a list: what a stdio server has is known once it was connected for something else. */
  const mayOpen = ({ definition, record }: CatalogServer, kind: OfferKind): boolean => {
    if (definition.name === only) return true;
    return definition.connection.kind !== "stdio" && record?.capabilities?.[CAPABILITIES[kind]] === true;
  };

  const offersOf = async (server: CatalogServer, kind: OfferKind): Promise<readonly Offer[]> => {
    const { name } = server.definition;
    try {
      const items = await upstreams.offers(target(name), { kind, freshMs, mayOpen: mayOpen(server, kind) });
      return (items ?? []).map((item) => ({ server: name, name: String(item[NAMES[kind]]), item }));
    } catch (error) {
      log(`No ${kind} from ${name}: ${toDiscoveryError(error).message}`);
      return [];
    }
  };

  const gather = async (kind: OfferKind): Promise<readonly Offer[]> => {
    if (only === undefined) await refresh.whenKnown(FIRST_TIME_WAIT_MS);
    const shown = [...snapshot().servers.values()].filter(isShown);
    const limits = { atOnce: AT_ONCE, patienceMs: only === undefined ? PATIENCE_MS : timeoutMs };
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
      // What stands behind a transparent gateway may be one as well, with addresses of the same form.
      const resource = only === undefined ? parseSharedUri(uri) : { server: only, uri };
      return resource !== undefined && find(resource.server) !== undefined ? resource : undefined;
    },

    async ask(server, request, signal) {
      log(`${request.method} goes to ${server}.`);
      return await upstreams.request(target(server), { ...request, actorId: parts.actorId, timeoutMs }, signal);
    },

    watch: ({ server, uri }, onChange) => upstreams.watch(target(server), uri, onChange),
  };
}
