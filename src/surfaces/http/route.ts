import type { IncomingMessage } from "node:http";
import { z } from "zod";
import type { Execution } from "../../gateway/execution.js";
import type { Profiles } from "../../gateway/profiles.js";
import type { CatalogAccess, ConnectionAccess, Services } from "../../gateway/stages.js";
import { malformed } from "../../metatools/meta-tool.js";
import type { CallContext } from "../../model/call.js";
import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { HttpAnswer } from "./answer.js";
import type { RequestBody } from "./body.js";

export type ParameterLocation = "path" | "query" | "header";

export interface RouteParameter {
  readonly in: ParameterLocation;
  readonly name: string;
  readonly required: boolean;
  readonly schema: JsonObject;
}

/** One HTTP operation. The request handler and the OpenAPI description come from this declaration. */
export interface Route {
  readonly method: "GET" | "POST";
  /** The path in OpenAPI syntax: `/api/adapters/{adapter}/tools`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: readonly RouteParameter[];
  /** The description of the request body; undefined if the operation has no body. */
  readonly body?: string;
  /** Whether no token is required. The response must then contain no data of callers. */
  readonly isOpen: boolean;
  /** The scope that the caller needs. If undefined, every authenticated caller is allowed. */
  readonly scope?: string;
  /** The schema of a successful response. */
  readonly answers: z.ZodType;
  run(request: RouteRequest): Promise<HttpAnswer>;
}

/** The components that routes use. */
export type RouteStages = CatalogAccess & ConnectionAccess & Services & Execution & Profiles;

export interface RouteRequest {
  /** Returns the components, limited to the actor's view. */
  readonly stages: () => Promise<RouteStages>;
  readonly context: CallContext;
  readonly path: Readonly<Record<string, string>>;
  readonly incoming: IncomingMessage;
  readonly body: RequestBody;
  readonly requestId: string;
}

type Shape = Readonly<Record<string, z.ZodType>>;
type Output<Some extends Shape> = { readonly [Name in keyof Some]: z.output<Some[Name]> };

export interface RouteSource<Path extends Shape, Query extends Shape, Header extends Shape>
  extends Pick<Route, "method" | "operationId" | "summary" | "body" | "answers" | "scope"> {
  readonly at: string;
  readonly isOpen?: true;
  readonly path: Path;
  readonly query: Query;
  readonly header: Header;
  readonly run: (given: Output<Path> & Output<Query> & Output<Header>, request: RouteRequest) => Promise<HttpAnswer>;
}

export function defineRoute<Path extends Shape, Query extends Shape, Header extends Shape>(
  source: RouteSource<Path, Query, Header>,
): Route {
  const { at, path, query, header, isOpen = false, run, ...description } = source;
  const parameters = [
    ...toParameters("path", path),
    ...toParameters("query", query),
    ...toParameters("header", header),
  ];
  const input = z.strictObject({ ...path, ...query, ...header });
  return {
    ...description,
    path: at,
    isOpen,
    parameters,
    async run(request) {
      const given = input.safeParse(readParameters(parameters, request));
      if (!given.success) throw malformed(`${description.method} ${at}`, given.error, HINT);
      return await run(given.data as Parameters<typeof run>[0], request);
    },
  };
}

const HINT = "Send GET /openapi.json to see the parameters of each request.";

function toParameters(location: ParameterLocation, shape: Shape): RouteParameter[] {
  const { properties, required } = z.toJSONSchema(z.strictObject(shape), { io: "input" });
  return Object.entries(properties ?? {}).flatMap(([name, schema]) =>
    isJsonObject(schema) ? [{ in: location, name, required: required?.includes(name) === true, schema }] : [],
  );
}

/**
 * The prefix of the gateway's own request headers. An unknown header with this prefix is rejected: it may be a
 * misspelled `X-AnyGPT-Dry-Run`.
 */
const OWN_HEADER = "x-anygpt-";

function readParameters(parameters: readonly RouteParameter[], { path, incoming }: RouteRequest): JsonObject {
  const known = new Map(parameters.map((one) => [keyOf(one.in, one.name), one]));
  const given = new Map<string, unknown>();
  const take = (location: ParameterLocation, name: string, text: string): void => {
    const parameter = known.get(keyOf(location, name));
    const key = parameter?.name ?? name;
    // A repeated parameter becomes an array, which the parameter's schema rejects.
    given.set(key, given.has(key) ? [given.get(key), text] : toValue(text, location, parameter?.schema["type"]));
  };
  for (const [name, text] of Object.entries(path)) take("path", name, text);
  for (const [name, text] of new URL(incoming.url ?? "/", "http://localhost").searchParams) take("query", name, text);
  for (const [name, text] of Object.entries(incoming.headers)) {
    const isRead = known.has(keyOf("header", name)) || name.startsWith(OWN_HEADER);
    if (isRead && typeof text === "string") take("header", name, text);
  }
  return Object.fromEntries(given);
}

/** Returns the map key of a parameter. Header names are case-insensitive. */
function keyOf(location: ParameterLocation, name: string): string {
  return `${location} ${location === "header" ? name.toLowerCase() : name}`;
}

/**
 * Converts the text of a parameter to its type. A text that cannot be converted is returned unchanged; the schema
 * rejects it. `?all` means `?all=true`.
 */
function toValue(text: string, location: ParameterLocation, type: unknown): unknown {
  if (type === "boolean") {
    if (text === "true" || (text === "" && location === "query")) return true;
    return text === "false" ? false : text;
  }
  if (type === "integer" || type === "number") return /^\d{1,9}(?:\.\d{1,9})?$/.test(text) ? Number(text) : text;
  return text;
}
