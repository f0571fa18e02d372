// Relays requests other than tool calls (prompts, resources, completion) to a server and returns its responses
// unchanged. Its callers check access.
import { CLIENT_CAPABILITIES_META_KEY, type Client } from "@modelcontextprotocol/client";
import { DiscoveryError } from "../errors.js";
import type { CallerPeer } from "../model/call.js";
import { isJsonObject, type JsonObject } from "../model/json.js";
import type { Era, ServerCapabilities } from "../model/server.js";
import { isWithinDepth } from "../util/depth.js";
import type { Secrets } from "../util/secrets.js";
import { attributeLine, type AttributionParts } from "./server-requests/attribution.js";
import { createMultiRoundTrip } from "./server-requests/multi-round-trip.js";
import type { RequestExchange } from "./exchange.js";
import { type Filter, keepListening } from "./listening.js";
import type { ServerResponse, ExchangeRequest } from "./open-request.js";
import { MAX_RESULT_DEPTH, oversizeError } from "./oversize.js";
import type { Notice, UpstreamAnswer, UpstreamRequest } from "./types.js";

const WATCH_TIMEOUT_MS = 10_000;
const METHOD_NOT_FOUND = -32_601;

/** The requests that one open connection supports besides tools/list and tools/call. */
export interface Relay {
  readonly capabilities: ServerCapabilities;
  request(request: UpstreamRequest, signal?: AbortSignal): Promise<UpstreamAnswer>;
  /** Subscribes to changes of a resource. Repeated calls share one subscription. */
  watch(uri: string): Promise<UpstreamAnswer>;
  unwatch(uri: string): void;
}

export interface RelayParts extends AttributionParts {
  readonly client: Client;
  readonly era: Era;
  readonly secrets: Secrets;
  readonly request: RequestExchange["request"];
  readonly onNotice: (notice: Notice) => void;
}

interface Watch {
  readonly answer: Promise<UpstreamAnswer>;
  end: () => void;
}

/**
 * Time limit of a request, including the time that the caller's client needs to respond to requests from the server.
 */
const MAX_TOTAL_MS = 900_000;
const DONE: UpstreamAnswer = { kind: "result", result: {} };

export function createRelay(parts: RelayParts): Relay {
  const { server, client, secrets } = parts;
  const watches = new Map<string, Watch>();

  async function request(wanted: UpstreamRequest, signal?: AbortSignal): Promise<UpstreamAnswer> {
    const { method, params, timeoutMs, actorId, peer } = wanted;
    const request: ExchangeRequest = {
      method,
      params,
      timeoutMs,
      maxTotalMs: peer === undefined ? timeoutMs : MAX_TOTAL_MS,
      // `caller` ensures that a request from the server that may belong to this caller reaches no other client.
      ...(wanted.isShared === true ? {} : { caller: { actorId, peer, onEvent: undefined } }),
      ...(parts.era === "modern" && peer !== undefined ? inputOptions(parts, peer) : {}),
    };
    return toAnswer(await parts.request(request, signal), server, secrets);
  }

  const sendForUri = (method: string, uri: string): Promise<UpstreamAnswer> =>
    request({ method, params: { uri }, timeoutMs: WATCH_TIMEOUT_MS, isShared: true });

  /**
   * Since MCP 2026-07-28, every subscribed resource needs its own stream, because the filter of a stream cannot be
   * changed later.
   */
  async function listen(uri: string, watch: Watch): Promise<UpstreamAnswer> {
    if (client.getServerCapabilities()?.resources?.subscribe !== true) return notSupported();
    const { honored, end } = keepListening(client, { resourceSubscriptions: [uri] }, () =>
      parts.onNotice({ kind: "updated", uri }),
    );
    if (watches.get(uri) === watch) watch.end = end;
    else end();
    if ((await honored).resourceSubscriptions?.includes(uri) === true) return DONE;
    end();
    return notSupported();
  }

  function begin(uri: string): Promise<UpstreamAnswer> {
    const watch: Watch = {
      answer: Promise.resolve().then(() =>
        parts.era === "modern" ? listen(uri, watch) : sendForUri("resources/subscribe", uri),
      ),
      end: () => {
        if (parts.era === "legacy") sendForUri("resources/unsubscribe", uri).catch(() => undefined);
      },
    };
    watches.set(uri, watch);
    const forget = (): void => {
      if (watches.get(uri) === watch) watches.delete(uri);
    };
    watch.answer.then(({ kind }) => (kind === "error" ? forget() : undefined), forget);
    return watch.answer;
  }

  return {
    capabilities: toCapabilities(client),
    request,
    watch: (uri) => watches.get(uri)?.answer ?? begin(uri),
    unwatch(uri) {
      const watch = watches.get(uri);
      watches.delete(uri);
      watch?.end();
    },
  };
}

export function toCapabilities(client: Client): ServerCapabilities {
  const { prompts, resources, completions, logging } = client.getServerCapabilities() ?? {};
  return {
    ...(prompts === undefined ? {} : { prompts: true }),
    ...(resources === undefined ? {} : { resources: true }),
    ...(completions === undefined ? {} : { completions: true }),
    ...(logging === undefined ? {} : { logging: true }),
  };
}

/** Converts a notification about prompts or resources. */
export function toNotice(method: string, { uri }: JsonObject): Notice | undefined {
  if (method === "notifications/prompts/list_changed") return { kind: "changed", offers: "prompts" };
  if (method === "notifications/resources/list_changed") return { kind: "changed", offers: "resources" };
  if (method === "notifications/resources/updated" && typeof uri === "string") return { kind: "updated", uri };
  return undefined;
}

/** The notifications to subscribe to (MCP 2026-07-28 and later). Older servers send them without a subscription. */
export function toFilter(client: Client): Filter {
  const { tools, prompts, resources } = client.getServerCapabilities() ?? {};
  return {
    ...(tools?.listChanged === true ? { toolsListChanged: true } : {}),
    ...(prompts?.listChanged === true ? { promptsListChanged: true } : {}),
    ...(resources?.listChanged === true ? { resourcesListChanged: true } : {}),
  };
}

function inputOptions(attribution: AttributionParts, peer: CallerPeer): Pick<ExchangeRequest, "envelope" | "more"> {
  return {
    envelope: { [CLIENT_CAPABILITIES_META_KEY]: peer.capabilities },
    more: createMultiRoundTrip(attribution, peer),
  };
}

function notSupported(): UpstreamAnswer {
  return { kind: "error", code: METHOD_NOT_FOUND, message: "Method not found" };
}

function toAnswer(answer: ServerResponse, server: string, { redact, redactValue }: Secrets): UpstreamAnswer {
  if (answer.kind === "error") {
    const { code, message, data } = answer;
    const oversize = oversizeError(server, code, data);
    if (oversize !== undefined) throw oversize;
    const shownData = data === undefined || !isWithinDepth(data, MAX_RESULT_DEPTH) ? {} : { data: redactValue(data) };
    return { kind: "error", code, message: attributeLine(server, redact(message)), ...shownData };
  }
  const { result } = answer;
  if (!isJsonObject(result)) throw unusable(server, "data that is not an MCP result");
  if (!isWithinDepth(result, MAX_RESULT_DEPTH))
    throw unusable(server, `data nested over ${MAX_RESULT_DEPTH} levels deep`);
  const kind = result["resultType"] ?? "complete";
  // `more` has already answered input requests, unless the request was made without a client that could answer them.
  if (kind !== "complete") throw unusable(server, "an input request that the gateway does not forward");
  return { kind: "result", result };
}

function unusable(server: string, what: string): DiscoveryError {
  return new DiscoveryError("TOOL_EXECUTION_ERROR", `${server} answered with ${what}.`, {
    hint: "The server has a defect. Use it without the gateway.",
    server,
    executed: "yes",
  });
}
