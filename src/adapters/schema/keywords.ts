import { numberFault } from "../../util/json/number-fault.js";
import { toPlainValue } from "../plain-value.js";
import { toPlainText } from "../text.js";

const MAX_DESCRIPTION_LENGTH = 1_500;
const MAX_PATTERN_LENGTH = 1_000;
const MAX_VALUES = 10_000;
const MAX_LIST_LENGTH = 1_000;

/** Converts the value of a JSON Schema keyword. If the function returns undefined, the keyword is dropped. */
type Keep = (value: unknown) => unknown;

const keepNumber: Keep = (value) => (typeof value === "number" && numberFault(value) === undefined ? value : undefined);
const keepCount: Keep = (value) => (Number.isSafeInteger(value) && Number(value) >= 0 ? value : undefined);
const keepTrue: Keep = (value) => (value === true ? true : undefined);
const keepWord: Keep = (value) =>
  typeof value === "string" && value.length <= 200 && value.isWellFormed() && !value.includes("\0") ? value : undefined;
const keepValue: Keep = (value) => {
  const plain = toPlainValue(value)?.value;
  return plain !== undefined && JSON.stringify(plain).length <= 2_000 ? plain : undefined;
};

/**
 * Drops patterns that do not compile, because they would reject every value. The validator limits the run time of valid
 * patterns.
 */
const keepPattern: Keep = (value) => {
  if (typeof value !== "string" || value.length > MAX_PATTERN_LENGTH || value.includes("\0")) return undefined;
  try {
    return new RegExp(value, "u").source === "" ? undefined : value;
  } catch {
    return undefined;
  }
};

const keepChoices: Keep = (value) => {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_VALUES) return undefined;
  const plain = value.map(toPlainValue);
  return plain.every((one) => one !== undefined) ? plain.map((one) => one.value) : undefined;
};

const keepNames: Keep = (value) => {
  if (!Array.isArray(value)) return undefined;
  const names = [...new Set(value.filter((name) => typeof name === "string"))].slice(0, MAX_LIST_LENGTH);
  return names.length === 0 ? undefined : names;
};

/**
 * Keywords whose values contain no schemas. Keywords that are neither here nor in `SCHEMA_KEYWORDS` are dropped,
 * because they do not help to fill in arguments.
 */
export const PLAIN_KEYWORDS: ReadonlyMap<string, Keep> = new Map([
  ["description", (value) => toPlainText(value, MAX_DESCRIPTION_LENGTH)],
  ["format", keepWord],
  ["enum", keepChoices],
  ["const", keepValue],
  ["default", keepValue],
  ["minimum", keepNumber],
  ["maximum", keepNumber],
  ["exclusiveMinimum", keepNumber],
  ["exclusiveMaximum", keepNumber],
  ["multipleOf", (value) => (typeof value === "number" && value > 0 ? keepNumber(value) : undefined)],
  ["minLength", keepCount],
  ["maxLength", keepCount],
  ["minItems", keepCount],
  ["maxItems", keepCount],
  ["minProperties", keepCount],
  ["maxProperties", keepCount],
  ["uniqueItems", keepTrue],
  ["deprecated", keepTrue],
  ["pattern", keepPattern],
  ["contentEncoding", keepWord],
  ["contentMediaType", keepWord],
  ["required", keepNames],
]);

/** JSON Schema keywords whose value is one schema, a list of schemas or a map of schemas. */
export const SCHEMA_KEYWORDS: ReadonlyMap<string, "schema" | "list" | "map"> = new Map([
  ["items", "schema"],
  ["additionalProperties", "schema"],
  ["not", "schema"],
  ["contains", "schema"],
  ["propertyNames", "schema"],
  ["if", "schema"],
  ["then", "schema"],
  ["else", "schema"],
  ["allOf", "list"],
  ["anyOf", "list"],
  ["oneOf", "list"],
  ["prefixItems", "list"],
  ["properties", "map"],
  ["patternProperties", "map"],
]);

export const keepsPattern = (pattern: string): boolean => keepPattern(pattern) !== undefined;

const TYPES: ReadonlyMap<string, string> = new Map([
  ...["string", "number", "integer", "boolean", "object", "array", "null"].map((type) => [type, type] as const),
  ["file", "string"],
  ["int", "integer"],
  ["long", "integer"],
  ["float", "number"],
  ["double", "number"],
  ["bool", "boolean"],
]);

/** Converts the keyword `type` to JSON Schema 2020-12; undefined for an unknown type. */
export function toType(type: unknown, isNullable: boolean): string | string[] | undefined {
  const given = (Array.isArray(type) ? type : [type]).flatMap((one) => TYPES.get(String(one)) ?? []);
  if (given.length === 0) return undefined;
  const types = [...new Set(isNullable ? [...given, "null"] : given)];
  return types.length === 1 ? types[0] : types;
}
