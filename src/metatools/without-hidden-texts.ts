import { HIDDEN_MEMBER } from "../executor/flag-hidden-text.js";
import { isJsonObject, type JsonObject } from "../model/json.js";
import { findHiddenText, withoutHiddenText } from "../util/hidden-text.js";

/**
 * Removes hidden characters from the titles and descriptions of an item in a list (a tool, a prompt or a resource) and
 * says so in its `_meta`. Names, URIs and values are not changed, because clients send them back. Returns an item
 * without hidden characters as the same object.
 */
export function withoutHiddenTexts<Item extends JsonObject>(item: Item): Item {
  const found = findHiddenText(item);
  if (found === undefined) return item;
  const meta = item["_meta"];
  const flagged = { ...(isJsonObject(meta) ? meta : {}), [HIDDEN_MEMBER]: { ...found } };
  return { ...(clean(item) as Item), _meta: flagged };
}

const TEXTS: ReadonlySet<string> = new Set(["title", "description"]);

function clean(value: unknown, name = ""): unknown {
  if (typeof value === "string") return TEXTS.has(name) ? withoutHiddenText(value) : value;
  if (Array.isArray(value)) return value.map((one) => clean(one));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, clean(one, key)]));
}
