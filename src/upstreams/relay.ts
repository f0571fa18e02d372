// A request that is no call comes in, what the server answers goes out unchanged: prompts, resources, completion. What
// they mean and who may have them is not known here.
import { CLIENT_CAPABILITIES_META_KEY, type Client } from "@modelcontextprotocol/client";
import { DiscoveryError } from "../errors.js";
import type { CallerPeer } from "../model/call.js";
import { isJsonObject, type JsonObject } from "../model/json.js";
import type { Era, ServerCapabilities } from "../model/server.js";
import { isWithinDepth } from "../util/depth.js";
import type { Secrets } from "../util/secrets.js";
import { createInputRounds } from "./asking-back/input-rounds.js";
import type { Exchange } from "./exchange.js";
import { type Filter, keepListening } from "./listening.js";
import type { Answer, ExchangeRequest } from "./open-request.js";
import { oversizeError } from "./oversize.js";
import type { Notice, UpstreamAnswer, UpstreamRequest } from "./types.js";

/** Deeper data exhausts the stack of whoever writes it as JSON. */
const MAX_DEPTH = 500;
const WATCH_TIMEOUT_MS = 10_000;
const METHOD_NOT_FOUND = -32_601;

/** What one open connection can do beside lists and calls of tools. */
export interface Relay {
  readonly capabilities: ServerCapabilities;
  request(request: UpstreamRequest, signal?: AbortSignal): Promise<UpstreamAnswer>;
  /** Has the server tell of changes of a resource; once is enough. */
  watch(uri: string): Promise<UpstreamAnswer>;
  unwatch(uri: string): void;
}

export interface RelayParts {
  readonly server: string;
  readonly client: Client;
  readonly era: Era;
  readonly secrets: Secrets;
  readonly request: Exchange["request"];
  readonly onNotice: (notice: Notice) => void;
}

interface Watch {
  readonly answer: Promise<UpstreamAnswer>;
  end: () => void;
}

/** Longest wait for an answer with all that the caller is asked meanwhile. */
const LONGEST_TALK_MS = 900_000;
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
      maxTotalMs: peer === undefined ? timeoutMs : LONGEST_TALK_MS,
      // A question that may be the caller's is put to nobody else.
      ...(wanted.isShared === true ? {} : { caller: { actorId, peer, onEvent: undefined } }),
      ...(parts.era === "modern" && peer !== undefined ? askedBack(server, peer) : {}),
    };
    return toAnswer(await parts.request(request, signal), server, secrets);
  }

  const askFor = (method: string, uri: string): Promise<UpstreamAnswer> =>
    request({ method, params: { uri }, timeoutMs: WATCH_TIMEOUT_MS, isShared: true });

  /** In the modern era it is a stream that is listened to, one for each resource: what it is about cannot be changed later. */
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
        parts.era === "modern" ? listen(uri, watch) : askFor("resources/subscribe", uri),
      ),
      end: () => {
        if (parts.era === "legacy") askFor("resources/unsubscribe", uri).catch(() => undefined);
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

/** What a notification says of what the server has beside tools. */
export function toNotice(method: string, { uri }: JsonObject): Notice | undefined {
  if (method === "notifications/prompts/list_changed") return { kind: "changed", offers: "prompts" };
  if (method === "notifications/resources/list_changed") return { kind: "changed", offers: "resources" };
  if (method === "notifications/resources/updated" && typeof uri === "string") return { kind: "updated", uri };
  return undefined;
}

/** What a modern server is asked to announce; others do so unasked. */
export function toFilter(client: Client): Filter {
  const { tools, prompts, resources } = client.getServerCapabilities() ?? {};
  return {
    ...(tools?.listChanged === true ? { toolsListChanged: true } : {}),
    ...(prompts?.listChanged === true ? { promptsListChanged: true } : {}),
    ...(resources?.listChanged === true ? { resourcesListChanged: true } : {}),
  };
}

function askedBack(server: string, peer: CallerPeer): Pick<ExchangeRequest, "envelope" | "more"> {
  return {
    envelope: { [CLIENT_CAPABILITIES_META_KEY]: peer.capabilities },
    more: createInputRounds(server, peer),
  };
}

function notSupported(): UpstreamAnswer {
  return { kind: "error", code: METHOD_NOT_FOUND, message: "Method not found" };
}

function toAnswer(answer: Answer, server: string, { redact, redactValue }: Secrets): UpstreamAnswer {
  if (answer.kind === "error") {
    const { code, message, data } = answer;
    const oversize = oversizeError(server, code, data);
    if (oversize !== undefined) throw oversize;
    const told = data === undefined || !isWithinDepth(data, MAX_DEPTH) ? {} : { data: redactValue(data) };
    return { kind: "error", code, message: redact(message), ...told };
  }
  const { result } = answer;
  if (!isJsonObject(result)) throw unusable(server, "something that is not a result");
  if (!isWithinDepth(result, MAX_DEPTH)) throw unusable(server, `data nested over ${MAX_DEPTH} levels deep`);
  const kind = result["resultType"] ?? "complete";
  // Questions are put to the caller before; whoever cannot be asked has not said so.
  if (kind !== "complete") throw unusable(server, "a question that the gateway does not pass on");
  return { kind: "result", result };
}

function unusable(server: string, what: string): DiscoveryError {
  return new DiscoveryError("TOOL_EXECUTION_ERROR", `${server} answered with ${what}.`, {
    hint: "The server has a defect; use the server directly.",
    server,
    executed: "yes",
  });
}
