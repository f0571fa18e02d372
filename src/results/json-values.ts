import { toOneLine } from "../util/text.js";
import { MIN_BLOB_CHARACTERS, shortenBlobs } from "./shorten-blobs.js";
import { runAtOnce, type Slices } from "./slices.js";

/** Strings up to this length are one unit of a view. */
const SHORT_CHARACTERS = 120;

/** Whether a value has no members: also an empty array or object. */
export function isScalar(value: unknown): boolean {
  return typeof value !== "object" || value === null || isEmptyContainer(value);
}

function isEmptyContainer(value: object): boolean {
  return Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;
}

/** Scalars, and short arrays of numbers such as coordinates. */
export function isFlat(value: unknown): boolean {
  if (Array.isArray(value)) return value.length <= 4 && value.every((element) => typeof element === "number");
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
  if (typeof value === "string")
    return toOneLine(value.length < MIN_BLOB_CHARACTERS ? value : runAtOnce(shortenBlobs(value)));
  if (Array.isArray(value)) return value.length === 0 ? "[]" : `(${value.map(toCell).join(", ")})`;
  return typeof value === "object" && value !== null ? "{}" : String(value);
}

export function describeContainer(value: object): string {
  const [what, size] = Array.isArray(value) ? ["array", value.length] : ["object", Object.keys(value).length];
  return `${what} of ${size.toLocaleString("en-US")}${what === "object" ? " keys" : ""}`;
}

const ELEMENTS_PER_SLICE = 4000;

/** `every` for large arrays. */
export function* everyInSlices(elements: readonly unknown[], test: (element: unknown) => boolean): Slices<boolean> {
  for (const [index, element] of elements.entries()) {
    if (index % ELEMENTS_PER_SLICE === 0) yield;
    if (!test(element)) return false;
  }
  return true;
}
