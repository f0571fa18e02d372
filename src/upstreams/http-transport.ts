// An HTTP connection comes in, a channel goes out: Streamable HTTP, or the event streams of the 2024-11-05 revision.
import {
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { DiscoveryError } from "../errors.js";
import type { HttpConnection, SseConnection } from "../model/server.js";
import type { Environment } from "../util/net/proxy.js";
import { createCappedFetch } from "./capped-fetch.js";
import type { Channel } from "./channel.js";
import { createForeignFetch, createWrittenFetch } from "./guarded-fetches.js";
import type { SignIn } from "./oauth/sign-in.js";

const GOODBYE_MS = 1_000;

export interface HttpParts {
  readonly server: string;
  readonly maxMessageBytes: number;
  /** The variables that name a proxy and certificate authorities. */
  readonly env: Environment;
  readonly signIn?: SignIn | undefined;
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
      settings.close();
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
  readonly close: () => void;
}

function createSettings(connection: SseConnection | HttpConnection, { signIn, ...parts }: HttpParts): Settings {
  let failure: DiscoveryError | undefined;
  const isForeign = connection.kind === "http" && connection.isForeign === true;
  const url = toUrl(connection.url, parts.server);
  const guarded = isForeign ? createForeignFetch(parts) : createWrittenFetch(url, parts);
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

function toChannel(transport: Transport, settings: Settings): Channel {
  return {
    transport,
    exclusive: false,
    stalled: () => false,
    deaf: () => false,
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
  throw new DiscoveryError("CONFIGURATION_ERROR", `The url of ${server} is not an http or https address.`, {
    hint: 'Write it as "https://host/path".',
    server,
  });
}

function later(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs).unref());
}
