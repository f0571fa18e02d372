import type { ReadRequest } from "./read-request.js";
import type { ResultBlock } from "./result-blocks.js";

const NEXT_ITEMS = "0-49";
const NEXT_LINES = "1-200";
const PLAIN_KEY = /^[A-Za-z_]\w*$/;

/** The request that reads on after the view of a result: elements of its largest array, its lines, or its first page. */
export function nextReading(blocks: readonly ResultBlock[]): ReadRequest {
  const [first, ...others] = blocks;
  if (first === undefined || others.length > 0) return { page: 1 };
  if (first.kind === "text") return first.text.includes("\n") ? { lines: NEXT_LINES } : { page: 1 };
  return itemsOfValue(first.value) ?? { page: 1 };
}

function itemsOfValue(value: unknown): ReadRequest | undefined {
  if (Array.isArray(value)) return { items: NEXT_ITEMS };
  if (typeof value !== "object" || value === null) return undefined;
  let largest: { readonly key: string; readonly length: number } | undefined;
  for (const [key, member] of Object.entries(value))
    if (Array.isArray(member) && member.length > (largest?.length ?? 1)) largest = { key, length: member.length };
  if (largest === undefined) return undefined;
  const { key } = largest;
  return { items: NEXT_ITEMS, path: PLAIN_KEY.test(key) ? key : JSON.stringify(key) };
}
