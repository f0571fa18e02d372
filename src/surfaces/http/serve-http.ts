// Serves programs and MCP clients over HTTP until the process is told to stop.
import { getRequestListener, RequestError } from "@hono/node-server";
import type { DiscoveryEngine } from "../../engine.js";
import { toDiscoveryError } from "../../errors.js";
import { newRequestId } from "../../util/request-id.js";
import { createMcpOverHttp } from "../mcp/over-http/over-http.js";
import { createStagesFor } from "../mcp/over-http/stages-for.js";
import { createAdmissions } from "./admission.js";
import { toResponse } from "./answer.js";
import { createApp, toFailure } from "./app.js";
import { createFailures, type Failures } from "./failures.js";
import { lastWhenNotPlain } from "./guard.js";
import { inTurn } from "./in-turn.js";
import { listen } from "./listen.js";
import { mcpMounts } from "./mcp-mounts.js";
import { metadataRoutes } from "./metadata-routes.js";
import { metricsRoute } from "./metrics-route.js";
import { describeRoutes } from "./openapi.js";
import type { HttpOptions } from "./options.js";
import { refuse } from "./refusal.js";
import { ROUTES } from "./routes.js";
import { openToken, tokenFile } from "./token.js";
import { createTraffic } from "./traffic.js";

export interface ServeHttpParts {
  readonly engine: DiscoveryEngine;
  /** Of the configuration at the start, with what was typed. */
  readonly options: HttpOptions;
  /** What /metrics says; left out, there is no such path. */
  readonly metrics?: () => Promise<string>;
  /** Wrong tokens, where somebody else counts them. */
  readonly failures?: Failures;
  /** Told once it can be reached, where. */
  readonly onListening?: (url: string) => void;
}

/** How long a call that was told to end may take to say what became of it. */
const LAST_WORDS_MS = 1000;

/** Resolves when everything was wound up after `signal`. The engine is left to the caller to close. */
export async function serveHttp(parts: ServeHttpParts, signal: AbortSignal): Promise<void> {
  const { engine, options, onListening } = parts;
  const { place, notices, upstreams } = await engine.stages();
  upstreams.expectPeers("many");
  for (const notice of notices()) place.log(notice);
  const file = tokenFile(place.stateFolder);
  const token = await openToken(file, place.warn);
  place.secrets.note(token);
  const inForce = await createOptionsInForce(engine, options);
  let bound: string | undefined;
  const failures = parts.failures ?? createFailures({ elapsed: place.elapsed });
  const stagesFor = createStagesFor(() => engine.known());
  const mcp = createMcpOverHttp({
    ...options.sessions,
    ...place,
    stagesFor,
    onToolsChanged: (listener) => engine.onCatalogChange(listener),
  });
  const admissions = createAdmissions({
    ...place,
    token,
    failures,
    bound: () => bound,
    onChange: () => mcp.endStreams(),
  });
  const admission = async () => await admissions.of(await inForce());
  // A reload comes with it: whoever may not call any more hears no more.
  engine.onCatalogChange(() => void admission().catch(() => undefined));
  const traffic = createTraffic();
  const app = createApp({
    routes: [
      ...ROUTES,
      describeRoutes(ROUTES),
      ...metadataRoutes(inForce),
      ...(parts.metrics === undefined ? [] : [metricsRoute(parts.metrics)]),
    ],
    mounts: mcpMounts(mcp, place.now),
    admission,
    stages: (actor) => stagesFor({ kind: "default" }, actor),
    place,
    newId: newRequestId,
    isStopping: () => signal.aborted,
    ...traffic,
  });
  const answer = getRequestListener(app.fetch, {
    // The upstreams' requests are made with the objects of the platform.
    overrideGlobalObjects: false,
    errorHandler: (thrown) => toResponse(toFailure(toRefused(thrown), newRequestId(), place)),
  });
  const { server, host, port, isLoopback } = await listen(inTurn(lastWhenNotPlain(traffic.counted(answer))), options);
  bound = host;
  const url = `http://${host}:${port}`;
  place.log(`Serving on ${url}, described at ${url}/openapi.json, MCP at ${url}/mcp. The token is in ${file}.`);
  if (!isLoopback) place.warn(NO_TLS);
  onListening?.(url);
  engine.known().catch((error: unknown) => place.log(toDiscoveryError(error).message));
  await aborted(signal);
  server.close();
  mcp.drain();
  await within(traffic.ended(), options.graceMs);
  mcp.end();
  traffic.endAll();
  await within(traffic.ended(), LAST_WORDS_MS);
  await mcp.close();
  server.closeAllConnections();
  admissions.close();
}

const NO_TLS =
  "Other machines reach this gateway, and what they send is not encrypted. Put a proxy with TLS in front of it, and name it under http.publicUrl.";

/** What was typed counts until the configuration is read again. */
async function createOptionsInForce(
  engine: DiscoveryEngine,
  options: HttpOptions,
): Promise<() => Promise<HttpOptions>> {
  const { http: first } = (await engine.stages()).config;
  return async () => {
    const { http } = (await engine.stages()).config;
    return http === first ? options : http;
  };
}

/** An address that the framework cannot make out comes to nobody's route. */
function toRefused(thrown: unknown): unknown {
  if (!(thrown instanceof RequestError)) return thrown;
  return refuse(400, ["The address of the request cannot be read.", "Send a path of plain characters."]);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
}

async function within(work: Promise<void>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}
