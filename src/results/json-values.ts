import { cutAtWord, toOneLine } from "../util/text.js";
import { ExactNumber, isNumber } from "./exact-number.js";
import { hasMembers, keysOf } from "./json-keys.js";
import { MIN_BLOB_CHARACTERS, shortenBlobs } from "./shorten-blobs.js";
import { runAtOnce, type Slices } from "./slices.js";

/** Strings up to this length are one unit of a view. */
const SHORT_CHARACTERS = 120;
const MAX_NAME_CHARACTERS = 100;
const PLAIN_NAME = /^[\p{L}\p{N}_$@/][^|;:"\p{Cc}\p{Zl}\p{Zp}]*$/u;
/** A string with this could be taken for several cells of a table or several members of an object. */
const SEPARATOR = / \| |; [^;:]{1,60}: /;

/** Whether a value has no members: also an empty array or object. */
export function isScalar(value: unknown): boolean {
  return typeof value !== "object" || value === null || value instanceof ExactNumber || isEmptyContainer(value);
}

function isEmptyContainer(value: object): boolean {
  return Array.isArray(value) ? value.length === 0 : !(value instanceof ExactNumber) && !hasMembers(value);
}

/** Scalars, and short arrays of numbers such as coordinates. */
export function isFlat(value: unknown): boolean {
  if (Array.isArray(value)) return value.length <= 4 && value.every(isNumber);
  return isScalar(value) && !isLong(value);
}

export function isLong(value: unknown): boolean {
  return typeof value === "string" && value.length > SHORT_CHARACTERS;
}

export function isEmptyValue(value: unknown): boolean {
  return (
    value === null || value === undefined || value === "" || (typeof value === "object" && isEmptyContainer(value))
  );
}

/** A short value in one line. */
export function toCell(value: unknown): string {
  if (typeof value === "string") {
    const text = toOneLine(value.length < MIN_BLOB_CHARACTERS ? value : runAtOnce(shortenBlobs(value)));
    return SEPARATOR.test(text) ? JSON.stringify(text) : text;
  }
  if (Array.isArray(value)) return value.length === 0 ? "[]" : `(${value.map(toCell).join(", ")})`;
  return typeof value === "object" && value !== null && !(value instanceof ExactNumber) ? "{}" : String(value);
}

/** The name of a member as a view shows it: in quotes if it could be taken for something else, and never several lines. */
export function toName(key: string, isQuoted = false): string {
  const name = PLAIN_NAME.test(key) && !isQuoted ? key : toOneLine(JSON.stringify(key));
  return name.length > MAX_NAME_CHARACTERS ? cutAtWord(name, MAX_NAME_CHARACTERS) : name;
}

export function describeContainer(value: object): string {
  const [what, size] = Array.isArray(value) ? ["array", value.length] : ["object", keysOf(value).length];
  return `${what} of ${size.toLocaleString("en-US")}${what === "object" ? " keys" : ""}`;
}

const ELEMENTS_PER_SLICE = 4000;

/** `every` for large arrays. */
export function* everyInSlices<T>(elements: readonly T[], test: (element: T) => boolean): Slices<boolean> {
  for (const [index, element] of elements.entries()) {
    if (index % ELEMENTS_PER_SLICE === ELEMENTS_PER_SLICE - 1) yield;
    if (!test(element)) return false;
  }
  return true;
}
