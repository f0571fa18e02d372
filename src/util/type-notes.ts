import { isJsonObject, type JsonObject } from "../model/json.js";
import { toLiteral } from "./type-literal.js";

const MARKS = { deprecated: "deprecated", readOnly: "read-only", writeOnly: "write-only" } as const;
const NOTES = new Set(["description", "default", "examples", "example", ...Object.keys(MARKS)]);

/** JSON Schema keywords that do not restrict what a caller may send. */
const SILENT = new Set(["$schema", "$id", "id", "$comment", "$anchor", "$defs", "definitions", "title"]);

export function isNote(keyword: string): boolean {
  return NOTES.has(keyword) || SILENT.has(keyword) || keyword.startsWith("x-");
}

export function defaultOf(schema: unknown): string {
  return isJsonObject(schema) && schema["default"] !== undefined ? ` = ${toLiteral(schema["default"])}` : "";
}

/** The marks that follow a type, such as ` deprecated` and ` read-only`. */
export function marksOf(schema: JsonObject): string {
  return Object.entries(MARKS)
    .map(([key, mark]) => (schema[key] === true ? ` ${mark}` : ""))
    .join("");
}

const EXAMPLES_LENGTH = 40;

/** Up to two examples as text, if they are short and neither in the description nor the default. */
export function examplesOf(schema: JsonObject): string {
  if (schema["examples"] === undefined && schema["example"] === undefined) return "";
  const given = Array.isArray(schema["examples"]) ? schema["examples"] : [schema["example"]];
  const about = typeof schema["description"] === "string" ? schema["description"] : "";
  const text = given
    .slice(0, 2)
    .filter((value) => value !== undefined && value !== null && value !== schema["default"])
    .filter((value) => typeof value === "object" || !about.includes(String(value)))
    .map(toLiteral)
    .join("|");
  return text === "" || text.length > EXAMPLES_LENGTH ? "" : ` e.g. ${text}`;
}
