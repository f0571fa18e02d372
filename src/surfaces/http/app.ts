// Creates the HTTP application that serves routes and mounts to allowed callers only.
import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import type { Configured, Stages } from "../../gateway/stages.js";
import { DiscoveryError } from "../../errors.js";
import type { Actor } from "../../model/actor.js";
import type { CallContext } from "../../model/call.js";
import type { RuntimeEnvironment } from "../../gateway/runtime-environment.js";
import { missingScopes } from "../../policy/scopes.js";
import { traceMeta } from "../../tracing/trace-context.js";
import type { Admission } from "./admission.js";
import { type HttpAnswer, COMMON_HEADERS, toResponse } from "./answer.js";
import { type BodyBudget, createBodyBudget } from "./body-budget.js";
import { type HttpCaller, callerOf } from "./caller-of.js";
import { assertNoBody, type RequestBody, readRequestBody, readJsonBytes } from "./body.js";
import { toChallenge } from "./challenge.js";
import { corsHeaders, isPreflight, preflightHeaders } from "./cors.js";
import { CALL_HEADERS } from "./execute-route.js";
import { assertAdmitted } from "./guard.js";
import type { Mount } from "./mount.js";
import { toProblem } from "./problem.js";
import { NO_SUCH_PATH, RefusedRequest, httpRefusal } from "./refusal.js";
import type { Route } from "./route.js";

export interface AppParts {
  readonly routes: readonly Route[];
  readonly mounts: readonly Mount[];
  /** Returns the admission rules of the current configuration. */
  readonly admission: () => Promise<Admission>;
  /**
   * Returns the components of the current configuration, limited to the actor's view; undefined if the view does not
   * exist.
   */
  readonly stages: (actor: Actor) => Promise<Stages | undefined>;
  readonly runtime: Pick<RuntimeEnvironment, "log" | "secrets" | "elapsed">;
  readonly newId: () => string;
  /** Whether the gateway is stopping: new requests are rejected. */
  readonly isStopping: () => boolean;
  /** Returns a signal that aborts when the work for this response must end. */
  readonly signalOf: (outgoing: HttpBindings["outgoing"]) => AbortSignal;
  /** Returns a signal that aborts when the caller disconnects. */
  readonly disconnectSignalOf: (outgoing: HttpBindings["outgoing"]) => AbortSignal;
}

interface WithBudget extends AppParts {
  readonly budget: BodyBudget;
}

interface Env {
  Bindings: HttpBindings;
}
type Request = Context<Env>;
type Headers = Readonly<Record<string, string>>;

/** The routes (one per method) or the mount at a path. */
interface PathTarget {
  readonly routes: readonly Route[];
  readonly mount?: Mount;
}

export function createApp(given: AppParts): Hono<Env> {
  const app = new Hono<Env>();
  const parts: WithBudget = { ...given, budget: createBodyBudget(given.runtime) };
  for (const [path, routes] of groupByPath(parts.routes)) {
    app.all(path, async (request) => await answerTo(request, { routes }, parts));
  }
  for (const mount of parts.mounts) {
    app.all(toFrameworkPath(mount.path), async (request) => await answerTo(request, { routes: [], mount }, parts));
  }
  app.notFound(async (request) => await answerTo(request, { routes: [] }, parts));
  return app;
}

/**
 * Converts an OpenAPI path to Hono's syntax: `/api/adapters/{adapter}/tools` becomes `/api/adapters/:adapter/tools`.
 */
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

/** Responds to a request. Errors are converted to responses. */
async function answerTo(request: Request, target: PathTarget, parts: WithBudget): Promise<Response> {
  const { incoming, outgoing } = request.env;
  const requestId = parts.newId();
  let cors: Headers = {};
  let response: Response;
  try {
    const admission = await parts.admission();
    assertAdmitted(incoming, admission.guard);
    cors = corsHeaders(incoming);
    if (isPreflight(incoming)) return request.body(null, 204, { ...cors, ...preflightHeaders(CALL_HEADERS) });
    const answer = await handle({ request, target, requestId, admission }, parts);
    response = answer instanceof Response ? withHeaders(answer, cors) : toResponse(answer, cors);
  } catch (thrown) {
    const failure = toFailure(thrown, requestId, parts.runtime);
    if (failure.closes === true) outgoing.shouldKeepAlive = false;
    response = toResponse(failure, cors);
  }
  if (parts.isStopping()) outgoing.shouldKeepAlive = false;
  return response;
}

/** Adds headers to a response. `Connection` is removed, because the HTTP server sets it. */
function withHeaders(response: Response, cors: Headers): Response {
  const { headers } = response;
  headers.delete("connection");
  for (const [name, value] of Object.entries({ ...COMMON_HEADERS, ...cors })) {
    if (name !== "cache-control" || !headers.has(name)) headers.set(name, value);
  }
  return response;
}

export function toFailure(thrown: unknown, requestId: string, { log, secrets }: AppParts["runtime"]): HttpAnswer {
  const isDefect = !(thrown instanceof DiscoveryError) && !(thrown instanceof RefusedRequest);
  if (isDefect) {
    const what = thrown instanceof Error ? thrown.stack : String(thrown);
    log(`Request ${requestId}: ${what}`, { level: "error", request_id: requestId });
  }
  return toProblem(thrown, { requestId, secrets });
}

interface AppRequest {
  readonly request: Request;
  readonly target: PathTarget;
  readonly requestId: string;
  readonly admission: Admission;
}

async function handle(appRequest: AppRequest, parts: WithBudget): Promise<HttpAnswer | Response> {
  const { request, target, requestId, admission } = appRequest;
  const { incoming, outgoing } = request.env;
  // Hono responds to HEAD as to GET, without the body.
  const method = incoming.method === "HEAD" && target.mount === undefined ? "GET" : (incoming.method ?? "");
  const route = target.routes.find((one) => one.method === method);
  const caller = route?.isOpen === true ? { actor: ANONYMOUS } : await callerOf(incoming, admission);
  const { actor } = caller;
  assertMethod(target, method, route);
  if (parts.isStopping()) throw httpRefusal(503, STOPPING, { headers: { "retry-after": "1" }, closes: true });
  if (target.mount !== undefined) return await runMount(target.mount, caller, appRequest, parts);
  if (route === undefined) throw httpRefusal(404, NO_SUCH_PATH);
  const stages = async (): Promise<Stages> => (await parts.stages(actor)) ?? viewNotFound();
  if (route.scope !== undefined) await assertScope(route.scope, { actor, stages, incoming, admission });
  const signal = parts.signalOf(outgoing);
  const body = await bodyOf(route, request.env, (bytes) => parts.budget.spend(actor.id, bytes));
  const context: CallContext = {
    actor,
    signal,
    meta: traceMeta(incoming.headers),
    flaws: body.flaws,
    whole: true,
  };
  try {
    return await route.run({ stages, context, path: request.req.param(), incoming, body, requestId });
  } catch (error) {
    throw withChallenge(error, incoming, admission);
  }
}

function assertMethod({ routes, mount }: PathTarget, method: string, route: Route | undefined): void {
  if (routes.length === 0 && mount === undefined) throw httpRefusal(404, NO_SUCH_PATH);
  const isSupported = mount === undefined ? route !== undefined : mount.methods.some((one) => one === method);
  if (isSupported) return;
  const allow = mount?.methods.join(", ") ?? methodsOf(routes);
  throw httpRefusal(405, NO_SUCH_METHOD, { headers: { allow } });
}

async function runMount(
  mount: Mount,
  caller: HttpCaller,
  { request }: AppRequest,
  parts: WithBudget,
): Promise<Response> {
  const { incoming, outgoing } = request.env;
  const isPost = incoming.method === "POST";
  if (!isPost) assertNoBody(incoming);
  const body = isPost ? await readJsonBytes(request.env) : undefined;
  if (body !== undefined) parts.budget.spend(caller.actor.id, body);
  return await mount.run({
    ...caller,
    path: request.req.param(),
    incoming,
    body,
    disconnected: parts.disconnectSignalOf(outgoing),
  });
}

const ANONYMOUS: Actor = { id: "anonymous", surface: "http" };

function viewNotFound(): never {
  throw httpRefusal(403, VIEW_NOT_FOUND);
}

interface Scoped {
  readonly actor: Actor;
  readonly stages: () => Promise<Configured>;
  readonly incoming: HttpBindings["incoming"];
  readonly admission: Admission;
}

async function assertScope(scope: string, { actor, stages, incoming, admission }: Scoped): Promise<void> {
  const granted = actor.scopes ?? (await stages()).config.policy.localScopes;
  if (missingScopes([scope], granted).length === 0) return;
  const error = new DiscoveryError("SCOPE_REQUIRED", `The request requires the scope ${scope}.`, {
    hint: "Send a token that has this scope.",
    facts: { missing_scopes: [scope] },
  });
  throw withChallenge(error, incoming, admission);
}

/** Adds a `WWW-Authenticate` challenge that names the missing scope (RFC 6750) to a SCOPE_REQUIRED error. */
function withChallenge(error: unknown, incoming: HttpBindings["incoming"], { options }: Admission): unknown {
  if (!(error instanceof DiscoveryError) || error.code !== "SCOPE_REQUIRED") return error;
  const missing = error.facts?.["missing_scopes"];
  const scopes = Array.isArray(missing) ? missing.map(String) : [];
  const challenge = toChallenge({ incoming, options, error: "insufficient_scope", scopes });
  return new RefusedRequest({ status: 403, error, headers: { "www-authenticate": challenge } });
}

async function bodyOf(route: Route, exchange: HttpBindings, onBytes: (bytes: Buffer) => void): Promise<RequestBody> {
  if (route.body !== undefined) return await readRequestBody(exchange, onBytes);
  assertNoBody(exchange.incoming);
  return { value: {}, flaws: [] };
}

function methodsOf(routes: readonly Route[]): string {
  return routes.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ");
}

const NO_SUCH_METHOD = [
  "The path does not support this method.",
  "Use one of the methods in the response header Allow.",
] as const;
const STOPPING = ["The gateway is stopping.", "Send the request again later."] as const;
const VIEW_NOT_FOUND = [
  "The view of this caller does not exist.",
  "Ask the operator of the gateway: the token names a view that its configuration does not have.",
] as const;
