import { isJsonObject } from "../../model/json.js";
import { canonicalJson } from "../../util/json/canonical.js";
import { shownName, shownValue } from "./shown-text.js";

const MAX_VALUES = 5;

/** A short description of a schema's type, for display. */
export function typeLabel(schema: unknown): string {
  if (schema === false) return "nothing";
  if (!isJsonObject(schema)) return "any";
  const { type, $ref: reference } = schema;
  if (typeof type === "string") return shownName(type);
  if (Array.isArray(type)) return shownName(type.map(String).join(" or "));
  if (typeof reference === "string") return shownName(reference.split("/").at(-1) ?? reference);
  if (Array.isArray(schema["enum"])) return `one of ${schema["enum"].length} values`;
  return ["anyOf", "oneOf", "allOf", "properties", "const"].some((keyword) => Object.hasOwn(schema, keyword))
    ? "structured"
    : "any";
}

/** The items that were added and removed, for display: `+ "a", "b"; - "c"`. */
export function listChange(before: unknown, after: unknown): string {
  if (!Array.isArray(before) || !Array.isArray(after)) return `${shownValue(before)} → ${shownValue(after)}`;
  const parts = [
    { sign: "+", items: missingFrom(before, after) },
    { sign: "-", items: missingFrom(after, before) },
  ].filter(({ items }) => items.length > 0);
  return parts.map(({ sign, items }) => `${sign} ${shownItems(items)}`).join("; ") || "reordered";
}

function shownItems(items: readonly unknown[]): string {
  const shown = items.slice(0, MAX_VALUES).map(shownValue).join(", ");
  return items.length > MAX_VALUES ? `${shown} and ${items.length - MAX_VALUES} more` : shown;
}

/** The items of `others` that `list` does not have. */
function missingFrom(list: readonly unknown[], others: readonly unknown[]): readonly unknown[] {
  const known = new Set(list.map(canonicalJson));
  return others.filter((item) => !known.has(canonicalJson(item)));
}
