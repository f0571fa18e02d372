// Serves one MCP client over stdio until the client disconnects or the process receives a stop signal.
import { randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { Readable, Writable } from "node:stream";
import type { RequestId } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { DiscoveryEngine } from "../../engine.js";
import { DiscoveryError } from "../../errors.js";
import { toFixedList } from "../../metatools/offered.js";
import { localActor } from "../../model/actor.js";
import { describeFinding } from "../../registry/check-registry.js";
import { createMultiRoundTripRequests } from "./client-requests/multi-round-trip-requests.js";
import { describeDiscoveryStep } from "../../metatools/next-steps.js";
import { createGatewayServer, toFailedResult } from "./gateway-server.js";
import { toInstructions } from "./instructions.js";
import { INTERNAL_ERROR } from "./frames.js";
import { createListens } from "./listens.js";
import { createFastPath } from "./fast-path.js";
import { BoundedStdioTransport } from "./stdio-transport.js";

export interface ServeParts {
  readonly engine: DiscoveryEngine;
  readonly input: Readable;
  readonly output: Writable;
  readonly log: (message: string) => void;
}

/** How long calls in progress may continue after the stop signal. */
const GRACE_MS = 3000;
/**
 * How long calls in progress may continue after the client has closed its output. The time is long enough for a server
 * to start.
 */
const HANG_UP_GRACE_MS = 15_000;
const STATE_KEY_BYTES = 32;
const CATALOG_DELAY_MS = 50;
const MAX_FIRST_LISTING_MS = 180_000;

/**
 * Serves one client. Resolves when the client has disconnected, or after `signal` aborts and all work has ended. The
 * caller closes the engine.
 */
export async function serveMcp({ engine, input, output, log }: ServeParts, signal: AbortSignal): Promise<void> {
  const { configuredServers, offered, notices, upstreams } = await engine.stages();
  upstreams.expectPeers("one");
  for (const notice of notices()) log(notice);
  const transport = new BoundedStdioTransport(input, output);
  const instructions = toInstructions(configuredServers.servers, offered.names);
  // Load the catalog with a delay after the first response, so that neither this response nor the client's next request
  // (usually tools/list) has to wait. A tool call loads the catalog immediately.
  transport.onfirstanswer = () =>
    void setTimeout(() => {
      warnWhenKnown(engine, log).catch((error: unknown) => log(String(error)));
    }, CATALOG_DELAY_MS).unref();
  const listens = createListens();
  transport.onlisten = listens.update;
  const closingInput = new AbortController();
  setMaxListeners(0, closingInput.signal);
  const roundTrips = createMultiRoundTripRequests();
  const parts = {
    actor: localActor("mcp"),
    stages: () => engine.known(),
    fixedList: toFixedList(offered),
    onToolsChanged: (listener: () => void) => engine.onCatalogChange(listener),
    onListen: listens.onListen,
    instructions,
    flawsOf: (id: RequestId) => transport.flawsOf(id),
    stateKey: randomBytes(STATE_KEY_BYTES),
    inputClosed: closingInput.signal,
    roundTrips,
  };
  const handle = serveStdio(
    ({ era }) => {
      const { server, callTool } = createGatewayServer({ ...parts, era });
      if (era === "legacy") transport.fastPath = createFastPath({ server, callTool, send: transport.answer, log });
      return server;
    },
    { transport, onerror: (error) => log(error.message) },
  );
  const disconnected = whenDisconnected(transport);
  const stopped = new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
  await Promise.race([disconnected, stopped]);
  transport.stopReading();
  closingInput.abort();
  // Cancel the calls that wait for the client's next request, because it can no longer send one.
  const abandoned = roundTrips.close();
  const stopGrace = stopped.then(() => transport.answered(GRACE_MS));
  await Promise.race([transport.answered(HANG_UP_GRACE_MS), stopGrace]);
  transport.answerOpen(toStoppedAnswer);
  await abandoned;
  await handle.close();
}

/** Returns the response to a request that the gateway cannot finish because it stops. */
function toStoppedAnswer(method: string) {
  const message = "The gateway was stopped before the call ended.";
  if (method !== "tools/call") return { error: { code: INTERNAL_ERROR, message } };
  const hint = "Check what the call has done before you repeat the call.";
  const error = new DiscoveryError("CANCELLED", message, { hint, executed: "unknown" });
  return { result: { ...toFailedResult(error, describeDiscoveryStep) } };
}

/**
 * Loads the catalog. When the tools of all servers are known, logs tool rules without effect and differences from the
 * exported registry file.
 */
async function warnWhenKnown(engine: DiscoveryEngine, log: ServeParts["log"]): Promise<void> {
  const { refresh, ruleWarnings, gateway } = await engine.known();
  await refresh.whenKnown(MAX_FIRST_LISTING_MS);
  if (refresh.pending().length > 0) return;
  for (const { message } of ruleWarnings()) log(message);
  for (const finding of (await gateway?.findings()) ?? []) log(describeFinding(finding));
}

/**
 * Resolves when the client has closed its output or the connection is broken. The `onclose` handler that the SDK's
 * serveStdio set is still called.
 */
function whenDisconnected(transport: BoundedStdioTransport): Promise<void> {
  const previous = transport.onclose;
  return new Promise((resolve) => {
    transport.onhangup = resolve;
    transport.onclose = () => {
      previous?.();
      resolve();
    };
  });
}
