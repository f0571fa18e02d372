import { isJsonObject } from "../model/json.js";

const isNumber = (value: unknown): boolean => typeof value === "number";
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((item) => typeof item === "string");

/** Keywords whose evaluation takes time in proportion to the value alone, and the only shape in which they are plain. */
const SCALARS: Readonly<Record<string, (value: unknown) => boolean>> = {
  type: (value) => typeof value === "string" || isTexts(value),
  required: isTexts,
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

/** Keywords that say something to people and nothing to a validator. */
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

const LONGEST_LIST = 100;
const LARGEST_SCHEMA = 1000;
const LARGEST_VALUE = 1000;

/**
 * Whether a schema is so plain that no value can make it slow: no patterns, references, formats or combinations, only
 * known keywords. Four of five real tools are; their arguments need no worker.
 */
export function isPlainSchema(schema: unknown): boolean {
  return isSmall(schema, LARGEST_SCHEMA) && isPlain(schema, 0);
}

function isPlain(schema: unknown, depth: number): boolean {
  if (typeof schema === "boolean") return true;
  if (!isJsonObject(schema) || depth > 8) return false;
  return Object.entries(schema).every(([keyword, value]) => {
    if (ANNOTATIONS.has(keyword)) return true;
    if (keyword === "$schema") return depth === 0;
    if (Object.hasOwn(SCALARS, keyword)) {
      return SCALARS[keyword]?.(value) === true && (!Array.isArray(value) || value.length <= LONGEST_LIST);
    }
    if (keyword === "items" || keyword === "additionalProperties") return isPlain(value, depth + 1);
    return keyword === "properties" && isPlainMap(value, depth + 1);
  });
}

function isPlainMap(value: unknown, depth: number): boolean {
  if (!isJsonObject(value)) return false;
  const schemas = Object.values(value);
  return schemas.length <= LONGEST_LIST && schemas.every((schema) => isPlain(schema, depth));
}

/** Whether the value has few enough parts to be checked between two turns of the event loop. */
export function isSmallValue(value: unknown): boolean {
  return isSmall(value, LARGEST_VALUE);
}

function isSmall(value: unknown, mostParts: number): boolean {
  const open = [value];
  for (let parts = 0; open.length > 0; parts++) {
    if (parts + open.length > mostParts) return false;
    const next = open.pop();
    if (typeof next === "object" && next !== null) for (const member of Object.values(next)) open.push(member);
  }
  return true;
}
