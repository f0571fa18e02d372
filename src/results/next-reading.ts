import { isObject } from "./exact-number.js";
import { keysOf } from "./json-keys.js";
import type { ReadRequest } from "./read-request.js";
import type { ResultBlock } from "./result-blocks.js";
import { countCharacters } from "./result-tokens.js";
import { runAtOnce } from "./slices.js";

const NEXT_ITEMS = "0-49";
const NEXT_LINES = "1-200";
/** A member with a longer key is not named: its path would take more tokens than the view. */
export const MAX_KEY_CHARACTERS = 100;
const MAX_PATH_CHARACTERS = 200;
const MAX_MEMBERS = 200;
/** Members are compared by their size up to this. */
const MAX_COUNTED_CHARACTERS = 20_000;
const PLAIN_KEY = /^[A-Za-z_]\w*$/;

/** The request that reads on after the view of a result: the elements or lines of its largest part, or its first page. */
export function nextReading(blocks: readonly ResultBlock[]): ReadRequest {
  const values = blocks.flatMap((block) => (block.kind === "json" ? [block.value] : []));
  if (values.length === 1) return largestIn(values[0], "");
  const [first, ...others] = blocks;
  return others.length === 0 && first?.kind === "text" ? linesOf(first.text, {}) : { page: 1 };
}

function linesOf(text: string, path: ReadRequest): ReadRequest {
  return { ...(text.includes("\n") ? { lines: NEXT_LINES } : { page: 1 }), ...path };
}

/** Goes to the largest member again and again, until that is an array or a text. */
function largestIn(value: unknown, path: string): ReadRequest {
  const member = path === "" ? {} : { path };
  if (Array.isArray(value)) return { items: NEXT_ITEMS, ...member };
  if (typeof value === "string") return linesOf(value, member);
  let largest: { readonly key: string; readonly size: number } | undefined;
  for (const key of isObject(value) ? keysOf(value).slice(0, MAX_MEMBERS) : []) {
    const inner = (value as Readonly<Record<string, unknown>>)[key];
    const isReadable = typeof inner === "string" || (Array.isArray(inner) ? inner.length > 1 : isObject(inner));
    if (!isReadable || key.length > MAX_KEY_CHARACTERS) continue;
    const size = runAtOnce(countCharacters(inner, MAX_COUNTED_CHARACTERS));
    if (size > (largest?.size ?? 0)) largest = { key, size: Math.min(size, MAX_COUNTED_CHARACTERS) };
  }
  if (largest === undefined) return { page: 1 };
  const below = `${path === "" ? "" : `${path}.`}${toPathKey(largest.key)}`;
  if (below.length > MAX_PATH_CHARACTERS) return { page: 1 };
  return largestIn((value as Readonly<Record<string, unknown>>)[largest.key], below);
}

/** A key as a JMESPath expression. */
export function toPathKey(key: string): string {
  return PLAIN_KEY.test(key) ? key : JSON.stringify(key);
}
