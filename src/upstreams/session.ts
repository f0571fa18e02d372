// An open connection comes in; lists and calls go out. It knows the protocol and one server, not who else is connected.
import { setTimeout as pause } from "node:timers/promises";
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type Client,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from "@modelcontextprotocol/client";
import { DiscoveryError } from "../errors.js";
import type { CallResult } from "../model/call.js";
import type { JsonObject } from "../model/json.js";
import type { Era, ServerListing } from "../model/server.js";
import type { Secrets } from "../util/secrets.js";
import { createServerQuestions } from "./asking-back/answer-server.js";
import { createInputRounds } from "./asking-back/input-rounds.js";
import { createLogs, type Logs } from "./asking-back/logs.js";
import { createPages, pagesOf } from "./asking-back/pages.js";
import { brokeOff, notListed, toPage, toProgressEvent, toResult } from "./answers.js";
import type { Channel } from "./channel.js";
import { createExchange } from "./exchange.js";
import { toArgumentHeaders } from "./header-arguments.js";
import { readPages, withoutUnsendable } from "./listing.js";
import { type Filter, keepListening } from "./listening.js";
import { isUntouched, midCall } from "./failures.js";
import type { Answer, Caller, ExchangeRequest } from "./open-request.js";
import { createRelay, type Relay, toFilter, toNotice } from "./relay.js";
import type { Notice, UpstreamCall } from "./types.js";

const ENVELOPE_KEYS = [
  PROTOCOL_VERSION_META_KEY,
  CLIENT_INFO_META_KEY,
  CLIENT_CAPABILITIES_META_KEY,
  LOG_LEVEL_META_KEY,
];

/** Who was killed and has not ended after this long is not waited for. */
const END_MS = 2_000;

export interface SessionParts {
  readonly server: string;
  readonly client: Client;
  readonly channel: Channel;
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly listTimeoutMs: number;
  readonly pulseTimeoutMs: number;
  /** One process serves several clients: it would keep the folders of one and use them for the others. */
  readonly hidesFolders?: boolean;
  readonly secrets: Secrets;
  readonly onListChanged: () => void;
  readonly onNotice: (notice: Notice) => void;
  /** The connection is gone, and not because we closed it. */
  readonly onLost: (reason: DiscoveryError) => void;
}

export interface Session {
  readonly era: Era;
  readonly closed: boolean;
  /** Every call over it leaves something behind (`AbortSignal.any` in the SDK, on the connection's own signal). */
  readonly wears?: boolean;
  listTools(signal?: AbortSignal): Promise<ServerListing>;
  callTool(call: UpstreamCall, signal?: AbortSignal): Promise<CallResult>;
  /** Of a server that speaks the protocol: what it has beside tools. */
  readonly relay?: Relay;
  /** Asks a modern server to announce changes of its lists; others do so unasked. */
  watchList(): void;
  close(): Promise<void>;
}

export function createSession(parts: SessionParts): Session {
  const { server, client, channel } = parts;
  const era: Era = client.getProtocolEra() === "modern" ? "modern" : "legacy";
  let closing: Promise<void> | undefined;
  let lost = false;
  let feelingPulse = false;

  /** Where arguments may have to travel in headers. */
  const hasHeaders = era === "modern" && channel.transport.hasPerRequestStream === true;

  const exchange = createExchange({
    server,
    transport: channel.transport,
    envelope: toEnvelope(parts, era),
    cancelByStream: hasHeaders,
    onRequest: (request) => era === "legacy" && questions.take(request),
    onNotification(method, params, during, late) {
      if (method === "notifications/tools/list_changed") parts.onListChanged();
      const notice = toNotice(method, params);
      if (notice !== undefined) parts.onNotice(notice);
      if (method === "notifications/message") logs.tell(params, during, late);
      if (method === "notifications/elicitation/complete") pages.complete(params);
      if (method === "notifications/cancelled") questions.withdraw(params["requestId"]);
    },
  });
  const pages = createPages();
  const questions = createServerQuestions(exchange.respond, { pages, hidesFolders: parts.hidesFolders === true });
  const logs = createLogs({ client, era, exchange, secrets: parts.secrets, timeoutMs: parts.listTimeoutMs });

  const relay = createRelay({ ...parts, era, request: askBeside });

  const passOn = channel.transport.onclose;
  channel.transport.onclose = () => {
    if (!lost && closing === undefined) loseTo(channel.ending() ?? brokeOff(server));
    exchange.fail(midCall(channel.ending() ?? brokeOff(server)));
    passOn?.();
  };

  function loseTo(reason: DiscoveryError): void {
    lost = true;
    parts.onLost(reason);
  }

  /** Any of the lists may have changed while nothing was heard of them. */
  function tellMissed({ toolsListChanged, promptsListChanged, resourcesListChanged }: Filter): void {
    if (toolsListChanged === true) parts.onListChanged();
    if (promptsListChanged === true) parts.onNotice({ kind: "changed", offers: "prompts" });
    if (resourcesListChanged === true) parts.onNotice({ kind: "changed", offers: "resources" });
  }

  /** What a dead server has not taken is told when its end is known, which tells why. */
  async function ask(wanted: ExchangeRequest, signal?: AbortSignal): Promise<Answer> {
    try {
      return await exchange.request(wanted, signal);
    } catch (error) {
      if (!(isUntouched(error) && channel.deaf())) throw error;
      await Promise.race([channel.close().catch(() => undefined), pause(END_MS, undefined, { ref: false })]);
      if (!lost && closing === undefined) loseTo(error);
      const ending = channel.ending();
      throw isUntouched(ending) ? ending : error;
    }
  }

  async function callTool(call: UpstreamCall, signal?: AbortSignal): Promise<CallResult> {
    const { onEvent, peer } = call;
    const { heard } = exchange;
    const preparing = logs.prepare(call.logLevel);
    if (preparing !== undefined) await preparing;
    try {
      const request: ExchangeRequest = {
        method: "tools/call",
        params: { name: call.tool, arguments: call.arguments, _meta: call.meta && withoutEnvelope(call.meta) },
        timeoutMs: call.timeoutMs,
        maxTotalMs: call.maxTotalMs,
        // Progress is asked for even if nobody listens: it is what keeps a long call from timing out.
        onProgress: (params) => onEvent?.(toProgressEvent(params, parts.secrets)),
        caller: toCaller(call, logs),
        headers: hasHeaders ? toArgumentHeaders(call.inputSchema ?? {}, call.arguments) : undefined,
        envelope: era === "modern" ? toOwnEnvelope(call) : undefined,
        more: era === "modern" ? createInputRounds(server, peer) : undefined,
      };
      const answer = await ask(request, signal);
      if (answer.kind === "error") for (const page of pagesOf(answer.data)) pages.note(page, peer);
      return toResult(answer, server, parts.secrets);
    } catch (error) {
      lookAfter(error, heard);
      throw error;
    }
  }

  /** What a failed request says of the connection, with how much had been heard before it was sent. */
  function lookAfter(error: unknown, heard: number): void {
    if (!(error instanceof DiscoveryError)) return;
    giveUpIfDead(error);
    const isSilent = exchange.heard === heard && error.code === "TOOL_EXECUTION_TIMEOUT";
    if (isSilent && channel.exclusive) void feelPulse();
  }

  async function askBeside(wanted: ExchangeRequest, signal?: AbortSignal): Promise<Answer> {
    const { heard } = exchange;
    try {
      return await ask(wanted, signal);
    } catch (error) {
      lookAfter(error, heard);
      throw error;
    }
  }

  /** A timeout or an error of one call says nothing about the connection, except these two. */
  function giveUpIfDead(error: DiscoveryError): void {
    const unread = error.code === "TOOL_EXECUTION_TIMEOUT" && channel.stalled();
    const forgotten = error.facts["status"] === 404 && channel.transport.sessionId !== undefined;
    if (lost || !(unread || forgotten)) return;
    loseTo(error);
    // A forgotten session ends with its last call: each of them is told so itself, and comes again.
    if (unread) channel.kill();
  }

  /** A frozen process would let every call run into its time limit. Any answer, even "method not found", is a sign of life. */
  async function feelPulse(): Promise<void> {
    if (feelingPulse || lost || closing !== undefined) return;
    feelingPulse = true;
    const limits = { timeoutMs: parts.pulseTimeoutMs, maxTotalMs: parts.pulseTimeoutMs };
    const { heard } = exchange;
    try {
      await exchange.request({ method: "ping", params: {}, ...limits });
    } catch (error) {
      if (exchange.heard === heard && !lost && error instanceof DiscoveryError) {
        loseTo(error);
        channel.kill();
      }
    } finally {
      feelingPulse = false;
    }
  }

  async function listTools(signal?: AbortSignal): Promise<ServerListing> {
    const version = client.getServerVersion();
    const instructions = client.getInstructions();
    const about = {
      era,
      ...(version?.title === undefined ? {} : { title: version.title }),
      ...(version?.version === undefined ? {} : { version: version.version }),
      ...(instructions === undefined ? {} : { instructions }),
      capabilities: relay.capabilities,
    };
    if (client.getServerCapabilities()?.tools === undefined)
      return { tools: [], dropped: [], truncated: false, ...about };
    const limits = { timeoutMs: parts.listTimeoutMs, maxTotalMs: parts.listTimeoutMs };
    const pages = await readPages(async (cursor) => {
      const params = cursor === undefined ? {} : { cursor };
      try {
        return toPage(await ask({ method: "tools/list", params, ...limits }, signal), server);
      } catch (error) {
        throw error instanceof DiscoveryError && error.code !== "CANCELLED" ? notListed(server, error) : error;
      }
    });
    return { ...(hasHeaders ? withoutUnsendable(pages) : pages), ...about };
  }

  return {
    era,
    wears: hasHeaders,
    get closed() {
      return lost || closing !== undefined;
    },
    listTools,
    callTool,
    relay,
    watchList() {
      const filter = toFilter(client);
      if (era === "legacy" || Object.keys(filter).length === 0) return;
      keepListening(client, filter, () => tellMissed(filter)).honored.catch(() => undefined);
    },
    close() {
      closing ??= channel.close();
      return closing;
    },
  };
}

function toEnvelope({ client, clientInfo }: SessionParts, era: Era): JsonObject {
  if (era === "legacy") return {};
  return {
    [PROTOCOL_VERSION_META_KEY]: client.getNegotiatedProtocolVersion(),
    [CLIENT_INFO_META_KEY]: clientInfo,
    [CLIENT_CAPABILITIES_META_KEY]: {},
  };
}

/** What this very caller can be asked and wants to hear. */
function toOwnEnvelope({ peer, logLevel }: UpstreamCall): JsonObject {
  return {
    [CLIENT_CAPABILITIES_META_KEY]: peer?.capabilities ?? {},
    ...(logLevel === undefined ? {} : { [LOG_LEVEL_META_KEY]: logLevel }),
  };
}

function toCaller(call: UpstreamCall, logs: Logs): Caller {
  return { actorId: call.actorId, peer: call.peer, onEvent: logs.filtered(call) };
}

/** A caller's envelope speaks of the caller's connection to us, not of ours to the server. */
function withoutEnvelope(meta: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(meta).filter(([key]) => !ENVELOPE_KEYS.includes(key) && key !== "progressToken"),
  );
}
