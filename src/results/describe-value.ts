import { cutAtWord, toOneLine } from "../util/text.js";
import { isNumber, isObject } from "./exact-number.js";
import { keysOf } from "./json-keys.js";
import { toName } from "./json-values.js";

const SAMPLED_ELEMENTS = 100;
const MAX_KEYS = 30;

/** Describes what a value has: the size and kind of an array, the keys of an object, the beginning of a string. */
export function describeValue(value: unknown): string {
  if (Array.isArray(value)) return describeArray(value);
  if (isNumber(value)) return `number ${String(value)}`;
  if (isObject(value)) {
    const keys = keysOf(value);
    return keys.length === 0 ? "empty object" : `object with the ${listKeys(keys)}`;
  }
  if (typeof value === "string") {
    const size = `string of ${value.length.toLocaleString("en-US")} characters`;
    return `${size}: ${JSON.stringify(cutAtWord(toOneLine(value.slice(0, 300)), 60))}`;
  }
  return value === null || value === undefined ? "null" : `${typeof value} ${JSON.stringify(value)}`;
}

function describeArray(elements: readonly unknown[]): string {
  if (elements.length === 0) return "empty array";
  const size = elements.length.toLocaleString("en-US");
  const sample = elements.slice(0, SAMPLED_ELEMENTS);
  const kinds = [...new Set(sample.map(kindOf))];
  const noun = kinds.length === 1 ? `${kinds[0]}${elements.length === 1 ? "" : "s"}` : `values (${kinds.join(", ")})`;
  const keys = new Set(sample.flatMap((element) => (isObject(element) ? keysOf(element) : [])));
  return `array of ${size} ${noun}${keys.size === 0 ? "" : ` with the ${listKeys([...keys])}`}`;
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (isNumber(value)) return "number";
  return value === null ? "null" : typeof value;
}

function listKeys(keys: readonly string[]): string {
  const shown = keys.slice(0, MAX_KEYS).map((key) => toName(key));
  const more = keys.length > MAX_KEYS ? ` and ${(keys.length - MAX_KEYS).toLocaleString("en-US")} more` : "";
  return `${keys.length === 1 ? "key" : "keys"} ${shown.join(", ")}${more}`;
}
