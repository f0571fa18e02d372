import { isJsonObject } from "../model/json.js";

const isNumber = (value: unknown): boolean => typeof value === "number";
const isStringArray = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

/** Keywords that are evaluated in linear time, each with a check of the keyword's value in the schema. */
const LINEAR_KEYWORDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  type: (value) => typeof value === "string" || isStringArray(value),
  required: isStringArray,
  enum: Array.isArray,
  const: () => true,
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  minLength: isNumber,
  maxLength: isNumber,
  minItems: isNumber,
  maxItems: isNumber,
  minProperties: isNumber,
  maxProperties: isNumber,
};

/** JSON Schema keywords that only document the schema; a validator ignores them. */
const ANNOTATIONS = new Set([
  "title",
  "description",
  "default",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
  "$comment",
]);

const MAX_LIST_LENGTH = 100;
const MAX_SCHEMA_PARTS = 1000;
const MAX_VALUE_PARTS = 1000;

/**
 * Whether no value can make the evaluation of the schema slow: it has no patterns, references, formats or combinations,
 * only known keywords. About 80 % of real tools have such a schema; their arguments are checked without the worker.
 */
export function isPlainSchema(schema: unknown): boolean {
  return isSmall(schema, MAX_SCHEMA_PARTS) && isPlain(schema, 0);
}

function isPlain(schema: unknown, depth: number): boolean {
  if (typeof schema === "boolean") return true;
  if (!isJsonObject(schema) || depth > 8) return false;
  return Object.entries(schema).every(([keyword, value]) => {
    if (ANNOTATIONS.has(keyword)) return true;
    if (keyword === "$schema") return depth === 0;
    if (Object.hasOwn(LINEAR_KEYWORDS, keyword)) {
      return LINEAR_KEYWORDS[keyword]?.(value) === true && (!Array.isArray(value) || value.length <= MAX_LIST_LENGTH);
    }
    if (keyword === "items" || keyword === "additionalProperties") return isPlain(value, depth + 1);
    return keyword === "properties" && isPlainMap(value, depth + 1);
  });
}

function isPlainMap(value: unknown, depth: number): boolean {
  if (!isJsonObject(value)) return false;
  const schemas = Object.values(value);
  return schemas.length <= MAX_LIST_LENGTH && schemas.every((schema) => isPlain(schema, depth));
}

/** Whether the value is small enough to be checked on the main thread without blocking the event loop. */
export function isSmallValue(value: unknown): boolean {
  return isSmall(value, MAX_VALUE_PARTS);
}

function isSmall(value: unknown, maxParts: number): boolean {
  const open = [value];
  for (let parts = 0; open.length > 0; parts++) {
    if (parts + open.length > maxParts) return false;
    const next = open.pop();
    if (typeof next === "object" && next !== null) for (const member of Object.values(next)) open.push(member);
  }
  return true;
}
