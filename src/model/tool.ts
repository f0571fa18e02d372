import type { JsonObject } from "./json.js";
import type { RestOperation } from "./operation.js";

/** A tool as its server describes it. Members we do not know are kept: they pass through and take part in the hash. */
export interface ToolDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: JsonObject;
  /** Of a REST API's tool. A tool of any other server may say here what it likes: nobody reads it there. */
  readonly operation?: RestOperation;
  readonly [member: string]: unknown;
}

/** A tool of the catalog: its definition plus what the rules decided about it. */
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
  /** How it is called, when its server is a REST API. */
  readonly operation?: RestOperation;
  /** What a signed file says of it. */
  readonly file?: ToolFileFacts;
  /** Present while the tool is kept back: it is not enabled, and its definition is withheld and says nothing of the real one. */
  readonly quarantine?: Quarantine;
}

export interface ToolFileFacts {
  /** Another name of the tool. */
  readonly id: string;
  readonly timeoutMs?: number;
  readonly risk?: string;
}

/** Why nobody may see or call a tool before a person has looked at its definition. */
export interface Quarantine {
  /** `signed`: a signed file says something else of it. `unknown`: what was approved could not be read. */
  readonly reason: "changed" | "new" | "signed" | "unknown";
  /** JSON pointers to what is not as it was approved. They name nothing that the server has added. */
  readonly differs: readonly string[];
}

export function toolId(server: string, tool: string): string {
  return `${server}:${tool}`;
}
