import type { JsonObject } from "./json.js";
import type { RestOperation } from "./operation.js";

/** A tool as its server describes it. Unknown members are preserved: they are passed on and are part of the hash. */
export interface ToolDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: JsonObject;
  /** The HTTP request of a REST API's tool. The gateway ignores this member in tools of other servers. */
  readonly operation?: RestOperation;
  readonly [member: string]: unknown;
}

/** A tool in the catalog: its definition and what the tool rules decided. */
export interface Tool {
  /** The id of the tool: `server:tool`. */
  readonly id: string;
  readonly server: string;
  readonly name: string;
  readonly definition: ToolDefinition;
  /** SHA-256 of the canonical JSON of the definition. */
  readonly hash: string;
  readonly enabled: boolean;
  readonly tags: readonly string[];
  /** The HTTP request that a call of the tool sends; only set if its server is a REST API. */
  readonly operation?: RestOperation;
  /** The properties from a signed tool file, if the tool has one. */
  readonly file?: ToolFileFacts;
  /** Set while the tool is quarantined: then the tool is disabled, and `definition` is a placeholder. */
  readonly quarantine?: Quarantine;
}

export interface ToolFileFacts {
  /** The id of the tool file: its file name without `.yaml`. Callers can pass this id instead of the tool's name. */
  readonly id: string;
  readonly timeoutMs?: number;
  readonly risk?: string;
}

/** Why a tool is hidden and cannot be called until a user approves its definition. */
export interface Quarantine {
  /**
   * `changed`: the definition differs from the approved one. `new`: no definition was approved yet. `signed`: the
   * definition differs from a signed tool file. `unknown`: the approved definition could not be read.
   */
  readonly reason: "changed" | "new" | "signed" | "unknown";
  /**
   * JSON pointers to the parts that differ from the approved definition. They do not contain the names of members that
   * the server added.
   */
  readonly differs: readonly string[];
}

export function toolId(server: string, tool: string): string {
  return `${server}:${tool}`;
}
