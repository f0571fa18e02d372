// Converts a tool of the catalog and its policy ruling to an operation of `operations.json`. The result does not depend
// on the caller.
import type { AdapterFacts } from "../model/server.js";
import type { Tool } from "../model/tool.js";
import { toOperationExample } from "./example.js";

/** What the policy rules about a tool for all callers in the profile `gateway`. */
export interface OperationRuling {
  readonly risk: string;
  readonly isIdempotent: boolean;
  readonly needsKey: boolean;
  readonly needsConfirmation: boolean;
  readonly scopes: readonly string[];
  readonly bucket?: string | undefined;
}

/** One operation in `operations.json`. */
export interface Operation {
  readonly adapter: string;
  readonly tool: string;
  readonly description: string;
  readonly category?: string;
  readonly tags: readonly string[];
  /** The HTTP method, if the operation belongs to a REST API. */
  readonly method?: string;
  readonly path?: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
  readonly required_params: readonly string[];
  readonly optional_params: readonly string[];
  readonly risk_level: string;
  readonly idempotent: boolean;
  readonly reversible: boolean;
  readonly requires_confirmation: boolean;
  readonly idempotency_required: boolean;
  readonly confirmation_required: boolean;
  readonly required_scopes: readonly string[];
  readonly rate_limit_bucket: string | null;
  readonly example_request: Readonly<Record<string, unknown>>;
  readonly common_errors: readonly string[];
}

export interface OperationSource {
  readonly tool: Tool;
  readonly ruling: OperationRuling;
  readonly facts?: AdapterFacts | undefined;
}

export function toOperation({ tool, ruling, facts }: OperationSource): Operation {
  const { definition, operation } = tool;
  const { required, optional } = parameterNames(definition.inputSchema);
  const category = categoryOf(tool, facts);
  const { risk, needsConfirmation } = ruling;
  return {
    adapter: tool.server,
    tool: tool.name,
    description: definition.description ?? definition.title ?? "",
    ...(category === undefined ? {} : { category }),
    tags: toTags(tool, facts),
    ...(operation === undefined ? {} : { method: operation.method, path: operation.path }),
    input_schema: definition.inputSchema,
    required_params: required,
    optional_params: optional,
    risk_level: risk,
    idempotent: ruling.isIdempotent,
    // If nothing is declared, only operations that change nothing count as reversible.
    reversible: operation?.reversible ?? risk === "low",
    requires_confirmation: needsConfirmation,
    idempotency_required: ruling.needsKey,
    confirmation_required: needsConfirmation,
    required_scopes: ruling.scopes,
    rate_limit_bucket: ruling.bucket ?? null,
    example_request: toOperationExample(tool),
    common_errors: Object.entries(operation?.errors ?? {}).map(([status, meaning]) => `${status}: ${meaning}`),
  };
}

/** The category of the operation, otherwise that of its adapter. */
export function categoryOf({ operation }: Tool, facts: AdapterFacts | undefined): string | undefined {
  return operation?.category ?? facts?.category;
}

/** The parameter names in the schema. A name in `required` counts even if it has no schema in `properties`. */
export function parameterNames(schema: Readonly<Record<string, unknown>>): {
  readonly required: readonly string[];
  readonly optional: readonly string[];
} {
  const { properties, required } = schema;
  const needed = new Set(Array.isArray(required) ? required.filter((name) => typeof name === "string") : []);
  const named = typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
  return { required: [...needed], optional: named.filter((name) => !needed.has(name)) };
}

function toTags({ tags, operation }: Tool, facts: AdapterFacts | undefined): string[] {
  const places = [...(facts?.countries ?? []), ...(facts?.currencies ?? [])].map((code) => code.toLowerCase());
  const words = [operation?.category, facts?.category, ...(facts?.capabilities ?? [])].filter(
    (word) => word !== undefined,
  );
  return [...new Set([...tags, ...words, ...places])];
}
