import { isJsonObject, type JsonObject } from "../model/json.js";

/** Longer than any description that helps a reader. A server can send megabytes. */
export const MAX_SHOWN_TEXT = 10_000;

const TEXTS: ReadonlySet<string> = new Set(["title", "description"]);
/** Members of a schema that contain values, which must not change. */
const VALUES: ReadonlySet<string> = new Set(["default", "const", "enum", "examples", "_meta"]);

/** Cuts a text that is too long to show, and says how much is missing. */
export function cutText(text: string, length: number = MAX_SHOWN_TEXT): string {
  if (text.length <= length) return text;
  // Do not cut between the two halves of a character.
  const end = /[\uD800-\uDBFF]/.test(text[length - 1] ?? "") ? length - 1 : length;
  return `${text.slice(0, end)}… (${text.length - end} more characters)`;
}

/** Cuts the titles and descriptions in a definition. Returns a definition without long texts as the same object. */
export function withBoundedTexts<Item extends JsonObject>(item: Item): Item {
  return bound(item, "") as Item;
}

function bound(value: unknown, name: string): unknown {
  if (typeof value === "string") return TEXTS.has(name) ? cutText(value) : value;
  if (Array.isArray(value)) {
    const items = value.map((one) => bound(one, ""));
    return items.some((one, index) => one !== value[index]) ? items : value;
  }
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(
    ([key, one]) => [key, VALUES.has(key) && name !== "properties" ? one : bound(one, key)] as const,
  );
  return entries.some(([key, one]) => one !== value[key]) ? Object.fromEntries(entries) : value;
}
