import type { JsonObject } from "../model/json.js";
import { BOUNDS } from "./type-bounds.js";

const OF_OBJECTS = [
  "properties",
  "required",
  "additionalProperties",
  "unevaluatedProperties",
  "patternProperties",
  "propertyNames",
];
const OF_ARRAYS = ["items", "prefixItems", "additionalItems"];

/** For each type, the JSON Schema keywords that apply only to it, including bounds. */
export const KEYWORDS: Readonly<Record<string, ReadonlySet<string>>> = {
  string: new Set(BOUNDS["string"]),
  number: new Set(BOUNDS["number"]),
  integer: new Set(BOUNDS["number"]),
  array: new Set([...(BOUNDS["array"] ?? []), ...OF_ARRAYS]),
  object: new Set([...(BOUNDS["object"] ?? []), ...OF_OBJECTS]),
  boolean: new Set(),
  null: new Set(),
};

const IMPLYING = ["object", "array", "number", "string"] as const;

/** The types that a schema names, otherwise the type that its keywords imply. */
export function typesOf(schema: JsonObject): readonly string[] | undefined {
  const type = schema["type"];
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type.filter((one) => typeof one === "string");
  const keys = Object.keys(schema).filter((key) => key !== "format" && schema[key] !== undefined);
  const isAbout = (one: string) => keys.some((key) => KEYWORDS[one]?.has(key) === true);
  const implied = IMPLYING.find(isAbout) ?? (schema["format"] === undefined ? undefined : "string");
  return implied === undefined ? undefined : [implied];
}

export function typeOfValue(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

export function isOfType(value: unknown, types: readonly string[]): boolean {
  const type = typeOfValue(value);
  return types.includes(type) || (type === "integer" && types.includes("number"));
}
