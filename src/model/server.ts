import type { ToolDefinition } from "./tool.js";

/** How a server is reached. Strings may hold `${VAR}` templates until the moment of use. */
export type Connection = StdioConnection | HttpConnection | SseConnection;

export interface StdioConnection {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export interface HttpConnection {
  readonly kind: "http";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The legacy HTTP+SSE transport of the 2024-11-05 revision. */
export interface SseConnection {
  readonly kind: "sse";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface ServerDefinition {
  readonly name: string;
  readonly description?: string;
  readonly connection: Connection;
  /** Tools named in the configuration: searchable before the server was ever started, replaced by its live list. */
  readonly manifest: readonly ToolDefinition[];
  /** Where the definition was learned, for messages: a file, or `inline`. */
  readonly origin: string;
}

/** The two families of the protocol: `initialize` handshake, or stateless with `server/discover`. */
export type Era = "legacy" | "modern";

/** What a server answered when it was asked for all of its tools. */
export interface ServerListing {
  readonly tools: readonly ToolDefinition[];
  /** Definitions that were left out, with the reason. */
  readonly dropped: readonly { readonly name: string; readonly reason: string }[];
  /** True when the server had more pages or tools than the limits allow. */
  readonly truncated: boolean;
  readonly era: Era;
  readonly title?: string;
  readonly version?: string;
  readonly instructions?: string;
}
