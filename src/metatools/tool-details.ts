import type { JsonObject } from "../model/json.js";

export interface ToolParameter {
  readonly name: string;
  /** A compact type expression: `string`, `'open'|'closed'`, `integer 1..100`, `{path: string}[]`. */
  readonly type: string;
  readonly required: boolean;
  readonly description?: string;
  /** The raw schema, where the type cannot tell the whole of it. */
  readonly schema?: unknown;
}

export interface ToolExample {
  readonly description?: string;
  readonly parameters: JsonObject;
}

export interface ToolDetails {
  readonly server: string;
  readonly tool: string;
  readonly description: string;
  readonly parameters: readonly ToolParameter[];
  /** The type of further parameters, where the tool takes any. */
  readonly additional?: string;
  /** What the names in the types stand for. */
  readonly types?: Readonly<Record<string, string>>;
  readonly examples?: readonly ToolExample[];
  /** The raw schema, where parameters cannot tell the whole of it. */
  readonly inputSchema?: JsonObject;
  /** What was too large to be told here. */
  readonly omitted?: readonly string[];
  /** The resource with the whole definition, where something was cut. */
  readonly full?: string;
}
