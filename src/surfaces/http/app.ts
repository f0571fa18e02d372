// Routes and mounts come in; an HTTP application that serves them, and nothing to anybody else, goes out.
import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import type { Stages } from "../../compose.js";
import { DiscoveryError } from "../../errors.js";
import type { Actor } from "../../model/actor.js";
import type { Place } from "../../place.js";
import { missingScopes } from "../../policy/scopes.js";
import type { Admission } from "./admission.js";
import { type Answer, ALWAYS, toResponse } from "./answer.js";
import { type Caller, callerOf } from "./caller-of.js";
import { assertNoBody, type Body, readBody, readJsonBytes } from "./body.js";
import { toChallenge } from "./challenge.js";
import { corsHeaders, isPreflight, preflightHeaders } from "./cors.js";
import { CALL_HEADERS } from "./execute-route.js";
import { assertAdmitted } from "./guard.js";
import type { Mount } from "./mount.js";
import { toProblem } from "./problem.js";
import { NO_SUCH_PATH, RefusedRequest, refuse } from "./refusal.js";
import type { Route } from "./route.js";

export interface AppParts {
  readonly routes: readonly Route[];
  readonly mounts: readonly Mount[];
  /** By the options in force when a request arrives. */
  readonly admission: () => Promise<Admission>;
  /** Of the configuration in force when a request arrives, as the actor sees them; undefined where there is nothing for them. */
  readonly stages: (actor: Actor) => Promise<Stages | undefined>;
  readonly place: Pick<Place, "log" | "secrets">;
  readonly newId: () => string;
  /** Nothing new is begun any more. */
  readonly isStopping: () => boolean;
  /** Aborts when what is under way for this answer is to end. */
  readonly signalOf: (outgoing: HttpBindings["outgoing"]) => AbortSignal;
  /** Aborts when the caller is gone. */
  readonly goneOf: (outgoing: HttpBindings["outgoing"]) => AbortSignal;
}

interface Env {
  Bindings: HttpBindings;
}
type Request = Context<Env>;
type Headers = Readonly<Record<string, string>>;

/** What is behind a path. */
interface Behind {
  readonly routes: readonly Route[];
  readonly mount?: Mount;
}

export function createApp(parts: AppParts): Hono<Env> {
  const app = new Hono<Env>();
  for (const [path, routes] of groupByPath(parts.routes)) {
    app.all(path, async (request) => await answerTo(request, { routes }, parts));
  }
  for (const mount of parts.mounts) {
    app.all(toFrameworkPath(mount.path), async (request) => await answerTo(request, { routes: [], mount }, parts));
  }
  app.notFound(async (request) => await answerTo(request, { routes: [] }, parts));
  return app;
}

/** As the framework writes a path: `/api/adapters/:adapter/tools`. */
function toFrameworkPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}

function groupByPath(routes: readonly Route[]): Map<string, Route[]> {
  const groups = new Map<string, Route[]>();
  for (const route of routes) {
    const path = toFrameworkPath(route.path);
    groups.set(path, [...(groups.get(path) ?? []), route]);
  }
  return groups;
}

/** What goes wrong on the way is an answer too. */
async function answerTo(request: Request, behind: Behind, parts: AppParts): Promise<Response> {
  const { incoming, outgoing } = request.env;
  const requestId = parts.newId();
  let cors: Headers = {};
  let response: Response;
  try {
    const admission = await parts.admission();
    assertAdmitted(incoming, admission.guard);
    cors = corsHeaders(incoming);
    if (isPreflight(incoming)) return request.body(null, 204, { ...cors, ...preflightHeaders(CALL_HEADERS) });
    const answer = await carryOut({ request, behind, requestId, admission }, parts);
    response = answer instanceof Response ? withHeaders(answer, cors) : toResponse(answer, cors);
  } catch (thrown) {
    const failure = toFailure(thrown, requestId, parts.place);
    if (failure.closes === true) outgoing.shouldKeepAlive = false;
    response = toResponse(failure, cors);
  }
  if (parts.isStopping()) outgoing.shouldKeepAlive = false;
  return response;
}

/** Whether a connection stays is for the server to say. */
function withHeaders(response: Response, cors: Headers): Response {
  const { headers } = response;
  headers.delete("connection");
  for (const [name, value] of Object.entries({ ...ALWAYS, ...cors })) {
    if (name !== "cache-control" || !headers.has(name)) headers.set(name, value);
  }
  return response;
}

export function toFailure(thrown: unknown, requestId: string, { log, secrets }: AppParts["place"]): Answer {
  const isDefect = !(thrown instanceof DiscoveryError) && !(thrown instanceof RefusedRequest);
  if (isDefect) {
    const what = thrown instanceof Error ? thrown.stack : String(thrown);
    log(`Request ${requestId}: ${what}`, { level: "error", request_id: requestId });
  }
  return toProblem(thrown, { requestId, secrets });
}

interface Asked {
  readonly request: Request;
  readonly behind: Behind;
  readonly requestId: string;
  readonly admission: Admission;
}

async function carryOut(asked: Asked, parts: AppParts): Promise<Answer | Response> {
  const { request, behind, requestId, admission } = asked;
  const { incoming, outgoing } = request.env;
  // The framework answers HEAD with what GET would, without its body.
  const method = incoming.method === "HEAD" && behind.mount === undefined ? "GET" : (incoming.method ?? "");
  const route = behind.routes.find((one) => one.method === method);
  const caller = route?.isOpen === true ? { actor: NOBODY } : await callerOf(incoming, admission);
  const { actor } = caller;
  assertThere(behind, method, route);
  if (parts.isStopping()) throw refuse(503, STOPPING, { headers: { "retry-after": "1" }, closes: true });
  if (behind.mount !== undefined) return await runMount(behind.mount, caller, asked, parts);
  if (route === undefined) throw refuse(404, NO_SUCH_PATH);
  const stages = async (): Promise<Stages> => (await parts.stages(actor)) ?? nothingThere();
  if (route.scope !== undefined) await assertScope(route.scope, { actor, stages, incoming, admission });
  const signal = parts.signalOf(outgoing);
  const body = await bodyOf(route, request.env);
  try {
    return await route.run({ stages, actor, path: request.req.param(), incoming, body, requestId, signal });
  } catch (error) {
    throw withChallenge(error, incoming, admission);
  }
}

function assertThere({ routes, mount }: Behind, method: string, route: Route | undefined): void {
  if (routes.length === 0 && mount === undefined) throw refuse(404, NO_SUCH_PATH);
  const takes = mount === undefined ? route !== undefined : mount.methods.some((one) => one === method);
  if (takes) return;
  const allow = mount?.methods.join(", ") ?? methodsOf(routes);
  throw refuse(405, NO_SUCH_METHOD, { headers: { allow } });
}

async function runMount(mount: Mount, caller: Caller, { request }: Asked, parts: AppParts): Promise<Response> {
  const { incoming, outgoing } = request.env;
  const isPost = incoming.method === "POST";
  if (!isPost) assertNoBody(incoming);
  const body = isPost ? await readJsonBytes(request.env) : undefined;
  return await mount.run({ ...caller, path: request.req.param(), incoming, body, gone: parts.goneOf(outgoing) });
}

const NOBODY: Actor = { id: "nobody", surface: "http" };

function nothingThere(): never {
  throw refuse(403, NO_VIEW);
}

interface Scoped {
  readonly actor: Actor;
  readonly stages: () => Promise<Stages>;
  readonly incoming: HttpBindings["incoming"];
  readonly admission: Admission;
}

async function assertScope(scope: string, { actor, stages, incoming, admission }: Scoped): Promise<void> {
  const granted = actor.scopes ?? (await stages()).config.policy.localScopes;
  if (missingScopes([scope], granted).length === 0) return;
  const error = new DiscoveryError("SCOPE_REQUIRED", `The request requires the scope ${scope}.`, {
    hint: "Send a token that has it.",
    facts: { missing_scopes: [scope] },
  });
  throw withChallenge(error, incoming, admission);
}

/** A client that may ask for more than it has is told for what. */
function withChallenge(error: unknown, incoming: HttpBindings["incoming"], { options }: Admission): unknown {
  if (!(error instanceof DiscoveryError) || error.code !== "SCOPE_REQUIRED") return error;
  const missing = error.facts?.["missing_scopes"];
  const scopes = Array.isArray(missing) ? missing.map(String) : [];
  const challenge = toChallenge({ incoming, options, error: "insufficient_scope", scopes });
  return new RefusedRequest({ status: 403, error, headers: { "www-authenticate": challenge } });
}

async function bodyOf(route: Route, exchange: HttpBindings): Promise<Body> {
  if (route.body !== undefined) return await readBody(exchange);
  assertNoBody(exchange.incoming);
  return { value: {}, flaws: [] };
}

function methodsOf(routes: readonly Route[]): string {
  return routes.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ");
}

const NO_SUCH_METHOD = ["The path does not take this method.", "The header Allow names those it takes."] as const;
const STOPPING = ["The gateway is being stopped.", "Send the request again in a moment."] as const;
const NO_VIEW = [
  "The view of this caller is not there.",
  "Ask the person who runs the gateway: the token names a view that its configuration does not have.",
] as const;
