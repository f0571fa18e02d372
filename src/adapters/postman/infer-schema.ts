import { isJsonObject, type JsonObject } from "../../model/json.js";
import { hasVariable } from "./secret.js";

const MAX_DEPTH = 12;
const MAX_EXAMPLE_LENGTH = 200;

/**
 * Infers a schema from an example value. It never has `required`, because one example does not show which members are
 * optional.
 */
export function inferSchema(value: unknown, depth = 0): JsonObject {
  if (value === null || depth > MAX_DEPTH) return {};
  if (Array.isArray(value)) {
    return { type: "array", ...(value.length === 0 ? {} : { items: inferSchema(value[0], depth + 1) }) };
  }
  if (isJsonObject(value)) {
    const members = Object.entries(value).map(([name, member]) => [name, inferSchema(member, depth + 1)]);
    return members.length === 0
      ? { type: "object", additionalProperties: true }
      : { type: "object", properties: Object.fromEntries(members) };
  }
  if (typeof value === "number") return { type: "number", example: value };
  if (typeof value === "boolean") return { type: "boolean", example: value };
  return typeof value === "string" ? inferText(value) : {};
}

function inferText(text: string): JsonObject {
  const isExample = text !== "" && text.length <= MAX_EXAMPLE_LENGTH && !hasVariable(text);
  return { type: "string", ...(isExample ? { example: text } : {}) };
}

/**
 * Infers a schema for a value that is sent as text, for example in a query string. For a number, it also accepts a
 * string.
 */
export function inferTextSchema(text: string): JsonObject {
  if (/^-?\d{1,15}(?:\.\d{1,10})?$/.test(text)) return { type: ["number", "string"], example: Number(text) };
  if (text === "true" || text === "false") return { type: ["boolean", "string"], example: text === "true" };
  return inferText(text);
}
