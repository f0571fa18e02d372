import type { JsonObject } from "./json.js";
import type { RestOperation } from "./operation.js";

/** A tool as its server describes it. Unknown members are kept: they are passed on and are part of the hash. */
export interface ToolDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: JsonObject;
  /** The operation of a REST API's tool. The gateway ignores this member in tools of other servers. */
  readonly operation?: RestOperation;
  readonly [member: string]: unknown;
}

/** A tool of the catalog: its definition and the result of the rules. */
export interface Tool {
  /** `server:tool`. */
  readonly id: string;
  readonly server: string;
  readonly name: string;
  readonly definition: ToolDefinition;
  /** SHA-256 of the canonical definition. */
  readonly hash: string;
  readonly enabled: boolean;
  readonly tags: readonly string[];
  /** How the tool is called if its server is a REST API. */
  readonly operation?: RestOperation;
  /** The properties that a signed tool file gives it. */
  readonly file?: ToolFileFacts;
  /** Present while the tool is quarantined: it is disabled, and `definition` is a placeholder. */
  readonly quarantine?: Quarantine;
}

export interface ToolFileFacts {
  /** Another name of the tool, by which it can be called too. */
  readonly id: string;
  readonly timeoutMs?: number;
  readonly risk?: string;
}

/** Why a tool is hidden and cannot be called until a user approves its definition. */
export interface Quarantine {
  /** `signed`: the definition differs from a signed tool file. `unknown`: the approved definition could not be read. */
  readonly reason: "changed" | "new" | "signed" | "unknown";
  /** JSON pointers to the parts that differ from the approved definition. They contain no names that the server added. */
  readonly differs: readonly string[];
}

export function toolId(server: string, tool: string): string {
  return `${server}:${tool}`;
}
