// Serves programs on this machine over HTTP until the process is told to stop.
import { randomUUID } from "node:crypto";
import { getRequestListener, RequestError } from "@hono/node-server";
import type { DiscoveryEngine } from "../../engine.js";
import { toDiscoveryError } from "../../errors.js";
import { toResponse } from "./answer.js";
import { createApp, toFailure } from "./app.js";
import { LOOPBACK_NAMES } from "./guard.js";
import { identifyByToken } from "./identity.js";
import { listen } from "./listen.js";
import { describeRoutes } from "./openapi.js";
import type { HttpOptions } from "./options.js";
import { refuse } from "./refusal.js";
import { ROUTES } from "./routes.js";
import { openToken, tokenFile } from "./token.js";
import { createTraffic } from "./traffic.js";

export interface ServeHttpParts {
  readonly engine: DiscoveryEngine;
  readonly options: HttpOptions;
  /** Told once it can be reached, where. */
  readonly onListening?: (url: string) => void;
}

/** How long a call that was told to end may take to say what became of it. */
const LAST_WORDS_MS = 1000;

/** Resolves when everything was wound up after `signal`. The engine is left to the caller to close. */
export async function serveHttp(parts: ServeHttpParts, signal: AbortSignal): Promise<void> {
  const { engine, options, onListening } = parts;
  const { place, notices } = await engine.stages();
  for (const notice of notices()) place.log(notice);
  const file = tokenFile(place.stateFolder);
  const token = await openToken(file, place.warn);
  place.secrets.note(token);
  const traffic = createTraffic();
  const hosts = new Set<string>(LOOPBACK_NAMES);
  const app = createApp({
    routes: [...ROUTES, describeRoutes(ROUTES)],
    guard: { hosts, origins: new Set(options.origins) },
    identify: identifyByToken(token),
    stages: () => engine.known(),
    place,
    newId: randomUUID,
    isStopping: () => signal.aborted,
    signalOf: traffic.signalOf,
  });
  const answer = getRequestListener(app.fetch, {
    // The upstreams' requests are made with the objects of the platform.
    overrideGlobalObjects: false,
    errorHandler: (thrown) => toResponse(toFailure(toRefused(thrown), randomUUID(), place)),
  });
  const { server, host, port } = await listen(traffic.counted(answer), options);
  hosts.add(host);
  const url = `http://${host}:${port}`;
  place.log(`Serving on ${url}, described at ${url}/openapi.json. The token is in ${file}.`);
  onListening?.(url);
  engine.known().catch((error: unknown) => place.log(toDiscoveryError(error).message));
  await aborted(signal);
  server.close();
  await within(traffic.ended(), options.graceMs);
  traffic.endAll();
  await within(traffic.ended(), LAST_WORDS_MS);
  server.closeAllConnections();
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
