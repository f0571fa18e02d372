import type { JsonObject } from "../model/json.js";
import { toLiteralPattern } from "./type-literal.js";

/** Words that type expressions use after a type. A format with such a name would be ambiguous. */
const RESERVED = /^(?:chars|items|keys|unique|multiple|deprecated|read-only|write-only|e\.g\.)$/;

/** For each type, the JSON Schema keywords that bound its values. `toBounds` can express all of them. */
export const BOUNDS: Readonly<Record<string, readonly string[]>> = {
  string: ["format", "minLength", "maxLength", "pattern", "contentEncoding", "contentMediaType"],
  number: ["format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  array: ["minItems", "maxItems", "uniqueItems"],
  object: ["minProperties", "maxProperties"],
};

/**
 * The bounds of a type as text, such as ` 1..100`, ` date-time` or ` /^a/`; undefined if a bound cannot be expressed.
 */
export function toBounds(type: string, schema: JsonObject): string | undefined {
  const kind = type === "integer" ? "number" : type;
  const given = (BOUNDS[kind] ?? []).filter((keyword) => schema[keyword] !== undefined);
  if (given.length === 0) return "";
  if (!given.every((keyword) => isExpressible(keyword, schema[keyword]))) return undefined;
  if (kind === "string") return ofText(schema);
  if (kind === "number") return ofNumber(schema);
  if (kind === "array") {
    const unique = schema["uniqueItems"] === true ? " unique" : "";
    return `${range(schema["minItems"], schema["maxItems"], " items")}${unique}`;
  }
  return range(schema["minProperties"], schema["maxProperties"], " keys");
}

function isExpressible(keyword: string, value: unknown): boolean {
  switch (keyword) {
    case "format":
      return typeof value === "string" && /^[a-z][\w.:-]*$/iu.test(value) && !RESERVED.test(value);
    case "contentEncoding":
    case "contentMediaType":
      return typeof value === "string" && /^[\w.+/-]+$/u.test(value);
    case "pattern":
      // A pattern that starts with `*` is not a valid regular expression, and `/*` would look like a comment.
      return typeof value === "string" && /^[^*\p{Cc}]\P{Cc}*$/u.test(value) && !/(?:^|[^\\])(?:\\\\)*\\$/u.test(value);
    case "uniqueItems":
      return typeof value === "boolean";
    case "exclusiveMinimum":
    case "exclusiveMaximum":
      // In JSON Schema up to draft 4, the value is a boolean.
      return typeof value === "number" || typeof value === "boolean";
    default:
      return typeof value === "number";
  }
}

function ofText(schema: JsonObject): string {
  const { format, pattern, contentEncoding, contentMediaType } = schema;
  return [
    typeof format === "string" ? ` ${format}` : "",
    range(schema["minLength"], schema["maxLength"], " chars"),
    typeof pattern === "string" ? ` ${toLiteralPattern(pattern)}` : "",
    typeof contentEncoding === "string" ? ` encoding=${contentEncoding}` : "",
    typeof contentMediaType === "string" ? ` media=${contentMediaType}` : "",
  ].join("");
}

function ofNumber(schema: JsonObject): string {
  const { format, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const above = exclusiveMinimum === true ? minimum : exclusiveMinimum;
  const below = exclusiveMaximum === true ? maximum : exclusiveMaximum;
  return [
    typeof format === "string" ? ` ${format}` : "",
    range(exclusiveMinimum === true ? undefined : minimum, exclusiveMaximum === true ? undefined : maximum, ""),
    isLow(above) ? ` >${above}` : "",
    isHigh(below) ? ` <${below}` : "",
    typeof multipleOf === "number" ? ` multiple of ${multipleOf}` : "",
  ].join("");
}

function range(low: unknown, high: unknown, unit: string): string {
  const min = isLow(low) && !(low === 0 && unit !== "") ? String(low) : "";
  const max = isHigh(high) ? String(high) : "";
  if (min === "" && max === "") return "";
  return min === max && unit !== "" ? ` ${min}${unit}` : ` ${min}..${max}${unit}`;
}

/** Whether the value is a real lower bound. Generators write the smallest integer for "no bound". */
function isLow(value: unknown): value is number {
  return typeof value === "number" && value > -Number.MAX_SAFE_INTEGER;
}

function isHigh(value: unknown): value is number {
  return typeof value === "number" && value < Number.MAX_SAFE_INTEGER;
}
