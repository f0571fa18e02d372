import { isJsonObject, type JsonObject } from "../../model/json.js";
import { hasVariable } from "./secret.js";

const DEEPEST = 12;
const LONGEST_EXAMPLE = 200;

/** What a value given as an example tells of its kind. Nothing is said to be required: an example cannot know. */
export function inferSchema(value: unknown, depth = 0): JsonObject {
  if (value === null || depth > DEEPEST) return {};
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
  const isExample = text !== "" && text.length <= LONGEST_EXAMPLE && !hasVariable(text);
  return { type: "string", ...(isExample ? { example: text } : {}) };
}

/** Of a value that travels as text, such as one in a query: a number may be given as one. */
export function inferTextSchema(text: string): JsonObject {
  if (/^-?\d{1,15}(?:\.\d{1,10})?$/.test(text)) return { type: ["number", "string"], example: Number(text) };
  if (text === "true" || text === "false") return { type: ["boolean", "string"], example: text === "true" };
  return inferText(text);
}
