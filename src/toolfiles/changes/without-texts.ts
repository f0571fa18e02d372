import { isJsonObject, type JsonObject } from "../../model/json.js";

/** JSON Schema keywords that only document a schema and do not affect validation. */
export const TEXT_KEYWORDS: ReadonlySet<string> = new Set([
  "title",
  "description",
  "markdownDescription",
  "examples",
  "example",
  "$comment",
  "deprecated",
]);
/** Keywords whose value is a map of schemas with names chosen by the author. */
const NAMED = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);
/** JSON Schema keywords whose value is data, not a schema. */
const DATA = new Set(["enum", "const", "default", "required"]);

/** Returns the schema without the keywords that only document it. */
export function withoutTexts(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutTexts);
  if (!isJsonObject(schema)) return schema;
  const kept = Object.entries(schema).filter(([keyword]) => !TEXT_KEYWORDS.has(keyword));
  return Object.fromEntries(kept.map(([keyword, value]) => [keyword, inside(keyword, value)]));
}

function inside(keyword: string, value: unknown): unknown {
  if (DATA.has(keyword)) return value;
  if (!NAMED.has(keyword) || !isJsonObject(value)) return withoutTexts(value);
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, withoutTexts(schema)]));
}

export function membersOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
