import type { JsonObject } from "./json.js";

/** A tool as its server describes it. Members we do not know are kept: they pass through and take part in the hash. */
export interface ToolDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: JsonObject;
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
}

export function toolId(server: string, tool: string): string {
  return `${server}:${tool}`;
}
