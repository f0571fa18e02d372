import { isJsonObject, type JsonObject } from "../model/json.js";

const LONGEST_TEXT = 8_192;
const TRANSLATED = ["command", "args", "env", "cwd", "url", "headers", "envFile"];

/** The entry with the texts of its connection translated; names of variables and headers stay as they are. */
export function translateTexts(entry: unknown, translate: (text: string) => string): unknown {
  if (!isJsonObject(entry)) return entry;
  return Object.fromEntries(
    Object.entries(entry).map(([key, value]) => [key, TRANSLATED.includes(key) ? mapTexts(value, translate) : value]),
  );
}

function mapTexts(value: unknown, translate: (text: string) => string): unknown {
  // What is too long is refused afterwards, and not worth the time before.
  if (typeof value === "string") return value.length > LONGEST_TEXT ? value : translate(value);
  if (Array.isArray(value)) return value.map((item) => (typeof item === "string" ? mapTexts(item, translate) : item));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value satisfies JsonObject).map(([key, member]) => [
      key,
      typeof member === "string" ? mapTexts(member, translate) : member,
    ]),
  );
}
