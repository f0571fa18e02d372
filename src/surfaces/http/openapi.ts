// Generates the OpenAPI 3.1 document from the list of routes.
import { z } from "zod";
import type { JsonObject } from "../../model/json.js";
import { VERSION } from "../../version.js";
import { problemSchema } from "./problem.js";
import { defineRoute, type Route, type RouteParameter } from "./route.js";
import { toAnswer } from "./answer.js";

const PROBLEM = { $ref: "#/components/schemas/Problem" };

/** Returns the route that serves the OpenAPI document of the given routes and of itself. */
export function describeRoutes(routes: readonly Route[]): Route {
  let document: JsonObject | undefined;
  const own: Route = defineRoute({
    method: "GET",
    at: "/openapi.json",
    operationId: "describeApi",
    summary: "Describe this API.",
    path: {},
    query: {},
    header: {},
    answers: z.looseObject({ openapi: z.string() }),
    run: () => Promise.resolve(toAnswer((document ??= toOpenApi([...routes, own])))),
  });
  return own;
}

export function toOpenApi(routes: readonly Route[]): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: toOperation(route) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "AnyGPT Discovery",
      version: VERSION,
      description:
        "Search, read and run the tools of all APIs and MCP servers behind one gateway. MCP clients connect to `/mcp` " +
        "(Streamable HTTP, all revisions), to `/mcp/gateway` for the tools of the profile `gateway`, or to `/mcp/p/{view}` " +
        "for one view; these paths use the MCP protocol.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: {
        token: {
          type: "http",
          scheme: "bearer",
          description:
            "The token in the file `http.token` in the state folder, a token that is configured in `http.tokens`, or a token from the authorization server.",
        },
      },
      schemas: { Problem: toSchema(problemSchema) },
    },
  };
}

function toOperation({ operationId, summary, parameters, body, isOpen, answers, path }: Route): JsonObject {
  const tag = path.startsWith("/api/") ? "tools" : "gateway";
  return {
    operationId,
    summary,
    tags: [tag],
    ...(isOpen ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters: parameters.map(toParameter) }),
    ...(body === undefined ? {} : { requestBody: toRequestBody(body) }),
    responses: {
      200: {
        description: "Success.",
        ...(body === undefined ? {} : { headers: REPLAYED }),
        content: { "application/json": { schema: toSchema(answers) } },
      },
      default: {
        description: "The request failed; `code` names the reason.",
        headers: FAILURE_HEADERS,
        content: { "application/problem+json": { schema: PROBLEM } },
      },
    },
  };
}

const REPLAYED = {
  "Idempotent-Replayed": {
    description:
      "`true`: the tool did not run for this call; this is the stored result of the first call with the same key.",
    schema: { type: "string", const: "true" },
  },
};
const FAILURE_HEADERS = {
  "Retry-After": {
    description: "How many seconds to wait before repeating the request.",
    schema: { type: "integer", minimum: 1 },
  },
};

function toParameter({ in: location, name, required, schema: { description, ...schema } }: RouteParameter): JsonObject {
  return {
    in: location,
    name,
    ...(description === undefined ? {} : { description }),
    ...(required ? { required } : {}),
    schema,
  };
}

function toRequestBody(description: string): JsonObject {
  return { description, required: true, content: { "application/json": { schema: { type: "object" } } } };
}

function toSchema(answers: z.ZodType): JsonObject {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(answers, { io: "input" });
  return schema;
}
