import { styleOf } from "./text-style.js";

/** Appends variables to the text of a `.env` file; the existing text is unchanged. */
export function addVariables(text: string, variables: ReadonlyMap<string, string>): string {
  if (variables.size === 0) return text;
  const { lineBreak } = styleOf(text);
  const gap = text === "" || text.endsWith("\n") ? "" : lineBreak;
  const lines = [...variables].map(([name, value]) => `${name}=${quote(value)}${lineBreak}`);
  return `${text}${gap}${lines.join("")}`;
}

/**
 * Single quotes keep all characters literally. A value with a single quote or a line break is written in double quotes
 * with escapes, so that each variable takes one line.
 */
function quote(value: string): string {
  if (!/['\r\n]/.test(value)) return `'${value}'`;
  const escaped = value
    .replace(/[\\"$]/g, "\\$&")
    .replaceAll("\n", "\\n")
    .replaceAll("\r", "\\r");
  return `"${escaped}"`;
}
