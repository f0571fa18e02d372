import { isJsonObject, type JsonObject } from "../model/json.js";
import type { Tool } from "../model/tool.js";
import { toPatternText } from "./pattern-text.js";
import { followReference } from "../util/schema-reference.js";

/** Beyond this depth a value says nothing about how a call looks. */
const DEEPEST = 5;
/** What an author wrote by hand is short; a recorded answer is no example. */
const LONGEST_WRITTEN = 4_000;

/** A request that shows how a call looks: the author's own, with what is required and missing made up. */
export function toExample({ definition, operation }: Tool): JsonObject {
  const { inputSchema: root } = definition;
  const written = operation?.example ?? firstObject(root["examples"]) ?? root["example"];
  const isShort = isJsonObject(written) && JSON.stringify(written).length <= LONGEST_WRITTEN;
  return { ...objectFrom(root, root, 0), ...(isShort ? written : {}) };
}

function firstObject(examples: unknown): unknown {
  return Array.isArray(examples) ? examples.find(isJsonObject) : undefined;
}

function fromSchema(schema: unknown, root: JsonObject, depth: number): unknown {
  if (!isJsonObject(schema) || depth > DEEPEST) return {};
  const stated = statedValue(schema);
  if (stated !== undefined) return stated;
  const { $ref: reference } = schema;
  if (typeof reference === "string") return fromSchema(followReference(reference, root), root, depth + 1);
  const choice = [schema["oneOf"], schema["anyOf"]].find((options) => Array.isArray(options) && options.length > 0);
  const type = typeOf(schema);
  if (type === undefined && Array.isArray(choice)) return fromSchema(choice[0], root, depth + 1);
  if (type === "object" || (type === undefined && hasMembers(schema))) return objectFrom(schema, root, depth);
  if (type === "array") return [fromSchema(schema["items"] ?? {}, root, depth + 1)];
  return scalarFrom(schema, type);
}

/** What the schema itself says that a value looks like. */
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

function objectFrom(schema: JsonObject, root: JsonObject, depth: number): JsonObject {
  const { properties, required = [], allOf } = schema;
  const members = isJsonObject(properties) ? properties : {};
  const made: JsonObject = {};
  for (const part of Array.isArray(allOf) ? allOf : []) {
    const value = fromSchema(part, root, depth + 1);
    if (isJsonObject(value)) Object.assign(made, value);
  }
  for (const name of Array.isArray(required) ? required : []) {
    if (typeof name !== "string" || name === "__proto__") continue;
    made[name] = fromSchema(Object.hasOwn(members, name) ? members[name] : { type: "string" }, root, depth + 1);
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
  const least = typeof minLength === "number" && minLength < 1_000 ? minLength : 0;
  const most = typeof maxLength === "number" ? maxLength : Infinity;
  return text.padEnd(least, "x").slice(0, most);
}

function numberFrom({ minimum, exclusiveMinimum, maximum }: JsonObject): number {
  if (typeof minimum === "number") return minimum;
  if (typeof exclusiveMinimum === "number") return exclusiveMinimum + 1;
  return typeof maximum === "number" && maximum < 1 ? maximum : 1;
}
