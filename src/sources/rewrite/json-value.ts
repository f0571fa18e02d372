import { isJsonObject } from "../../model/json.js";

/** The format of a JSON value: on several lines, on one line with spaces, or compact. */
export interface JsonStyle {
  readonly step: string;
  readonly layout: "lines" | "line" | "compact";
}

/**
 * Writes a value as JSON text. With the layout `lines`, each member of a map is on its own line; a list of scalars
 * stays on one line.
 */
export function toJsonText(value: unknown, { step, layout }: JsonStyle): string {
  if (layout === "compact") return JSON.stringify(value);
  return layout === "line" ? inline(value) : lines(value, step, "\n");
}

function lines(value: unknown, step: string, lineBreak: string): string {
  const inner = `${lineBreak}${step}`;
  const write = (member: unknown): string => lines(member, step, inner);
  if (Array.isArray(value)) {
    if (value.every((item) => typeof item !== "object" || item === null)) return inline(value);
    return `[${inner}${value.map(write).join(`,${inner}`)}${lineBreak}]`;
  }
  if (!isJsonObject(value) || Object.keys(value).length === 0) return inline(value);
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${write(member)}`);
  return `{${inner}${members.join(`,${inner}`)}${lineBreak}}`;
}

function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${inline(member)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}
