// Serves the protected resource metadata (RFC 9728). It needs no token, because a client reads it before it has one.
import { z } from "zod";
import { toAnswer } from "./answer.js";
import { baseUrl, RESOURCE_METADATA, toResourceMetadata } from "./challenge.js";
import type { HttpOptions } from "./options.js";
import { NO_SUCH_PATH, httpRefusal } from "./refusal.js";
import { defineRoute, type Route } from "./route.js";
import { viewName } from "./token-options.js";

const answers = z.looseObject({ resource: z.string(), authorization_servers: z.array(z.string()) });

/**
 * Path suffixes of the metadata URL, each with the path of the resource that it describes. Without a suffix, that is
 * `/mcp`.
 */
const RESOURCES = [
  ["", "/mcp"],
  ["/mcp", "/mcp"],
  ["/mcp/gateway", "/mcp/gateway"],
  ["/mcp/p/{view}", "/mcp/p/"],
] as const;

export function metadataRoutes(options: () => Promise<HttpOptions>): readonly Route[] {
  return RESOURCES.map(([suffix, resource], index) =>
    defineRoute({
      method: "GET",
      at: `${RESOURCE_METADATA}${suffix}`,
      operationId: `protectedResource${index}`,
      summary: "Name the authorization server that issues tokens for this resource.",
      isOpen: true,
      path: suffix.includes("{view}") ? { view: viewName } : {},
      query: {},
      header: {},
      answers,
      async run(_given, { incoming, path }) {
        const { oauth, ...rest } = await options();
        if (oauth === undefined) throw httpRefusal(404, NO_SUCH_PATH);
        return toAnswer(toResourceMetadata(`${baseUrl(incoming, rest)}${resource}${path["view"] ?? ""}`, oauth));
      },
    }),
  );
}
