// Serves one client over stdio until it hangs up or the process is told to stop.
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
import { createRounds } from "./asking-back/rounds.js";
import { createGatewayServer, toFailedResult } from "./gateway-server.js";
import { toInstructions } from "./instructions.js";
import { INTERNAL_ERROR } from "./frames.js";
import { createListens } from "./listens.js";
import { createShortWay } from "./short-way.js";
import { BoundedStdioTransport } from "./stdio-transport.js";

export interface ServeParts {
  readonly engine: DiscoveryEngine;
  readonly input: Readable;
  readonly output: Writable;
  readonly log: (message: string) => void;
}

/** How long calls in flight may go on after the signal to stop. */
const GRACE_MS = 3000;
/** How long after the client has said its last word; long enough for a server to start. */
const HANG_UP_GRACE_MS = 15_000;
const STATE_KEY_BYTES = 32;
const CATALOG_DELAY_MS = 50;
const LONGEST_FIRST_TIME_MS = 180_000;

/** Resolves when the client is gone or everything was wound up after `signal`. The engine is left to the caller to close. */
export async function serveMcp({ engine, input, output, log }: ServeParts, signal: AbortSignal): Promise<void> {
  const { collected, offered, notices, upstreams } = await engine.stages();
  upstreams.expectPeers("one");
  for (const notice of notices()) log(notice);
  const transport = new BoundedStdioTransport(input, output);
  const instructions = toInstructions(collected.servers, offered.names);
  // The first answer must not wait for the catalog, nor the list of tools that a client asks for next. Calls read it at once.
  transport.onfirstanswer = () =>
    void setTimeout(() => {
      warnWhenKnown(engine, log).catch((error: unknown) => log(String(error)));
    }, CATALOG_DELAY_MS).unref();
  const listens = createListens();
  transport.onlisten = listens.heard;
  const deafening = new AbortController();
  setMaxListeners(0, deafening.signal);
  const rounds = createRounds();
  const parts = {
    actor: localActor("mcp"),
    stages: () => engine.known(),
    fixedList: toFixedList(offered),
    onToolsChanged: (listener: () => void) => engine.onCatalogChange(listener),
    onListen: listens.onListen,
    instructions,
    flawsOf: (id: RequestId) => transport.flawsOf(id),
    stateKey: randomBytes(STATE_KEY_BYTES),
    deaf: deafening.signal,
    rounds,
  };
  const handle = serveStdio(
    ({ era }) => {
      const { server, callTool } = createGatewayServer({ ...parts, era });
      if (era === "legacy") transport.shortWay = createShortWay({ server, callTool, send: transport.answer, log });
      return server;
    },
    { transport, onerror: (error) => log(error.message) },
  );
  const gone = goneOf(transport);
  const stopped = new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
  await Promise.race([gone, stopped]);
  transport.stopReading();
  deafening.abort();
  // Nobody is left who could go on with them.
  const abandoned = rounds.close();
  const told = stopped.then(() => transport.answered(GRACE_MS));
  await Promise.race([transport.answered(HANG_UP_GRACE_MS), told]);
  transport.answerOpen(toFarewell);
  await abandoned;
  await handle.close();
}

/** What a caller hears whose request the gateway cannot finish any more. */
function toFarewell(method: string) {
  const message = "The gateway was stopped before the call ended.";
  if (method !== "tools/call") return { error: { code: INTERNAL_ERROR, message } };
  const hint = "Check what the call has done before you repeat it.";
  return { result: { ...toFailedResult(new DiscoveryError("CANCELLED", message, { hint, executed: "unknown" })) } };
}

/** Reads the catalog, and when every server has answered, names the rules that do nothing and the operations that are not as exported. */
async function warnWhenKnown(engine: DiscoveryEngine, log: ServeParts["log"]): Promise<void> {
  const { refresh, ruleWarnings, gateway } = await engine.known();
  await refresh.whenKnown(LONGEST_FIRST_TIME_MS);
  if (refresh.pending().length > 0) return;
  for (const { message } of ruleWarnings()) log(message);
  for (const finding of (await gateway?.findings()) ?? []) log(describeFinding(finding));
}

/** Resolves when the client has hung up or cannot be reached. serveStdio listens for the close as well; both are told. */
function goneOf(transport: BoundedStdioTransport): Promise<void> {
  const theirs = transport.onclose;
  return new Promise((resolve) => {
    transport.onhangup = resolve;
    transport.onclose = () => {
      theirs?.();
      resolve();
    };
  });
}
