import type { IncomingMessage } from "node:http";
import { z } from "zod";
import type { Stages } from "../../compose.js";
import { malformed } from "../../metatools/meta-tool.js";
import type { Actor } from "../../model/actor.js";
import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { Answer } from "./answer.js";
import type { Body } from "./body.js";

export type Place = "path" | "query" | "header";

export interface RouteParameter {
  readonly in: Place;
  readonly name: string;
  readonly required: boolean;
  readonly schema: JsonObject;
}

/** One thing that can be asked over HTTP: what serves it and what describes it are made from the same declaration. */
export interface Route {
  readonly method: "GET" | "POST";
  /** As OpenAPI writes it: `/api/adapters/{adapter}/tools`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: readonly RouteParameter[];
  /** What the body is, where there is one. */
  readonly body?: string;
  /** Anybody may ask, so the answer says nothing of anything. */
  readonly isOpen: boolean;
  /** What the caller must be allowed to do; without it whoever is known may ask. */
  readonly scope?: string;
  /** The answer when it succeeds. */
  readonly answers: z.ZodType;
  run(request: RouteRequest): Promise<Answer>;
}

export interface RouteRequest {
  /** As the actor sees them. */
  readonly stages: () => Promise<Stages>;
  readonly actor: Actor;
  readonly path: Readonly<Record<string, string>>;
  readonly incoming: IncomingMessage;
  readonly body: Body;
  readonly requestId: string;
  readonly signal: AbortSignal;
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
  readonly run: (given: Output<Path> & Output<Query> & Output<Header>, request: RouteRequest) => Promise<Answer>;
}

export function defineRoute<Path extends Shape, Query extends Shape, Header extends Shape>(
  source: RouteSource<Path, Query, Header>,
): Route {
  const { at, path, query, header, isOpen = false, run, ...told } = source;
  const parameters = [
    ...toParameters("path", path),
    ...toParameters("query", query),
    ...toParameters("header", header),
  ];
  const input = z.strictObject({ ...path, ...query, ...header });
  return {
    ...told,
    path: at,
    isOpen,
    parameters,
    async run(request) {
      const given = input.safeParse(readParameters(parameters, request));
      if (!given.success) throw malformed(`${told.method} ${at}`, given.error, HINT);
      return await run(given.data as Parameters<typeof run>[0], request);
    },
  };
}

const HINT = "GET /openapi.json describes what each request takes.";

function toParameters(place: Place, shape: Shape): RouteParameter[] {
  const { properties, required } = z.toJSONSchema(z.strictObject(shape), { io: "input" });
  return Object.entries(properties ?? {}).flatMap(([name, schema]) =>
    isJsonObject(schema) ? [{ in: place, name, required: required?.includes(name) === true, schema }] : [],
  );
}

/** Our own headers begin like this. One that is not known is refused: it may be a misspelt `X-AnyGPT-Dry-Run`. */
const OWN_HEADER = "x-anygpt-";

function readParameters(parameters: readonly RouteParameter[], { path, incoming }: RouteRequest): JsonObject {
  const known = new Map(parameters.map((one) => [keyOf(one.in, one.name), one]));
  const given = new Map<string, unknown>();
  const take = (place: Place, name: string, text: string): void => {
    const parameter = known.get(keyOf(place, name));
    const key = parameter?.name ?? name;
    // Given twice, it is no text any more, and whatever it is to be refuses that.
    given.set(key, given.has(key) ? [given.get(key), text] : toValue(text, place, parameter?.schema["type"]));
  };
  for (const [name, text] of Object.entries(path)) take("path", name, text);
  for (const [name, text] of new URL(incoming.url ?? "/", "http://localhost").searchParams) take("query", name, text);
  for (const [name, text] of Object.entries(incoming.headers)) {
    const isMeant = known.has(keyOf("header", name)) || name.startsWith(OWN_HEADER);
    if (isMeant && typeof text === "string") take("header", name, text);
  }
  return Object.fromEntries(given);
}

/** The names of headers have no case. */
function keyOf(place: Place, name: string): string {
  return `${place} ${place === "header" ? name.toLowerCase() : name}`;
}

/** A text that cannot be what the parameter is stays a text, and is refused as such. `?all` alone is `?all=true`. */
function toValue(text: string, place: Place, type: unknown): unknown {
  if (type === "boolean") {
    if (text === "true" || (text === "" && place === "query")) return true;
    return text === "false" ? false : text;
  }
  if (type === "integer" || type === "number") return /^\d{1,9}(?:\.\d{1,9})?$/.test(text) ? Number(text) : text;
  return text;
}
