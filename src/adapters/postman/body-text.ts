import { substitute, type PostmanValues } from "./variables.js";

const MAX_LENGTH = 262_144;

/** Parses the JSON text of a `raw` body. Removes comments; replaces unquoted variables without a value with null. */
export function parseBodyText(text: string, values: PostmanValues): { readonly value: unknown } | undefined {
  if (text.length > MAX_LENGTH || text.trim() === "") return undefined;
  return parse(substitute(text, values)) ?? parse(text) ?? parse(toPlainJson(substitute(text, values)));
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

const TOKEN = /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[^]*?\*\/|\{\{[^{}]*\}\}/g;

function toPlainJson(text: string): string {
  return text
    .replace(TOKEN, (token) => (token.startsWith('"') ? token : token.startsWith("{{") ? "null" : ""))
    .replace(/,(\s*[}\]])/g, "$1");
}
