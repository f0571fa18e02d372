// Serves the REST API and MCP over HTTP until the process receives a stop signal.
import { getRequestListener, RequestError } from "@hono/node-server";
import type { DiscoveryEngine } from "../../engine.js";
import { toDiscoveryError } from "../../errors.js";
import { newRequestId } from "../../util/request-id.js";
import { createMcpOverHttp } from "../mcp/over-http/over-http.js";
import { createStagesFor } from "../mcp/over-http/stages-for.js";
import { createAdmissions } from "./admission.js";
import { toResponse } from "./answer.js";
import { createApp, toFailure } from "./app.js";
import { createLoginThrottle, type LoginThrottle } from "./login-throttle.js";
import { closeAfterAmbiguous } from "./guard.js";
import { processSequentially } from "./sequential-requests.js";
import { listen } from "./listen.js";
import { mcpMounts } from "./mcp-mounts.js";
import { metadataRoutes } from "./metadata-routes.js";
import { metricsRoute } from "./metrics-route.js";
import { describeRoutes } from "./openapi.js";
import type { HttpOptions } from "./options.js";
import { httpRefusal } from "./refusal.js";
import { ROUTES } from "./routes.js";
import { openToken } from "./token.js";
import { tokenFile } from "../../gateway/runtime-environment.js";
import { createTraffic } from "./traffic.js";

export interface ServeHttpParts {
  readonly engine: DiscoveryEngine;
  /** The HTTP options that were read during startup, overridden by command-line options. */
  readonly options: HttpOptions;
  /** Returns the metrics for the path /metrics. If undefined, the path does not exist. */
  readonly metrics?: () => Promise<string>;
  /** Replaces the default throttle for invalid tokens. */
  readonly throttle?: LoginThrottle;
  /** Called once with the gateway's URL when the server listens. */
  readonly onListening?: (url: string) => void;
}

/** How long the server waits for aborted calls to report their outcome. */
const ABORT_GRACE_MS = 1000;

/** Runs the HTTP server. Resolves after `signal` aborts and all work has ended. The caller closes the engine. */
export async function serveHttp(parts: ServeHttpParts, signal: AbortSignal): Promise<void> {
  const { engine, options, onListening } = parts;
  const { runtime, notices, upstreams } = await engine.stages();
  upstreams.expectPeers("many");
  for (const notice of notices()) runtime.log(notice);
  const file = tokenFile(runtime.stateFolder);
  const token = await openToken(file, runtime.warn);
  runtime.secrets.note(token);
  const currentOptions = await createCurrentOptions(engine, options);
  let bound: string | undefined;
  const throttle = parts.throttle ?? createLoginThrottle({ elapsed: runtime.elapsed });
  const stagesFor = createStagesFor(() => engine.known());
  const mcp = createMcpOverHttp({
    ...options.sessions,
    ...runtime,
    stagesFor,
    onToolsChanged: (listener) => engine.onCatalogChange(listener),
  });
  const admissions = createAdmissions({
    ...runtime,
    token,
    throttle,
    bound: () => bound,
    onChange: () => mcp.endStreams(),
  });
  const admission = async () => await admissions.of(await currentOptions());
  // A reload can change the set of allowed callers. Computing the admission rules ends the streams of callers that are
  // no longer allowed.
  engine.onCatalogChange(() => void admission().catch(() => undefined));
  const traffic = createTraffic();
  const app = createApp({
    routes: [
      ...ROUTES,
      describeRoutes(ROUTES),
      ...metadataRoutes(currentOptions),
      ...(parts.metrics === undefined ? [] : [metricsRoute(parts.metrics)]),
    ],
    mounts: mcpMounts(mcp, runtime.now),
    admission,
    stages: (actor) => stagesFor({ kind: "default" }, actor),
    runtime,
    newId: newRequestId,
    isStopping: () => signal.aborted,
    ...traffic,
  });
  const answer = getRequestListener(app.fetch, {
    // Do not replace the global Request and Response: requests to servers use them.
    overrideGlobalObjects: false,
    errorHandler: (thrown) => toResponse(toFailure(toRefused(thrown), newRequestId(), runtime)),
  });
  const { server, host, port, isLoopback } = await listen(
    processSequentially(closeAfterAmbiguous(traffic.counted(answer))),
    options,
  );
  bound = host;
  const url = `http://${host}:${port}`;
  runtime.log(`Serving on ${url}, described at ${url}/openapi.json, MCP at ${url}/mcp. The token is in ${file}.`);
  if (!isLoopback) runtime.warn(NO_TLS);
  onListening?.(url);
  engine.known().catch((error: unknown) => runtime.log(toDiscoveryError(error).message));
  await aborted(signal);
  server.close();
  mcp.drain();
  await within(traffic.ended(), options.graceMs);
  mcp.end();
  traffic.endAll();
  await within(traffic.ended(), ABORT_GRACE_MS);
  await mcp.close();
  server.closeAllConnections();
  admissions.close();
}

const NO_TLS =
  "Other machines can reach this gateway over an unencrypted connection. Put a reverse proxy with TLS in front of the gateway, and set the proxy's URL as http.publicUrl.";

/**
 * Returns a function that returns the current HTTP options: those from the start, including the command-line options,
 * until a reload changes the configuration.
 */
async function createCurrentOptions(
  engine: DiscoveryEngine,
  options: HttpOptions,
): Promise<() => Promise<HttpOptions>> {
  const { http: first } = (await engine.stages()).config;
  return async () => {
    const { http } = (await engine.stages()).config;
    return http === first ? options : http;
  };
}

/** Converts the error for a URL that Hono cannot parse to a rejected request. */
function toRefused(thrown: unknown): unknown {
  if (!(thrown instanceof RequestError)) return thrown;
  return httpRefusal(400, [
    "The URL of the request cannot be parsed.",
    "Percent-encode special characters in the path.",
  ]);
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
