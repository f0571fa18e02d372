import { isJsonObject } from "../model/json.js";
import { toOneLine } from "../util/text.js";

const MAX_INPUT_LENGTH = 2_000;
const MAX_REPETITION_LENGTH = 80;
const FILLER = new Set(
  "a an the this that of to for in on by be is are with and or value values parameter param argument optional required string number integer boolean object array list specific given which".split(
    " ",
  ),
);

/**
 * Returns the part of a description that adds information to the parameter's name and type; empty if it only repeats
 * them.
 */
export function toParameterNote(name: string, schema: unknown, description: string): string {
  const line = toOneLine(description.slice(0, MAX_INPUT_LENGTH))
    .replace(/^[([]?(?:optional|required)[)\]]?\s*[:.,–—-]\s*|^[([](?:optional|required)[)\]]\s*/iu, "")
    .replace(/\s*[([](?:optional|required)[)\]](?=\.?$)/iu, "");
  const note = withoutDefault(line, schema);
  if (note.length > MAX_REPETITION_LENGTH) return note;
  const nameWords = new Set(toWords(name));
  return toWords(note).every((word) => nameWords.has(word) || FILLER.has(word)) && !/\d/u.test(note) ? "" : note;
}

/** Removes the default value from a description, because the type expression already contains it. */
function withoutDefault(text: string, schema: unknown): string {
  if (!isJsonObject(schema) || schema["default"] === undefined || !/default/iu.test(text)) return text;
  const value = schema["default"];
  const isScalar = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  if (!isScalar || String(value).length > MAX_REPETITION_LENGTH) return text;
  const quoted = String(value).replace(/[.*+?^${}()|[\]\\]/gu, "\\$&");
  const statedDefault = new RegExp(
    `[ ,;.]*[([]?\\bdefaults?(?: value)?(?: is| to|:|=)? *["'\`]?${quoted}["'\`]?(?:[)\\]]|(?=[ .]*$))`,
    "iu",
  );
  return text.replace(statedDefault, "").trim();
}

function toWords(text: string): string[] {
  return text
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== "")
    .map((word) => (word.length > 3 ? word.replace(/s$/u, "") : word));
}
