// Routes come in; an HTTP application that serves them, and nothing to anybody else, goes out.
import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import type { Stages } from "../../compose.js";
import { DiscoveryError } from "../../errors.js";
import type { Actor } from "../../model/actor.js";
import type { Place } from "../../place.js";
import { type Answer, toResponse } from "./answer.js";
import { assertNoBody, type Body, readBody } from "./body.js";
import { corsHeaders, isPreflight, preflightHeaders } from "./cors.js";
import { assertAdmitted, type Guard } from "./guard.js";
import { CALL_HEADERS } from "./execute-route.js";
import type { Identify, Identity } from "./identity.js";
import { toProblem } from "./problem.js";
import { RefusedRequest, refuse } from "./refusal.js";
import type { Route } from "./route.js";

export interface AppParts {
  readonly routes: readonly Route[];
  readonly guard: Guard;
  readonly identify: Identify;
  /** Of the configuration in force when a request arrives. */
  readonly stages: () => Promise<Stages>;
  readonly place: Pick<Place, "log" | "secrets">;
  readonly newId: () => string;
  /** Nothing new is begun any more. */
  readonly isStopping: () => boolean;
  /** Aborts when what is under way for this answer is to end. */
  readonly signalOf: (outgoing: HttpBindings["outgoing"]) => AbortSignal;
}

interface Env {
  Bindings: HttpBindings;
}
type Request = Context<Env>;
type Headers = Readonly<Record<string, string>>;

export function createApp(parts: AppParts): Hono<Env> {
  const app = new Hono<Env>();
  for (const [path, routes] of groupByPath(parts.routes)) {
    app.all(path, async (request) => await answerTo(request, routes, parts));
  }
  app.notFound(async (request) => await answerTo(request, [], parts));
  return app;
}

/** As the framework writes a path: `/api/adapters/:adapter/tools`. */
function groupByPath(routes: readonly Route[]): Map<string, Route[]> {
  const groups = new Map<string, Route[]>();
  for (const route of routes) {
    const path = route.path.replace(/\{(\w+)\}/g, ":$1");
    groups.set(path, [...(groups.get(path) ?? []), route]);
  }
  return groups;
}

/** `routes`: those of the path. What goes wrong on the way is an answer too. */
async function answerTo(request: Request, routes: readonly Route[], parts: AppParts): Promise<Response> {
  const { incoming, outgoing } = request.env;
  const requestId = parts.newId();
  let cors: Headers = {};
  let answer: Answer;
  try {
    assertAdmitted(incoming, parts.guard);
    cors = corsHeaders(incoming);
    if (isPreflight(incoming)) return request.body(null, 204, { ...cors, ...preflightHeaders(CALL_HEADERS) });
    answer = await carryOut({ request, routes, requestId }, parts);
  } catch (thrown) {
    answer = toFailure(thrown, requestId, parts.place);
  }
  if (answer.closes === true || parts.isStopping()) outgoing.shouldKeepAlive = false;
  return toResponse(answer, cors);
}

export function toFailure(thrown: unknown, requestId: string, { log, secrets }: AppParts["place"]): Answer {
  const isDefect = !(thrown instanceof DiscoveryError) && !(thrown instanceof RefusedRequest);
  if (isDefect) log(`Request ${requestId}: ${thrown instanceof Error ? thrown.stack : String(thrown)}`);
  return toProblem(thrown, { requestId, secrets });
}

interface Asked {
  readonly request: Request;
  readonly routes: readonly Route[];
  readonly requestId: string;
}

async function carryOut({ request, routes, requestId }: Asked, parts: AppParts): Promise<Answer> {
  const { incoming, outgoing } = request.env;
  // The framework answers HEAD with what GET would, without its body.
  const method = incoming.method === "HEAD" ? "GET" : incoming.method;
  const route = routes.find((one) => one.method === method);
  const actor = route?.isOpen === true ? NOBODY : actorOf(parts.identify(incoming.headers.authorization));
  if (routes.length === 0) throw refuse(404, NO_SUCH_PATH);
  if (route === undefined) throw refuse(405, NO_SUCH_METHOD, { headers: { allow: methodsOf(routes) } });
  if (parts.isStopping()) throw refuse(503, STOPPING, { headers: { "retry-after": "1" }, closes: true });
  const signal = parts.signalOf(outgoing);
  const body = await bodyOf(route, request.env);
  return await route.run({ stages: parts.stages, actor, path: request.req.param(), incoming, body, requestId, signal });
}

const NOBODY: Actor = { id: "nobody", surface: "http" };

/** Whether a path exists is told to nobody else. */
function actorOf(identity: Identity): Actor {
  if (identity.kind === "known") return identity.actor;
  const challenge = `Bearer realm="anygpt"${identity.kind === "wrong" ? ', error="invalid_token"' : ""}`;
  throw refuse(401, UNKNOWN_CALLER, { headers: { "www-authenticate": challenge } });
}

async function bodyOf(route: Route, exchange: HttpBindings): Promise<Body> {
  if (route.body !== undefined) return await readBody(exchange);
  assertNoBody(exchange.incoming);
  return { value: {}, flaws: [] };
}

function methodsOf(routes: readonly Route[]): string {
  return routes.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ");
}

const UNKNOWN_CALLER = [
  "The request carries no token that this gateway knows.",
  "Send Authorization: Bearer TOKEN with the token from the file http.token in the gateway's state folder.",
] as const;
const NO_SUCH_PATH = ["There is nothing at this path.", "GET /openapi.json describes all that there is."] as const;
const NO_SUCH_METHOD = ["The path does not take this method.", "The header Allow names those it takes."] as const;
const STOPPING = ["The gateway is being stopped.", "Send the request again in a moment."] as const;
