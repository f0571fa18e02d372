import type { JsonObject } from "../model/json.js";

/** A top-level parameter of a tool. */
export interface ToolParameter {
  readonly name: string;
  /** A compact type expression, such as `string`, `'open'|'closed'`, `integer 1..100` or `{path: string}[]`. */
  readonly type: string;
  readonly required: boolean;
  readonly description?: string;
  /** The JSON Schema of the parameter; only present if `type` does not express all of it. */
  readonly schema?: unknown;
}

/** An example of a call. */
export interface ToolExample {
  readonly description?: string;
  /** The arguments of the call. */
  readonly parameters: JsonObject;
}

export interface ToolDetails {
  readonly server: string;
  readonly tool: string;
  readonly description: string;
  readonly parameters: readonly ToolParameter[];
  /** The type of additional parameters; only present if the tool accepts parameters that are not listed. */
  readonly additional?: string;
  /** The definitions of the type names that occur in `parameters`. */
  readonly types?: Readonly<Record<string, string>>;
  readonly examples?: readonly ToolExample[];
  /** The JSON Schema of the arguments; only present if `parameters` cannot express all of it. */
  readonly inputSchema?: JsonObject;
  /** The names of parameters and types that were too large to include. */
  readonly omitted?: readonly string[];
  /** Says that the server's texts have hidden characters; they are not included in the descriptions. */
  readonly hidden?: string;
  /** The URI of the resource with the complete definition; only present if the details are not complete. */
  readonly full?: string;
}
