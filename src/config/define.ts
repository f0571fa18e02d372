/** The configuration as a person writes it. A test holds it equal to the schema that checks it. */
export interface DiscoveryConfig {
  /** Address of the JSON Schema, for editors. */
  $schema?: string | undefined;
  /** `false` offers no servers and no tools. */
  enabled?: boolean | undefined;
  /** The servers whose tools are offered: a list of entries with `name`, or a map by name. */
  servers?: NamedServer[] | Record<string, ServerConfig> | undefined;
  /** Another name for `servers`. */
  mcpServers?: NamedServer[] | Record<string, ServerConfig> | undefined;
  /** Files to learn more servers from; the first to name a server wins. `all`: those of every MCP client on this machine. */
  sources?: SourceConfig[] | "all" | undefined;
  /** REST APIs whose operations are offered as tools: a list of entries with `name`, or a map by name. */
  adapters?: (AdapterConfig & { name: string })[] | Record<string, AdapterConfig> | undefined;
  /** Signed files that describe the tools of servers, as `anygpt mcp discover` writes them. */
  toolFiles?:
    | {
        enabled?: boolean | undefined;
        folders?: string[] | undefined;
        signatures?: "required" | "hash" | undefined;
        agents?: { discover?: boolean | undefined; hosts?: string[] | undefined } | undefined;
      }
    | undefined;
  /** Rules that enable, disable and tag tools, evaluated per tool, in order. */
  toolRules?: ToolRuleConfig[] | undefined;
  /** What an actor may do now: risk, confirmation, idempotency keys, scopes, rate limits and pinning. */
  policy?: PolicyConfig | undefined;
  search?:
    | { limit?: number | undefined; minRelevance?: number | undefined; semantic?: boolean | undefined }
    | undefined;
  /** `ttl` in seconds. */
  cache?: { enabled?: boolean | undefined; ttl?: number | undefined } | undefined;
  audit?:
    | {
        enabled?: boolean | undefined;
        keepRecords?: number | undefined;
        keepDays?: number | undefined;
        arguments?: boolean | undefined;
      }
    | undefined;
  /** The database file; default `store.db` in the state folder. */
  store?: string | undefined;
  /** Which five tools agents see. */
  profile?: "discovery" | "gateway" | undefined;
  /** `full` lists every enabled tool as its own. */
  mode?: "lazy" | "full" | undefined;
  /** The tools of the profile `gateway`. */
  gateway?:
    | {
        minConfidence?: number | undefined;
        limit?: number | undefined;
        registry?: string | undefined;
        dots?: boolean | undefined;
      }
    | undefined;
  /** What `anygpt mcp serve --http` listens on, and for whom. */
  http?:
    | {
        host?: string | undefined;
        port?: number | undefined;
        origins?: string[] | undefined;
        graceMs?: number | undefined;
      }
    | undefined;
  /** What others can see of the gateway at work. */
  observability?:
    | {
        traces?:
          | { enabled?: boolean | undefined; endpoint?: string | undefined; ratio?: number | undefined }
          | undefined;
      }
    | undefined;
  upstreams?: UpstreamsConfig | undefined;
  execution?: ExecutionConfig | undefined;
  /** `false` shows no notice of newer versions, and asks no registry for them. */
  updateNotice?: boolean | undefined;
}

/** How a server is reached: a program to start, or an address. Strings may hold `${VAR}` and `${VAR:-default}`. */
export interface ConnectionConfig {
  /** Told from `command` or `url` when left out. */
  type?: "stdio" | "http" | "sse" | "streamable-http" | "streamableHttp" | undefined;
  command?: string | undefined;
  args?: string[] | undefined;
  env?: Record<string, string> | undefined;
  /** A file of more environment variables; those of `env` win. */
  envFile?: string | undefined;
  /** Variables of the gateway's own environment that the program gets too, by name or pattern. */
  inheritEnv?: string[] | undefined;
  cwd?: string | undefined;
  url?: string | undefined;
  headers?: Record<string, string> | undefined;
  /** How to sign in where the server does not tell all of it. */
  oauth?:
    | {
        clientId?: string | undefined;
        clientSecret?: string | undefined;
        clientMetadataUrl?: string | undefined;
        issuer?: string | undefined;
        scopes?: string[] | undefined;
      }
    | undefined;
}

/** A server in a map; its key is its name. */
export interface ServerConfig extends ConnectionConfig {
  /** A title, used where there is no description. */
  name?: string | undefined;
  description?: string | undefined;
  enabled?: boolean | undefined;
  /** Tools known beforehand: searchable before the server was ever started. */
  tools?: ManifestTool[] | undefined;
  /** The connection, if it does not stand beside the name. */
  connection?: ConnectionConfig | undefined;
}

/** A server in a list. */
export interface NamedServer extends ServerConfig {
  /** Unique among all servers; the first half of `server:tool`. */
  name: string;
}

export interface ManifestTool {
  name: string;
  description?: string | undefined;
  inputSchema?: Record<string, unknown> | undefined;
}

export interface SourceConfig {
  /** `custom` is a YAML file with `servers`; the others are the files of those programs. */
  type:
    | "custom"
    | "claude-desktop"
    | "claude-code"
    | "cursor"
    | "windsurf"
    | "vscode"
    | "cline"
    | "roo"
    | "gemini-cli"
    | "codex"
    | "zed"
    | "continue"
    | "goose"
    | "junie"
    | "lm-studio"
    | "opencode"
    | "copilot-cli"
    | "amazon-q"
    | "kiro"
    | "warp"
    | "antigravity"
    | "docker-mcp";
  /** The file; when left out, the files that the program itself reads. */
  path?: string | undefined;
}

/** A REST API as a document describes it. */
export interface AdapterConfig {
  /** OpenAPI, Swagger or Postman: a file or a web address. */
  document: string;
  baseUrl?: string | undefined;
  headers?: Record<string, string> | undefined;
  auth?:
    | { type: "bearer"; token: string }
    | { type: "basic"; username: string; password?: string | undefined }
    | { type: "apiKey"; in?: "header" | "query" | "cookie" | undefined; name: string; value: string }
    | { type: "oauth2"; tokenUrl: string; clientId: string; clientSecret: string; scopes?: string[] | undefined }
    | undefined;
  idempotencyHeader?: string | undefined;
  /** Folders from which files may be sent. */
  uploads?: string[] | undefined;
  title?: string | undefined;
  description?: string | undefined;
  category?: string | undefined;
  capabilities?: string[] | undefined;
  countries?: string[] | undefined;
  currencies?: string[] | undefined;
  documentation?: string | undefined;
  /** What you say of operations, whatever the document says. */
  operations?:
    | {
        tools: string | string[];
        risk?: RiskConfig | undefined;
        idempotent?: boolean | undefined;
        reversible?: boolean | undefined;
        category?: string | undefined;
      }[]
    | undefined;
  enabled?: boolean | undefined;
}

export interface ToolRuleConfig {
  /** Globs, or regexes as `/source/flags`; a leading `!` excludes. */
  pattern?: string | string[] | undefined;
  /** Name or glob of the servers that the rule is about. */
  server?: string | undefined;
  enabled?: boolean | undefined;
  tags?: string[] | undefined;
}

type RiskConfig = "low" | "medium" | "high" | "destructive";

/** What an entry of the policy is about; `tools` as the `pattern` of a rule. One of the two is needed. */
interface PolicyEntry {
  tools?: string | string[] | undefined;
  server?: string | undefined;
}

export interface PolicyConfig {
  preset?: "default" | "strict" | undefined;
  /** The first entry that is about a tool decides. */
  risk?: (PolicyEntry & { risk: RiskConfig })[] | undefined;
  /** Servers whose annotations make no tool less risky. */
  distrust?: string[] | undefined;
  confirmation?:
    | {
        mode?: "auto" | "human" | "never" | undefined;
        from?: RiskConfig | undefined;
        ttlSeconds?: number | undefined;
      }
    | undefined;
  idempotency?:
    | {
        requiredFrom?:
          | { gateway?: RiskConfig | "never" | undefined; elsewhere?: RiskConfig | "never" | undefined }
          | undefined;
        ttlSeconds?: number | undefined;
        /** What is known of tools whatever their servers say. */
        tools?: (PolicyEntry & { idempotent?: boolean | undefined; sendKeyAs?: string | undefined })[] | undefined;
      }
    | undefined;
  localScopes?: string[] | undefined;
  /** Those of all entries that are about a tool add up. */
  scopes?: (PolicyEntry & { required_scopes: string[] })[] | undefined;
  buckets?: Record<string, { calls: number; perSeconds: number; per?: "actor" | "everyone" | undefined }> | undefined;
  /** The first entry that is about a tool decides. */
  rateLimits?: (PolicyEntry & { rate_limit_bucket: string })[] | undefined;
  /** What callers may discover, by name. */
  views?: Record<string, { tools?: string | string[] | undefined; servers?: string[] | undefined }> | undefined;
  pinning?: "off" | "warn" | "enforce" | undefined;
}

export interface UpstreamsConfig {
  /** For every program that does not say so itself. */
  inheritEnv?: string[] | undefined;
  idleMs?: number | undefined;
  startTimeoutMs?: number | undefined;
  installTimeoutMs?: number | undefined;
  startWaitMs?: number | undefined;
  probeTimeoutMs?: number | undefined;
  pulseTimeoutMs?: number | undefined;
  listTimeoutMs?: number | undefined;
  concurrency?: number | undefined;
  queue?: number | undefined;
  queueWaitMs?: number | undefined;
  writeTimeoutMs?: number | undefined;
  keepLogs?: boolean | undefined;
  maxMessageBytes?: number | undefined;
}

export interface ExecutionConfig {
  timeoutMs?: number | undefined;
  maxTotalMs?: number | undefined;
  resultLimit?: number | undefined;
  keepResultsMs?: number | undefined;
}

/** A file that other programs share: `discovery` is ours, the other sections are theirs. */
export interface SharedConfig {
  readonly discovery: DiscoveryConfig;
  readonly [section: string]: unknown;
}

/** Types a configuration in an editor; gives it back as it is. */
export function defineConfig(value: DiscoveryConfig): DiscoveryConfig;
export function defineConfig(value: SharedConfig): SharedConfig;
export function defineConfig(value: DiscoveryConfig | SharedConfig): DiscoveryConfig | SharedConfig {
  return value;
}

/** The same under the name that `anygpt.config.ts` uses. */
export const config: typeof defineConfig = defineConfig;
