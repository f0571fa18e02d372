import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { Tool } from "../../model/tool.js";
import type { Policy } from "../../policy/policy.js";
import type { RateBucket } from "../../policy/ruling.js";
import type { Operation } from "../../registry/operation.js";
import { cutAtSentence } from "../../util/cut-at-sentence.js";
import { descriptionOf } from "../../util/type-expression.js";
import { describeTool, type ToolDetails, type ToolParameter, toolUri } from "../describe-tool.js";

/** Returns everything that a caller needs to call the tool, so that no further look-up is necessary. */
interface ReadyParts {
  readonly policy: Policy;
  /** Values of parameters that the query states. They replace those of the example. */
  readonly stated?: JsonObject;
}

export function toReady(tool: Tool, operation: Operation, { policy, stated = {} }: ReadyParts): JsonObject {
  const { parameters, additional, types, inputSchema, omitted, full } = describeWithinLimit(tool, operation);
  return {
    tool_id: tool.id,
    required_params: operation.required_params,
    optional_params: operation.optional_params,
    param_schemas: Object.fromEntries(parameters.map((parameter) => [parameter.name, toParamSchema(parameter)])),
    ...(additional === undefined ? {} : { additional_params: additional }),
    ...(types === undefined ? {} : { types }),
    ...(inputSchema === undefined ? {} : { input_schema: inputSchema }),
    ...(omitted === undefined ? {} : { omitted }),
    ...(full === undefined ? {} : { full_schema: full }),
    example: isJsonObject(operation.example_request) ? { ...operation.example_request, ...stated } : stated,
    constraints: toConstraints(tool, operation, policy),
  };
}

/** The maximum size of parameter descriptions in a result, in characters: about 1,500 tokens. */
const MAX_LENGTH = 6_000;
const LARGE_PARAMETER = 400;

/**
 * Describes the parameters of a tool. If the result would be too large, all large optional parameters are omitted, and
 * of the other optional parameters those after the first `MAX_LENGTH / 2` characters.
 */
function describeWithinLimit(tool: Tool, { required_params: required }: Operation): ToolDetails {
  const complete = describeTool(tool);
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
 * Converts a parameter. `type` is a compact type expression such as `string`, `'open'|'closed'` or `integer 1..100`.
 */
function toParamSchema({ type, description, schema }: ToolParameter): JsonObject {
  return {
    type,
    ...(description === undefined ? {} : { description }),
    ...(schema === undefined ? {} : { schema }),
  };
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

export interface MissingInput {
  readonly field: string;
  readonly question: string;
}

/** The question for a parameter lists its allowed values if there are at most this many. */
const MAX_VALUES = 8;
const MAX_DESCRIPTION_LENGTH = 120;

/**
 * Returns the required parameters, each with a question that the caller has to answer. Omits those whose value the
 * query states, and those with only one possible value or a default.
 */
export function toMissingInputs(
  tool: Tool,
  { required_params: required }: Operation,
  stated: JsonObject = {},
): MissingInput[] {
  const { inputSchema: root } = tool.definition;
  const members = isJsonObject(root["properties"]) ? root["properties"] : {};
  const schemaOf = (field: string): unknown => (Object.hasOwn(members, field) ? members[field] : undefined);
  const isOpen = (field: string): boolean => !Object.hasOwn(stated, field) && !hasOwnValue(schemaOf(field));
  return required.filter(isOpen).map((field) => {
    const schema = schemaOf(field);
    const values = isJsonObject(schema) ? schema["enum"] : undefined;
    const isShort = Array.isArray(values) && values.length > 0 && values.length <= MAX_VALUES;
    const choice = isShort ? ` (${values.map(String).join(", ")})` : "";
    const description = cutAtSentence(descriptionOf(schema, root), MAX_DESCRIPTION_LENGTH);
    return { field, question: `What is "${field}"${choice}? ${description}`.trim() };
  });
}

/** Whether the document already says which value to send. */
function hasOwnValue(schema: unknown): boolean {
  if (!isJsonObject(schema)) return false;
  const { enum: values } = schema;
  return (
    schema["const"] !== undefined || schema["default"] !== undefined || (Array.isArray(values) && values.length === 1)
  );
}
