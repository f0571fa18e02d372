// A session with one server over an open connection: tool lists, calls, and requests from the server.
import { setTimeout as pause } from "node:timers/promises";
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type Client,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from "@modelcontextprotocol/client";
import { DiscoveryError } from "../errors.js";
import type { CallContext, CallResult } from "../model/call.js";
import type { JsonObject } from "../model/json.js";
import type { Era, ServerListing } from "../model/server.js";
import type { Secrets } from "../util/secrets.js";
import type { IncludeContext } from "./server-requests/attribution.js";
import { createServerRequests } from "./server-requests/server-requests.js";
import { createMultiRoundTrip } from "./server-requests/multi-round-trip.js";
import { type ReleaseSlot, slotReleasingPeer } from "./server-requests/slot-releasing-peer.js";
import { createLogs } from "./server-requests/logs.js";
import { createUrlElicitations, urlElicitationsOf } from "./server-requests/url-elicitation.js";
import { connectionClosed, toListError, toListPage, toProgressEvent, toCallResult } from "./answers.js";
import type { TransportChannel } from "./channel.js";
import { createRequestExchange } from "./exchange.js";
import { toArgumentHeaders } from "./header-arguments.js";
import { toServerInfo, readPages, withoutInvalidHeaders } from "./listing.js";
import { type Filter, keepListening } from "./listening.js";
import { isNotSent, toMidCallError } from "./failures.js";
import type { ServerResponse, ExchangeRequest } from "./open-request.js";
import type { MessageMonitor } from "./message-monitor.js";
import { createProgressReports } from "./progress-reports.js";
import { createRelay, type Relay, toFilter, toNotice } from "./relay.js";
import type { Notice, UpstreamCall } from "./types.js";

const ENVELOPE_KEYS = [
  PROTOCOL_VERSION_META_KEY,
  CLIENT_INFO_META_KEY,
  CLIENT_CAPABILITIES_META_KEY,
  LOG_LEVEL_META_KEY,
];

/** How long the gateway waits for a killed server to exit. */
const END_MS = 2_000;

export interface UpstreamSessionParts {
  readonly server: string;
  readonly client: Client;
  readonly channel: TransportChannel;
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly listTimeoutMs: number;
  readonly pulseTimeoutMs: number;
  /**
   * True if one process serves several clients. The server must then not receive roots: it would use the roots of one
   * client for the others.
   */
  readonly hidesRoots?: boolean;
  /** The most context that the server may request with a sampling request. The default is "none". */
  readonly includeContext?: IncludeContext;
  readonly secrets: Secrets;
  readonly monitor: MessageMonitor;
  readonly onListChanged: () => void;
  readonly onNotice: (notice: Notice) => void;
  /** Called when the connection is lost, but not when the gateway closes it. */
  readonly onLost: (reason: DiscoveryError) => void;
}

export interface UpstreamSession {
  readonly era: Era;
  readonly closed: boolean;
  /**
   * True if every call leaks memory, because the SDK calls `AbortSignal.any` with a signal that lives as long as the
   * connection.
   */
  readonly leaks?: boolean;
  listTools(signal?: AbortSignal): Promise<ServerListing>;
  /** `releaseSlot` frees the slot of the call while the caller's client responds to a request from the server. */
  callTool(call: UpstreamCall, releaseSlot?: ReleaseSlot): Promise<CallResult>;
  /** The requests for prompts and resources. Set for a server that uses MCP. */
  readonly relay?: Relay;
  /** Subscribes to list changes (MCP 2026-07-28 and later). Older servers report them without a subscription. */
  watchList(): void;
  close(): Promise<void>;
}

export function createUpstreamSession(parts: UpstreamSessionParts): UpstreamSession {
  const { server, client, channel } = parts;
  const attribution = { server, includeContext: parts.includeContext ?? "none" };
  const era: Era = client.getProtocolEra() === "modern" ? "modern" : "legacy";
  let closing: Promise<void> | undefined;
  let lost = false;
  let isPinging = false;

  /** Whether arguments may have to be sent as HTTP headers. */
  const hasHeaders = era === "modern" && channel.transport.hasPerRequestStream === true;

  const exchange = createRequestExchange({
    server,
    transport: channel.transport,
    envelope: toEnvelope(parts, era),
    cancelByStream: hasHeaders,
    isShared: era === "modern",
    onStrayAnswer() {
      parts.monitor.count("strayAnswers");
      parts.monitor.charge(0);
    },
    onRequest: (request) => era === "legacy" && serverRequests.handle(request),
    onNotification(method, params, during, late) {
      if (method === "notifications/tools/list_changed") parts.onListChanged();
      const notice = toNotice(method, params);
      if (notice !== undefined) parts.onNotice(notice);
      if (method === "notifications/message") logs.deliver(params, during, late);
      if (method === "notifications/elicitation/complete") urlElicitations.complete(params);
      if (method === "notifications/cancelled") serverRequests.withdraw(params["requestId"]);
    },
  });
  const urlElicitations = createUrlElicitations();
  const serverRequests = createServerRequests(exchange.respond, {
    ...attribution,
    urlElicitations,
    hidesRoots: parts.hidesRoots === true,
  });
  const logs = createLogs({ server, client, era, exchange, secrets: parts.secrets, timeoutMs: parts.listTimeoutMs });

  const relay = createRelay({ ...parts, ...attribution, era, request: relayRequest });

  const passOn = channel.transport.onclose;
  channel.transport.onclose = () => {
    if (!lost && closing === undefined) markLost(channel.ending() ?? connectionClosed(server));
    exchange.fail(toMidCallError(channel.ending() ?? connectionClosed(server)));
    passOn?.();
  };

  function markLost(reason: DiscoveryError): void {
    lost = true;
    parts.onLost(reason);
  }

  /** Reports every list as changed, because changes during an interruption are unknown. */
  function reportMissedChanges({ toolsListChanged, promptsListChanged, resourcesListChanged }: Filter): void {
    if (toolsListChanged === true) parts.onListChanged();
    if (promptsListChanged === true) parts.onNotice({ kind: "changed", offers: "prompts" });
    if (resourcesListChanged === true) parts.onNotice({ kind: "changed", offers: "resources" });
  }

  /**
   * Sends a request. If the server's process has closed its input and did not receive the request, waits for the
   * process to exit, because its exit code explains the failure.
   */
  async function sendRequest(wanted: ExchangeRequest, signal?: AbortSignal): Promise<ServerResponse> {
    try {
      return await exchange.request(wanted, signal);
    } catch (error) {
      if (!(isNotSent(error) && channel.isInputClosed())) throw error;
      await Promise.race([channel.close().catch(() => undefined), pause(END_MS, undefined, { ref: false })]);
      if (!lost && closing === undefined) markLost(error);
      const ending = channel.ending();
      throw isNotSent(ending) ? ending : error;
    }
  }

  async function callTool(call: UpstreamCall, releaseSlot?: ReleaseSlot): Promise<CallResult> {
    const { context, report } = call;
    const peer = context.peer && releaseSlot ? slotReleasingPeer(context.peer, releaseSlot) : context.peer;
    const { received } = exchange;
    const progress =
      report && createProgressReports((params) => report(toProgressEvent(params, server, parts.secrets)));
    const preparing = logs.prepare(context);
    if (preparing !== undefined) await preparing;
    try {
      const request: ExchangeRequest = {
        method: "tools/call",
        params: { name: call.tool, arguments: call.arguments, _meta: call.meta && withoutEnvelope(call.meta) },
        timeoutMs: call.timeoutMs,
        maxTotalMs: call.maxTotalMs,
        // Progress is always requested, because it prevents a timeout of a long call.
        onProgress: (params) => progress?.take(params),
        caller: { actorId: context.actor.id, peer, onEvent: logs.filtered(call) },
        headers: hasHeaders ? toArgumentHeaders(call.inputSchema ?? {}, call.arguments) : undefined,
        envelope: era === "modern" ? { ...toCapabilityEnvelope(context), ...logs.envelope(context) } : undefined,
        more: era === "modern" ? createMultiRoundTrip(attribution, peer) : undefined,
      };
      const answer = await sendRequest(request, context.signal);
      if (answer.kind === "error")
        for (const elicitation of urlElicitationsOf(answer.data)) urlElicitations.note(elicitation, peer);
      return toCallResult(answer, server, parts.secrets);
    } catch (error) {
      checkConnection(error, received);
      throw error;
    } finally {
      progress?.end();
    }
  }

  /**
   * Checks the connection after a failed request. `received`: the number of received messages before the request was
   * sent.
   */
  function checkConnection(error: unknown, received: number): void {
    if (!(error instanceof DiscoveryError)) return;
    markLostIfDead(error);
    const isSilent = exchange.received === received && error.code === "TOOL_EXECUTION_TIMEOUT";
    if (isSilent && channel.exclusive) void pingServer();
  }

  async function relayRequest(wanted: ExchangeRequest, signal?: AbortSignal): Promise<ServerResponse> {
    const { received } = exchange;
    try {
      return await sendRequest(wanted, signal);
    } catch (error) {
      checkConnection(error, received);
      throw error;
    }
  }

  /**
   * Marks the connection as lost if the server does not read its input or has dropped the session. Most errors of one
   * call do not affect the connection.
   */
  function markLostIfDead(error: DiscoveryError): void {
    const unread = error.code === "TOOL_EXECUTION_TIMEOUT" && channel.stalled();
    const forgotten = error.facts["status"] === 404 && channel.transport.sessionId !== undefined;
    if (lost || !(unread || forgotten)) return;
    markLost(error);
    // If the server has dropped the session, each running call gets its own 404 and is repeated, so the channel stays
    // open.
    if (unread) channel.kill();
  }

  /**
   * Checks that the server's process still responds, because every call to a frozen process would time out. Any
   * response to a ping, even "method not found", shows that it is alive.
   */
  async function pingServer(): Promise<void> {
    if (isPinging || lost || closing !== undefined) return;
    isPinging = true;
    const limits = { timeoutMs: parts.pulseTimeoutMs, maxTotalMs: parts.pulseTimeoutMs };
    const { received } = exchange;
    try {
      await exchange.request({ method: "ping", params: {}, ...limits });
    } catch (error) {
      if (exchange.received === received && !lost && error instanceof DiscoveryError) {
        markLost(error);
        channel.kill();
      }
    } finally {
      isPinging = false;
    }
  }

  async function listTools(signal?: AbortSignal): Promise<ServerListing> {
    const about = { era, ...toServerInfo(client), capabilities: relay.capabilities };
    if (client.getServerCapabilities()?.tools === undefined)
      return { tools: [], dropped: [], truncated: false, ...about };
    const limits = { timeoutMs: parts.listTimeoutMs, maxTotalMs: parts.listTimeoutMs };
    const pages = await readPages(async (cursor) => {
      const params = cursor === undefined ? {} : { cursor };
      try {
        return toListPage(await sendRequest({ method: "tools/list", params, ...limits }, signal), server);
      } catch (error) {
        throw error instanceof DiscoveryError && error.code !== "CANCELLED" ? toListError(server, error) : error;
      }
    });
    return { ...(hasHeaders ? withoutInvalidHeaders(pages) : pages), ...about };
  }

  return {
    era,
    leaks: hasHeaders,
    get closed() {
      return lost || closing !== undefined;
    },
    listTools,
    callTool,
    relay,
    watchList() {
      const filter = toFilter(client);
      if (era === "legacy" || Object.keys(filter).length === 0) return;
      keepListening(client, filter, () => reportMissedChanges(filter)).honored.catch(() => undefined);
    },
    close() {
      closing ??= channel.close();
      return closing;
    },
  };
}

function toEnvelope({ client, clientInfo }: UpstreamSessionParts, era: Era): JsonObject {
  if (era === "legacy") return {};
  return {
    [PROTOCOL_VERSION_META_KEY]: client.getNegotiatedProtocolVersion(),
    [CLIENT_INFO_META_KEY]: clientInfo,
    [CLIENT_CAPABILITIES_META_KEY]: {},
  };
}

/** The `_meta` member with the capabilities of the caller's client. */
function toCapabilityEnvelope({ peer }: CallContext): JsonObject {
  return { [CLIENT_CAPABILITIES_META_KEY]: peer?.capabilities ?? {} };
}

/**
 * Removes the protocol members of `_meta`: they describe the caller's connection to the gateway, not the gateway's
 * connection to the server.
 */
function withoutEnvelope(meta: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(meta).filter(([key]) => !ENVELOPE_KEYS.includes(key) && key !== "progressToken"),
  );
}
