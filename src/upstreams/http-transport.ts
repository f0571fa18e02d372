// An HTTP connection comes in, a channel goes out: Streamable HTTP, or the event streams of the 2024-11-05 revision.
import {
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { DiscoveryError } from "../errors.js";
import type { HttpConnection, SseConnection } from "../model/server.js";
import { createCappedFetch } from "./capped-fetch.js";
import type { Channel } from "./channel.js";

const GOODBYE_MS = 1_000;

export interface HttpParts {
  readonly server: string;
  readonly maxMessageBytes: number;
}

export function createHttpChannel(connection: HttpConnection, parts: HttpParts): Channel {
  const settings = createSettings(connection, parts);
  const transport = new StreamableHTTPClientTransport(toUrl(connection.url, parts.server), settings.options);
  return {
    ...toChannel(transport, settings),
    async close() {
      // A courtesy that a dead server must not delay.
      await Promise.race([transport.terminateSession().catch(() => undefined), later(GOODBYE_MS)]);
      await transport.close();
    },
  };
}

export function createSseChannel(connection: SseConnection | HttpConnection, parts: HttpParts): Channel {
  const settings = createSettings(connection, parts);
  const transport = new SSEClientTransport(toUrl(connection.url, parts.server), settings.options);
  // A stream that broke is opened again by the SDK, but the new one belongs to a session that was never initialised.
  transport.onerror = (error) => {
    if (error instanceof SseError) void transport.close();
  };
  return toChannel(transport, settings);
}

interface Settings {
  readonly options: ConstructorParameters<typeof StreamableHTTPClientTransport>[1] & object;
  readonly failure: () => DiscoveryError | undefined;
}

function createSettings(connection: SseConnection | HttpConnection, parts: HttpParts): Settings {
  let failure: DiscoveryError | undefined;
  const fetch = createCappedFetch({
    ...parts,
    onFailure: (error) => {
      failure = error;
    },
  });
  return { options: { fetch, requestInit: { headers: { ...connection.headers } } }, failure: () => failure };
}

function toChannel(transport: Transport, settings: Settings): Channel {
  return {
    transport,
    exclusive: false,
    stalled: () => false,
    ending: settings.failure,
    close: () => transport.close(),
    kill: () => void transport.close(),
  };
}

function toUrl(url: string, server: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol === "http:" || parsed?.protocol === "https:") return parsed;
  throw new DiscoveryError("CONFIGURATION_ERROR", `The url of ${server} is not an http or https address.`, {
    hint: 'Write it as "https://host/path".',
    server,
  });
}

function later(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs).unref());
}
