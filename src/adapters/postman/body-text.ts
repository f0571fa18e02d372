import { substitute, type Values } from "./variables.js";

const LONGEST = 262_144;

/** The JSON that a raw body means: comments are left out, and a variable without a value that stands alone means null. */
export function parseBodyText(text: string, values: Values): { readonly value: unknown } | undefined {
  if (text.length > LONGEST || text.trim() === "") return undefined;
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
