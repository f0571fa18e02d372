import type { ToolDefinition } from "./tool.js";

/** How a server is reached. Strings may hold `${VAR}` templates until the moment of use. */
export type Connection = McpConnection | RestConnection | BuiltInConnection;

export type McpConnection = StdioConnection | HttpConnection | SseConnection;

export interface StdioConnection {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Names of variables of the gateway's environment that it gets too; `*` and `?` are wildcards. */
  readonly inheritEnv?: readonly string[];
  /** What may be missing where its process ends by itself; added at the moment of use. */
  readonly startHint?: string;
}

export interface HttpConnection {
  readonly kind: "http";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly oauth?: OAuthSettings;
  /** The address is no person's word: it may not point inward, and nothing of ours is sent there. */
  readonly isForeign?: true;
}

/** The legacy HTTP+SSE transport of the 2024-11-05 revision. */
export interface SseConnection {
  readonly kind: "sse";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly oauth?: OAuthSettings;
}

/** What a person may say of the sign-in to one server. All of it can be left out: servers tell what they need. */
export interface OAuthSettings {
  /** The client that was registered by hand at the authorization server. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** Address of the document that describes this client, for authorization servers that read such documents. */
  readonly clientMetadataUrl?: string;
  /** The authorization server, in place of the one that the server names. As the person wrote it, it may lie inward. */
  readonly issuer?: string;
  readonly scopes?: readonly string[];
}

/** The gateway itself, as a server of tools. */
export interface BuiltInConnection {
  readonly kind: "built-in";
}

/** A REST API as a document describes it: OpenAPI, Swagger or a Postman collection. */
export interface RestConnection {
  readonly kind: "rest";
  /** A file, absolute, or a web address. */
  readonly document: string;
  /** Tells one state of the file from another. */
  readonly revision?: string;
  /** All requests stay below it; left out, the document's own first address counts. */
  readonly baseUrl?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly auth?: RestAuth;
  /** Variables that the credentials need and that are not set: the API can be described, and not called. */
  readonly lacking?: readonly string[];
  /** The header in which the API takes idempotency keys. */
  readonly idempotencyHeader?: string;
  /** Folders, absolute, from which files may be sent. */
  readonly uploads: readonly string[];
  /** What the person says of operations, whatever the document says; the first that is about one decides each fact. */
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
  /** Names of tools, or globs. */
  readonly tools: readonly string[];
  readonly risk?: string;
  readonly idempotent?: boolean;
  readonly reversible?: boolean;
  readonly category?: string;
}

/** What a person says of an API as a whole. */
export interface AdapterFacts {
  readonly title?: string;
  readonly category?: string;
  readonly capabilities: readonly string[];
  readonly countries: readonly string[];
  readonly currencies: readonly string[];
  /** Address of the provider's own documentation. */
  readonly documentation?: string;
}

export interface ServerDefinition {
  readonly name: string;
  readonly description?: string;
  readonly connection: Connection;
  /** Tools named in the configuration: searchable before the server was ever started, replaced by its live list. */
  readonly manifest: readonly ToolDefinition[];
  /** Of a REST API: what is said of it beside its document. */
  readonly facts?: AdapterFacts;
  /** What signed files say of its tools. Where the server itself says something else, the tool is kept back. */
  readonly files?: readonly FiledTool[];
  /** Its tools are those of the manifest and no others: it is never asked for them. */
  readonly isFixed?: boolean;
  /** What is known of the variables that its connection needs. */
  readonly needs?: readonly VariableNeed[];
  /** Where the definition was learned, for messages: a file, or `inline`. */
  readonly origin: string;
  /** The user's own configuration says so: it alone may refer to where secrets are kept. */
  readonly isOwn?: true;
}

/** A tool as a file describes it that a person has signed. */
export interface FiledTool {
  /** The name of the file, by which the tool can be called too. */
  readonly id: string;
  readonly definition: ToolDefinition;
  /** Longest silence in a call. */
  readonly timeoutMs?: number;
  readonly risk?: string;
}

export interface VariableNeed {
  readonly name: string;
  readonly description: string;
  /** Where it is not set, the header or variable that would hold it is left out. */
  readonly isOptional?: boolean;
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
  readonly capabilities?: ServerCapabilities;
}

/** What a server has beside tools, as it says itself. */
export interface ServerCapabilities {
  readonly prompts?: boolean;
  readonly resources?: boolean;
  readonly completions?: boolean;
  readonly logging?: boolean;
}
