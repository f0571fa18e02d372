import { styleOf } from "./text-style.js";

/** The text of a `.env` file with variables added at its end; what it says already stays as it is. */
export function addVariables(text: string, variables: ReadonlyMap<string, string>): string {
  if (variables.size === 0) return text;
  const { lineBreak } = styleOf(text);
  const gap = text === "" || text.endsWith("\n") ? "" : lineBreak;
  const lines = [...variables].map(([name, value]) => `${name}=${quote(value)}${lineBreak}`);
  return `${text}${gap}${lines.join("")}`;
}

/** Single quotes take everything as it is but themselves; a line break is spelt out, so that each variable has its line. */
function quote(value: string): string {
  if (!/['\r\n]/.test(value)) return `'${value}'`;
  const escaped = value
    .replace(/[\\"$]/g, "\\$&")
    .replaceAll("\n", "\\n")
    .replaceAll("\r", "\\r");
  return `"${escaped}"`;
}
