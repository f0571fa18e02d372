// Serves the paths under /mcp: passes requests to the MCP handler, with only the headers that MCP needs.
import type { Actor } from "../../model/actor.js";
import type { Endpoint } from "../mcp/over-http/endpoint.js";
import type { McpOverHttp } from "../mcp/over-http/over-http.js";
import type { Mount, MountRequest } from "./mount.js";
import { NO_SUCH_PATH, httpRefusal } from "./refusal.js";
import { viewName } from "./token-options.js";

/** The request headers that are passed to the MCP handler. Credentials and cookies are not among them. */
const FORWARDED_HEADERS = /^(?:accept|content-type|last-event-id|mcp-[a-z0-9-]+|trace(?:parent|state))$/;

export function mcpMounts({ serve }: Pick<McpOverHttp, "serve">, now: () => number): readonly Mount[] {
  const mount = (path: string, endpointOf: (path: MountRequest["path"]) => Endpoint): Mount => ({
    path,
    methods: ["GET", "POST", "DELETE"],
    async run(request) {
      const endpoint = endpointOf(request.path);
      const actor = actorAt(endpoint, request.actor);
      const { body, until } = request;
      const life = until === undefined ? {} : { lifeMs: Math.max(0, until - now()) };
      const mcpRequest = { request: toRequest(request), body, endpoint, ...life };
      const response = actor === undefined ? undefined : await serve({ ...mcpRequest, actor });
      if (response === undefined) throw httpRefusal(404, NO_SUCH_PATH);
      return response;
    },
  });
  return [
    mount("/mcp", () => ({ kind: "default" })),
    mount("/mcp/gateway", () => ({ kind: "gateway" })),
    mount("/mcp/p/{view}", ({ view = "" }) => ({ kind: "view", view })),
  ];
}

/**
 * Returns the actor for an endpoint; undefined if the actor may not use it. An actor with a view cannot use another
 * view, and cannot find out which views exist.
 */
function actorAt(endpoint: Endpoint, actor: Actor): Actor | undefined {
  const here: Actor = { ...actor, surface: "mcp" };
  if (endpoint.kind !== "view") return here;
  const { view } = endpoint;
  if (!viewName.safeParse(view).success || (actor.view ?? view) !== view) return undefined;
  return { ...here, view };
}

function toRequest({ incoming, disconnected }: MountRequest): Request {
  const headers = Object.entries(incoming.headers).flatMap(([name, value]): [string, string][] =>
    FORWARDED_HEADERS.test(name) && typeof value === "string" ? [[name, value]] : [],
  );
  const { method = "GET", url = "/" } = incoming;
  return new Request(new URL(url, "http://localhost"), { method, headers, signal: disconnected });
}
