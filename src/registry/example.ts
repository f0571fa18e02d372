import { isJsonObject, type JsonObject } from "../model/json.js";
import type { Tool } from "../model/tool.js";
import { toPatternText } from "./pattern-text.js";
import { followReference } from "../util/schema-reference.js";

/** The deepest level of generated values. Deeper values do not help to understand a call. */
const MAX_DEPTH = 5;
const MAX_VALUES = 200;
/**
 * The longest example in characters of JSON. Hand-written ones are shorter; a longer one is probably a recorded
 * response.
 */
const MAX_LENGTH = 4_000;

/**
 * Returns an example request: the example of the API document or tool file, completed with generated values for missing
 * required arguments.
 */
export function toOperationExample(tool: Tool): JsonObject {
  return { ...generate(tool.definition.inputSchema), ...writtenExample(tool) };
}

/** Whether the API document or the tool file has an example of the request. */
export function hasWrittenExample(tool: Tool): boolean {
  return writtenExample(tool) !== undefined;
}

function writtenExample({ definition: { inputSchema: root }, operation }: Tool): JsonObject | undefined {
  const written = operation?.example ?? firstObject(root["examples"]) ?? root["example"];
  return isJsonObject(written) && isShort(written) ? written : undefined;
}

function isShort(value: unknown): boolean {
  return JSON.stringify(value).length <= MAX_LENGTH;
}

interface Making {
  readonly root: JsonObject;
  readonly maxDepth: number;
  valuesLeft: number;
}

/**
 * Generates an example. Reduces the depth until it is small enough, so that deep values are dropped rather than
 * arguments.
 */
function generate(root: JsonObject): JsonObject {
  for (let maxDepth = MAX_DEPTH; maxDepth >= 1; maxDepth -= 1) {
    const making = { root, maxDepth, valuesLeft: MAX_VALUES };
    const made = objectFrom(root, making, 0);
    if (making.valuesLeft >= 0 && isShort(made)) return made;
  }
  return {};
}

function firstObject(examples: unknown): unknown {
  return Array.isArray(examples) ? examples.find(isJsonObject) : undefined;
}

function fromSchema(schema: unknown, making: Making, depth: number): unknown {
  making.valuesLeft -= 1;
  if (!isJsonObject(schema) || depth > making.maxDepth || making.valuesLeft < 0) return {};
  const stated = statedValue(schema);
  if (stated !== undefined && isShort(stated)) return stated;
  const { $ref: reference } = schema;
  if (typeof reference === "string") {
    return fromSchema(followReference(reference, making.root), making, depth + 1);
  }
  const choice = [schema["oneOf"], schema["anyOf"]].find((options) => Array.isArray(options) && options.length > 0);
  const type = typeOf(schema);
  if (type === undefined && Array.isArray(choice)) return fromSchema(choice[0], making, depth + 1);
  if (type === "object" || (type === undefined && hasMembers(schema))) return objectFrom(schema, making, depth);
  if (type === "array") return [fromSchema(schema["items"] ?? {}, making, depth + 1)];
  return scalarFrom(schema, type);
}

/** The value that the schema itself contains: its example, default, constant or first enum value. */
function statedValue({ const: only, example, examples, default: preset, enum: values }: JsonObject): unknown {
  if (only !== undefined) return only;
  if (example !== undefined) return example;
  if (Array.isArray(examples) && examples.length > 0) return examples[0];
  if (preset !== undefined && preset !== null) return preset;
  return Array.isArray(values) ? values[0] : undefined;
}

function typeOf({ type }: JsonObject): string | undefined {
  if (Array.isArray(type)) return type.find((one): one is string => typeof one === "string" && one !== "null");
  return typeof type === "string" ? type : undefined;
}

function hasMembers({ properties, allOf }: JsonObject): boolean {
  return isJsonObject(properties) || Array.isArray(allOf);
}

function objectFrom(schema: JsonObject, making: Making, depth: number): JsonObject {
  const { properties, required = [], allOf } = schema;
  const members = isJsonObject(properties) ? properties : {};
  const made: JsonObject = {};
  for (const part of Array.isArray(allOf) ? allOf : []) {
    if (making.valuesLeft < 0) break;
    const value = fromSchema(part, making, depth + 1);
    if (isJsonObject(value)) Object.assign(made, value);
  }
  for (const name of Array.isArray(required) ? required : []) {
    if (making.valuesLeft < 0) break;
    if (typeof name !== "string" || name === "__proto__") continue;
    made[name] = fromSchema(Object.hasOwn(members, name) ? members[name] : { type: "string" }, making, depth + 1);
  }
  return made;
}

const FORMATS: Readonly<Record<string, string>> = {
  email: "name@example.com",
  date: "2026-01-31",
  "date-time": "2026-01-31T12:00:00Z",
  time: "12:00:00Z",
  uuid: "123e4567-e89b-42d3-a456-426614174000",
  uri: "https://example.com/",
  url: "https://example.com/",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
};

function scalarFrom(schema: JsonObject, type: string | undefined): unknown {
  if (type === "boolean") return true;
  if (type === "null") return null;
  if (type === "integer" || type === "number") return numberFrom(schema);
  const { format, pattern, minLength, maxLength } = schema;
  const fitting = typeof pattern === "string" ? toPatternText(pattern) : undefined;
  if (fitting !== undefined) return fitting;
  const text = (typeof format === "string" ? FORMATS[format] : undefined) ?? "text";
  const min = typeof minLength === "number" && minLength < 1_000 ? minLength : 0;
  const max = typeof maxLength === "number" ? maxLength : Infinity;
  return text.padEnd(min, "x").slice(0, max);
}

function numberFrom({ minimum, exclusiveMinimum, maximum }: JsonObject): number {
  if (typeof minimum === "number") return minimum;
  if (typeof exclusiveMinimum === "number") return exclusiveMinimum + 1;
  return typeof maximum === "number" && maximum < 1 ? maximum : 1;
}
