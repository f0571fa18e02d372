import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { Tool } from "../../model/tool.js";
import type { Policy } from "../../policy/policy.js";
import type { RateBucket } from "../../policy/ruling.js";
import { hasWrittenExample } from "../../registry/example.js";
import type { Operation } from "../../registry/operation.js";
import { describeTool, type ToolDetails, type ToolParameter, toolUri } from "../describe-tool.js";

interface ReadyParts {
  readonly policy: Policy;
  /** Values of parameters that the query states. They replace those of the example. */
  readonly stated?: JsonObject;
}

/**
 * Returns everything that a caller needs to call the tool, so that no further look-up is necessary. Every parameter is
 * in `param_schemas`, unless `omitted` says otherwise; those that are not in `required_params` are optional.
 */
export function toReady(tool: Tool, operation: Operation, { policy, stated = {} }: ReadyParts): JsonObject {
  const { parameters, additional, types, inputSchema, omitted, full } = describeWithinLimit(tool, operation);
  const example = toExample(tool, operation, stated);
  const constraints = toStrictConstraints(tool, operation, policy);
  return {
    required_params: operation.required_params,
    param_schemas: Object.fromEntries(parameters.map((parameter) => [parameter.name, toParamSchema(parameter)])),
    ...(additional === undefined ? {} : { additional_params: additional }),
    ...(types === undefined ? {} : { types }),
    ...(inputSchema === undefined ? {} : { input_schema: inputSchema }),
    ...(omitted === undefined ? {} : { omitted }),
    ...(full === undefined ? {} : { full_schema: full }),
    ...(example === undefined ? {} : { example }),
    ...(Object.keys(constraints).length > 0 ? { constraints } : {}),
  };
}

/**
 * The example of the document, with the values that the query states. Without both, undefined: a generated example has
 * only placeholders and repeats the types.
 */
function toExample(tool: Tool, operation: Operation, stated: JsonObject): JsonObject | undefined {
  if (hasWrittenExample(tool)) return { ...operation.example_request, ...stated };
  return Object.keys(stated).length > 0 ? stated : undefined;
}

/** The constraints that restrict a call: a risk above low, and what the call needs besides its parameters. */
function toStrictConstraints(tool: Tool, operation: Operation, policy: Policy): JsonObject {
  const constraints = Object.entries(toConstraints(tool, operation, policy));
  return Object.fromEntries(constraints.filter(([, value]) => value !== false && value !== null && value !== "low"));
}

/** The maximum size of parameter descriptions in a result, in characters: about 1,500 tokens. */
const MAX_LENGTH = 6_000;
const LARGE_PARAMETER = 400;

/**
 * Describes the parameters of a tool. If the result would be too large, all large optional parameters are omitted, and
 * of the other optional parameters those after the first `MAX_LENGTH / 2` characters.
 */
function describeWithinLimit(tool: Tool, { required_params: required }: Operation): ToolDetails {
  // Without the description of the tool, `full` is set only if parameters are cut.
  const complete = describeTool({ ...tool, definition: { ...tool.definition, description: "" } });
  const { inputSchema: root } = tool.definition;
  const { properties } = root;
  if (lengthOf(complete) <= MAX_LENGTH || !isJsonObject(properties)) return complete;
  let length = 0;
  const isDescribed = (parameter: ToolParameter): boolean => {
    if (parameter.required || required.includes(parameter.name)) return true;
    const size = JSON.stringify(parameter).length;
    if (size <= LARGE_PARAMETER) length += size;
    return size <= LARGE_PARAMETER && length <= MAX_LENGTH / 2;
  };
  const described = new Set(complete.parameters.filter(isDescribed).map(({ name }) => name));
  const members = Object.fromEntries(Object.entries(properties).filter(([name]) => described.has(name)));
  const definition = { ...tool.definition, inputSchema: { ...root, properties: members } };
  const omittedCount = Object.keys(properties).length - described.size;
  const short = describeTool({ ...tool, definition });
  return { ...short, omitted: [...(short.omitted ?? []), `${omittedCount} optional parameters`], full: toolUri(tool) };
}

function lengthOf({ parameters, types, inputSchema }: ToolDetails): number {
  return JSON.stringify({ parameters, types, inputSchema }).length;
}

/**
 * Converts a parameter to its type and description in one text, for example `integer 1..100: How many to return`. Only
 * a parameter that no type expression can describe is an object with its JSON Schema.
 */
function toParamSchema({ type, description, schema }: ToolParameter): JsonObject | string {
  if (schema !== undefined) return { type, ...(description === undefined ? {} : { description }), schema };
  return description === undefined ? type : `${type}: ${description}`;
}

export function toConstraints(tool: Tool, operation: Operation, policy: Policy): JsonObject {
  const { bucket } = policy.ruling(tool);
  const { required_scopes: scopes } = operation;
  return {
    risk_level: operation.risk_level,
    requires_idempotency: operation.idempotency_required,
    requires_confirmation: operation.confirmation_required,
    rate_limit: bucket === undefined ? null : toRate(bucket),
    ...(scopes.length > 0 ? { required_scopes: scopes } : {}),
  };
}

const SPANS: ReadonlyMap<number, string> = new Map([
  [1_000, "s"],
  [60_000, "min"],
  [3_600_000, "h"],
  [86_400_000, "day"],
]);

/** Formats a rate limit, for example `100 req/min`. */
export function toRate({ calls, perMs }: RateBucket): string {
  return `${calls} req/${SPANS.get(perMs) ?? `${perMs / 1000} s`}`;
}

/**
 * Returns the required parameters that still need a value. Omits those whose value the query states, and those with
 * only one possible value or a default.
 */
export function toMissingInputs(
  tool: Tool,
  { required_params: required }: Operation,
  stated: JsonObject = {},
): readonly string[] {
  const { properties } = tool.definition.inputSchema;
  const members = isJsonObject(properties) ? properties : {};
  const schemaOf = (field: string): unknown => (Object.hasOwn(members, field) ? members[field] : undefined);
  return required.filter((field) => !Object.hasOwn(stated, field) && !hasOwnValue(schemaOf(field)));
}

/** Whether the document already says which value to send. */
function hasOwnValue(schema: unknown): boolean {
  if (!isJsonObject(schema)) return false;
  const { enum: values } = schema;
  return (
    schema["const"] !== undefined || schema["default"] !== undefined || (Array.isArray(values) && values.length === 1)
  );
}
