import type { ToolDefinition } from "./tool.js";

/**
 * How the gateway connects to a server. The strings of a connection may contain `${VAR}` templates, which are resolved
 * when the connection is used.
 */
export type ConnectionKind = "stdio" | "http" | "sse" | "rest" | "built-in";

export type ServerConnection = McpConnection | RestConnection | BuiltInConnection;

export type McpConnection = StdioConnection | HttpConnection | SseConnection;

export interface StdioConnection {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Names of environment variables of the gateway that the process inherits; `*` and `?` are wildcards. */
  readonly inheritEnv?: readonly string[];
  /** A hint that is added to the error if the process exits during startup. Set by the connection resolver. */
  readonly startHint?: string;
  /** The integrity hash that npm must have recorded for the installed package. */
  readonly integrity?: string;
}

export interface HttpConnection {
  readonly kind: "http";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly oauth?: OAuthSettings;
  /**
   * Set if the URL does not come from the user: it must not point to a private network, and no credentials are sent
   * there.
   */
  readonly isForeign?: true;
}

/** The legacy HTTP+SSE transport of the MCP revision 2024-11-05. */
export interface SseConnection {
  readonly kind: "sse";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly oauth?: OAuthSettings;
}

/** OAuth settings of one server. All are optional, because servers publish the values that clients need. */
export interface OAuthSettings {
  /** The id of an OAuth client that was registered manually at the authorization server. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** The URL of the client ID metadata document (CIMD), for authorization servers that support it. */
  readonly clientMetadataUrl?: string;
  /**
   * The authorization server to use instead of the one that the MCP server names. It may be in a private network,
   * because the user configured it.
   */
  readonly issuer?: string;
  readonly scopes?: readonly string[];
}

/** The connection of the server that has the gateway's built-in tools. */
export interface BuiltInConnection {
  readonly kind: "built-in";
}

/** A REST API that an OpenAPI, Swagger or Postman document describes. */
export interface RestConnection {
  readonly kind: "rest";
  /** The API document: an absolute path or a URL. */
  readonly document: string;
  /** A value that changes when the content of the document file changes. */
  readonly revision?: string;
  /** The base URL; all requests stay below it. Default: the first server URL in the API document. */
  readonly baseUrl?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly auth?: RestAuth;
  /**
   * Names of unset variables that the credentials need. While there are any, the API's tools can be described but not
   * called.
   */
  readonly lacking?: readonly string[];
  /** The name of the request header for idempotency keys. */
  readonly idempotencyHeader?: string;
  /** Absolute paths of the folders from which files may be uploaded. */
  readonly uploads: readonly string[];
  /** Properties of single operations. For each property, the first entry that matches the operation and has it wins. */
  readonly operations: readonly OperationFacts[];
}

export type RestAuth =
  | { readonly kind: "bearer"; readonly token: string }
  | { readonly kind: "basic"; readonly username: string; readonly password: string }
  | {
      readonly kind: "api-key";
      readonly in: "header" | "query" | "cookie";
      readonly name: string;
      readonly value: string;
    }
  | {
      readonly kind: "client-credentials";
      readonly tokenUrl: string;
      readonly clientId: string;
      readonly clientSecret: string;
      readonly scopes: readonly string[];
    };

export interface OperationFacts {
  /** Names or glob patterns of the tools to which the entry applies. */
  readonly tools: readonly string[];
  readonly risk?: string;
  readonly idempotent?: boolean;
  readonly reversible?: boolean;
  readonly category?: string;
}

/** Properties of a whole REST API, from the configuration. */
export interface AdapterFacts {
  readonly title?: string;
  readonly category?: string;
  readonly capabilities: readonly string[];
  readonly countries: readonly string[];
  readonly currencies: readonly string[];
  /** The URL of the API provider's documentation. */
  readonly documentation?: string;
}

export interface ServerDefinition {
  readonly name: string;
  readonly description?: string;
  readonly connection: ServerConnection;
  /** Tools from the configuration: searchable before the first start, then replaced by the server's own tool list. */
  readonly manifest: readonly ToolDefinition[];
  /** Properties from the configuration; only set for a REST API. */
  readonly facts?: AdapterFacts;
  /** Tools from signed files. If the server describes a tool differently, the tool is quarantined. */
  readonly files?: readonly FiledTool[];
  /** Whether the server has exactly the tools in `manifest`. If so, the gateway never requests its tool list. */
  readonly isFixed?: boolean;
  /** The environment variables that the connection needs. */
  readonly needs?: readonly VariableNeed[];
  /** Where the definition comes from, for messages: a file, or `inline`. */
  readonly origin: string;
  /** Set if the definition is in the user's own configuration. Only such a definition may refer to the keychain. */
  readonly isOwn?: true;
}

/** A tool from a signed tool file. */
export interface FiledTool {
  /** The id of the tool file: its file name without `.yaml`. Callers can pass this id instead of the tool's name. */
  readonly id: string;
  readonly definition: ToolDefinition;
  /** The timeout of a call of this tool in milliseconds: how long to wait for a response from the server. */
  readonly timeoutMs?: number;
  readonly risk?: string;
}

export interface VariableNeed {
  readonly name: string;
  readonly description: string;
  /** Whether the variable may be unset. If it is, the header or environment variable that contains it is omitted. */
  readonly isOptional?: boolean;
}

/**
 * The two families of MCP revisions: `legacy` (until 2025-11-25) begins with an `initialize` handshake; `modern` (since
 * 2026-07-28) is stateless and uses `server/discover`.
 */
export type Era = "legacy" | "modern";

/** All tools of a server, as `tools/list` returned them. */
export interface ServerListing {
  readonly tools: readonly ToolDefinition[];
  /** Tool definitions that the gateway rejected, with the reason. */
  readonly dropped: readonly { readonly name: string; readonly reason: string }[];
  /** Whether the list is incomplete, because the server has more pages or tools than the limits allow. */
  readonly truncated: boolean;
  readonly era: Era;
  readonly title?: string;
  readonly version?: string;
  readonly instructions?: string;
  readonly capabilities?: ServerCapabilities;
}

/** The MCP capabilities other than tools that a server declares. */
export interface ServerCapabilities {
  readonly prompts?: boolean;
  readonly resources?: boolean;
  readonly completions?: boolean;
  readonly logging?: boolean;
}
