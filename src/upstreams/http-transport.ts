// Channels over HTTP: Streamable HTTP, or HTTP with server-sent events (MCP 2024-11-05).
import {
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { DiscoveryError } from "../errors.js";
import type { HttpConnection, SseConnection } from "../model/server.js";
import type { ProxyEnvironment } from "../util/net/proxy.js";
import { createCappedFetch } from "./capped-fetch.js";
import type { TransportChannel } from "./channel.js";
import { createForeignFetch, createConfiguredFetch } from "./guarded-fetches.js";
import type { MessageMonitor } from "./message-monitor.js";
import type { SignIn } from "./oauth/sign-in.js";

const TERMINATE_MS = 1_000;

export interface HttpParts {
  readonly server: string;
  readonly maxMessageBytes: number;
  readonly monitor: MessageMonitor;
  /** Called when a notification about a changed list was ignored as part of a flood. */
  readonly onMissedChange: () => void;
  /** The environment variables that name a proxy and certificate authorities. */
  readonly env: ProxyEnvironment;
  readonly signIn?: SignIn | undefined;
}

export function createHttpChannel(connection: HttpConnection, parts: HttpParts): TransportChannel {
  const settings = createSettings(connection, parts);
  const transport = new StreamableHTTPClientTransport(toUrl(connection.url, parts.server), settings.options);
  return {
    ...toChannel(transport, settings),
    async close() {
      // The protocol lets a client skip the request that ends the session, so an unresponsive server must not delay
      // closing.
      await Promise.race([transport.terminateSession().catch(() => undefined), later(TERMINATE_MS)]);
      await transport.close();
      settings.close();
    },
  };
}

export function createSseChannel(connection: SseConnection | HttpConnection, parts: HttpParts): TransportChannel {
  const settings = createSettings(connection, parts);
  const transport = new SSEClientTransport(toUrl(connection.url, parts.server), settings.options);
  // The SDK reopens a broken stream, but the new stream would belong to a session that was never initialized, so the
  // transport is closed.
  transport.onerror = (error) => {
    if (error instanceof SseError) void transport.close();
  };
  return toChannel(transport, settings);
}

interface Settings {
  readonly options: ConstructorParameters<typeof StreamableHTTPClientTransport>[1] & object;
  readonly failure: () => DiscoveryError | undefined;
  readonly close: () => void;
}

function createSettings(connection: SseConnection | HttpConnection, { signIn, ...parts }: HttpParts): Settings {
  let failure: DiscoveryError | undefined;
  const isForeign = connection.kind === "http" && connection.isForeign === true;
  const url = toUrl(connection.url, parts.server);
  const guarded = isForeign ? createForeignFetch(parts) : createConfiguredFetch(url, parts);
  const fetch = createCappedFetch({
    ...parts,
    fetch: guarded?.fetch,
    signed: !isForeign && signIn ? { signIn, origin: url.origin } : undefined,
    onFailure: (error) => {
      failure = error;
    },
  });
  return {
    options: { fetch, requestInit: { headers: { ...connection.headers } } },
    failure: () => failure,
    close: () => guarded?.close(),
  };
}

function toChannel(transport: Transport, settings: Settings): TransportChannel {
  return {
    transport,
    exclusive: false,
    stalled: () => false,
    isInputClosed: () => false,
    ending: settings.failure,
    async close() {
      await transport.close();
      settings.close();
    },
    kill: () => void transport.close(),
  };
}

function toUrl(url: string, server: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol === "http:" || parsed?.protocol === "https:") return parsed;
  throw new DiscoveryError("CONFIGURATION_ERROR", `The url of ${server} is not an http or https URL.`, {
    hint: 'Write it as "https://host/path".',
    server,
  });
}

function later(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs).unref());
}
