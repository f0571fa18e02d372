// An open connection comes in; lists and calls go out. It knows the protocol and one server, not who else is connected.
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type Client,
  PROTOCOL_VERSION_META_KEY,
} from "@modelcontextprotocol/client";
import { DiscoveryError } from "../errors.js";
import type { CallEvent, CallResult } from "../model/call.js";
import type { JsonObject } from "../model/json.js";
import type { Era, ServerListing } from "../model/server.js";
import type { Secrets } from "../util/secrets.js";
import { brokeOff, midCall, notListed, toLogEvent, toPage, toProgressEvent, toResult } from "./answers.js";
import type { Channel } from "./channel.js";
import { createExchange } from "./exchange.js";
import { readPages } from "./listing.js";
import type { UpstreamCall } from "./types.js";

const ENVELOPE_KEYS = [PROTOCOL_VERSION_META_KEY, CLIENT_INFO_META_KEY, CLIENT_CAPABILITIES_META_KEY];

export interface SessionParts {
  readonly server: string;
  readonly client: Client;
  readonly channel: Channel;
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly listTimeoutMs: number;
  readonly pulseTimeoutMs: number;
  readonly secrets: Secrets;
  readonly onListChanged: () => void;
  /** The connection is gone, and not because we closed it. */
  readonly onLost: (reason: DiscoveryError) => void;
}

export interface Session {
  readonly era: Era;
  readonly closed: boolean;
  listTools(signal?: AbortSignal): Promise<ServerListing>;
  callTool(call: UpstreamCall, signal?: AbortSignal): Promise<CallResult>;
  /** Asks a modern server to announce changes of its list; others do so unasked. */
  watchList(): void;
  close(): Promise<void>;
}

export function createSession(parts: SessionParts): Session {
  const { server, client, channel } = parts;
  const era: Era = client.getProtocolEra() === "modern" ? "modern" : "legacy";
  const listeners = new Set<(event: CallEvent) => void>();
  let closing: Promise<void> | undefined;
  let lost = false;
  let feelingPulse = false;

  const exchange = createExchange({
    server,
    transport: channel.transport,
    envelope: toEnvelope(parts, era),
    cancelByStream: era === "modern" && channel.transport.hasPerRequestStream === true,
    onNotification(method, params) {
      if (method === "notifications/tools/list_changed") parts.onListChanged();
      if (method === "notifications/message") tell(toLogEvent(params, parts.secrets));
    },
  });

  function tell(event: CallEvent): void {
    for (const listener of listeners) listener(event);
  }

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

  async function callTool(call: UpstreamCall, signal?: AbortSignal): Promise<CallResult> {
    const { onEvent } = call;
    const { heard } = exchange;
    if (onEvent !== undefined) listeners.add(onEvent);
    try {
      const answer = await exchange.request(
        {
          method: "tools/call",
          params: { name: call.tool, arguments: call.arguments, _meta: withoutEnvelope(call.meta) },
          timeoutMs: call.timeoutMs,
          maxTotalMs: call.maxTotalMs,
          // Progress is asked for even if nobody listens: it is what keeps a long call from timing out.
          onProgress: (params) => onEvent?.(toProgressEvent(params, parts.secrets)),
        },
        signal,
      );
      return toResult(answer, server, parts.secrets);
    } catch (error) {
      if (error instanceof DiscoveryError) giveUpIfDead(error);
      const silent =
        exchange.heard === heard && error instanceof DiscoveryError && error.code === "TOOL_EXECUTION_TIMEOUT";
      if (silent && channel.exclusive) void feelPulse();
      throw error;
    } finally {
      if (onEvent !== undefined) listeners.delete(onEvent);
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
    };
    if (client.getServerCapabilities()?.tools === undefined)
      return { tools: [], dropped: [], truncated: false, ...about };
    const limits = { timeoutMs: parts.listTimeoutMs, maxTotalMs: parts.listTimeoutMs };
    const pages = await readPages(async (cursor) => {
      const params = cursor === undefined ? {} : { cursor };
      try {
        return toPage(await exchange.request({ method: "tools/list", params, ...limits }, signal), server);
      } catch (error) {
        throw error instanceof DiscoveryError && error.code !== "CANCELLED" ? notListed(server, error) : error;
      }
    });
    return { ...pages, ...about };
  }

  return {
    era,
    get closed() {
      return lost || closing !== undefined;
    },
    listTools,
    callTool,
    watchList() {
      if (era !== "modern" || client.getServerCapabilities()?.tools?.listChanged !== true) return;
      client.listen({ toolsListChanged: true }).catch(() => undefined);
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

/** A caller's envelope speaks of the caller's connection to us, not of ours to the server. */
function withoutEnvelope(meta: JsonObject = {}): JsonObject {
  return Object.fromEntries(
    Object.entries(meta).filter(([key]) => !ENVELOPE_KEYS.includes(key) && key !== "progressToken"),
  );
}
