import type { ToolDefinition } from "./tool.js";

/** How the gateway connects to a server. Strings may contain `${VAR}` templates, which are resolved at the moment of use. */
export type ConnectionKind = "stdio" | "http" | "sse" | "rest" | "built-in";

export type ServerConnection = McpConnection | RestConnection | BuiltInConnection;

export type McpConnection = StdioConnection | HttpConnection | SseConnection;

export interface StdioConnection {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Names of variables of the gateway's environment that the process also gets; `*` and `?` are wildcards. */
  readonly inheritEnv?: readonly string[];
  /** A hint for the error when the process exits during its start. The connection resolver adds it. */
  readonly startHint?: string;
  /** The integrity hash that npm must have recorded for the package. */
  readonly integrity?: string;
}

export interface HttpConnection {
  readonly kind: "http";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly oauth?: OAuthSettings;
  /** The URL does not come from the user: it must not point to a private network, and no credentials are sent there. */
  readonly isForeign?: true;
}

/** The legacy HTTP+SSE transport of the 2024-11-05 revision. */
export interface SseConnection {
  readonly kind: "sse";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly oauth?: OAuthSettings;
}

/** OAuth settings of one server. All are optional, because servers publish what they need. */
export interface OAuthSettings {
  /** The id of a client that was registered manually at the authorization server. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** The URL of the client ID metadata document, for authorization servers that support it. */
  readonly clientMetadataUrl?: string;
  /** The authorization server, instead of the one that the server names. It may be in a private network, because the user configured it. */
  readonly issuer?: string;
  readonly scopes?: readonly string[];
}

/** The gateway's built-in tools, as a server. */
export interface BuiltInConnection {
  readonly kind: "built-in";
}

/** A REST API that an OpenAPI, Swagger or Postman document describes. */
export interface RestConnection {
  readonly kind: "rest";
  /** The document: an absolute path or a URL. */
  readonly document: string;
  /** Changes when the content of the file changes. */
  readonly revision?: string;
  /** All requests stay below this URL. Default: the first server URL of the document. */
  readonly baseUrl?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly auth?: RestAuth;
  /** Variables of the credentials that are not set. The API can be described but not called. */
  readonly lacking?: readonly string[];
  /** The request header for idempotency keys. */
  readonly idempotencyHeader?: string;
  /** Absolute paths of the folders from which files may be uploaded. */
  readonly uploads: readonly string[];
  /** Overrides of operations. For each property, the first entry that matches the operation and has the property wins. */
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
  /** Names or globs of tools. */
  readonly tools: readonly string[];
  readonly risk?: string;
  readonly idempotent?: boolean;
  readonly reversible?: boolean;
  readonly category?: string;
}

/** Properties of a whole API from the configuration. */
export interface AdapterFacts {
  readonly title?: string;
  readonly category?: string;
  readonly capabilities: readonly string[];
  readonly countries: readonly string[];
  readonly currencies: readonly string[];
  /** The URL of the provider's documentation. */
  readonly documentation?: string;
}

export interface ServerDefinition {
  readonly name: string;
  readonly description?: string;
  readonly connection: ServerConnection;
  /** Tools from the configuration: searchable before the first start, then replaced by the list of the server. */
  readonly manifest: readonly ToolDefinition[];
  /** Only for a REST API: properties from the configuration. */
  readonly facts?: AdapterFacts;
  /** Tools from signed files. If the server describes a tool differently, the tool is quarantined. */
  readonly files?: readonly FiledTool[];
  /** The server has exactly the tools of `manifest`: the gateway never lists its tools. */
  readonly isFixed?: boolean;
  /** The variables that the connection needs. */
  readonly needs?: readonly VariableNeed[];
  /** Where the definition comes from, for messages: a file, or `inline`. */
  readonly origin: string;
  /** The definition is in the user's own configuration. Only such a definition may refer to the keychain. */
  readonly isOwn?: true;
}

/** A tool from a signed tool file. */
export interface FiledTool {
  /** The name of the file. The tool can be called by it too. */
  readonly id: string;
  readonly definition: ToolDefinition;
  /** The longest time without an answer in milliseconds. */
  readonly timeoutMs?: number;
  readonly risk?: string;
}

export interface VariableNeed {
  readonly name: string;
  readonly description: string;
  /** If it is not set, the header or variable that contains it is omitted. */
  readonly isOptional?: boolean;
}

/** The two families of MCP revisions: `legacy` with an `initialize` handshake, `modern` stateless with `server/discover`. */
export type Era = "legacy" | "modern";

/** All tools of a server, as `tools/list` returned them. */
export interface ServerListing {
  readonly tools: readonly ToolDefinition[];
  /** Definitions that the gateway rejected, with the reason. */
  readonly dropped: readonly { readonly name: string; readonly reason: string }[];
  /** The server had more pages or tools than the limits allow. */
  readonly truncated: boolean;
  readonly era: Era;
  readonly title?: string;
  readonly version?: string;
  readonly instructions?: string;
  readonly capabilities?: ServerCapabilities;
}

/** Capabilities that a server declares besides tools. */
export interface ServerCapabilities {
  readonly prompts?: boolean;
  readonly resources?: boolean;
  readonly completions?: boolean;
  readonly logging?: boolean;
}
