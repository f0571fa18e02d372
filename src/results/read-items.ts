import { invalidRequest } from "../util/invalid-request.js";
import { estimateTokens } from "./estimate-tokens.js";
import { isObject } from "./exact-number.js";
import { keysOf } from "./json-keys.js";
import { MAX_KEY_CHARACTERS, toPathKey } from "./next-reading.js";
import { formatRange, parseRange } from "./range.js";
import { describeNextCall, type ReadOptions, type ReadRequest } from "./read-request.js";
import type { ResultBlock } from "./result-blocks.js";
import type { Slices } from "./slices.js";
import { type ShownText, viewWithLast } from "./view-result.js";
import { writeJsonText } from "./write-json.js";

const MAX_SEARCH_DEPTH = 4;
const MAX_VISITED = 5000;
const MAX_LISTED = 12;
/** An array this many times longer than every other one is the one that is meant. */
const DOMINANT = 10;

interface FoundArray {
  /** A JMESPath expression. */
  readonly path: string;
  readonly elements: readonly unknown[];
}

/** Returns the elements of a range that fit into the budget, each as JSON in one line, and the next range. */
export function* readItems(root: unknown, request: ReadRequest, options: ReadOptions): Slices<ShownText> {
  const { path, elements } = findArray(root);
  const { from, to } = parseRange(request.items ?? "", { what: "items", first: 0, last: elements.length - 1 });
  const place = path === "" ? "" : ` in ${path}`;
  const total = elements.length.toLocaleString("en-US");
  const footer = (last: number, note: string): string => {
    const end = last < to ? to : Math.min(elements.length - 1, last + (to - from + 1));
    const next = { ...request, items: formatRange(last + 1, end) };
    const more = last < elements.length - 1 ? `. ${describeNextCall(options, next)}` : "";
    return `[items ${formatRange(from, last)} of ${total}${place}, counted from 0${note}${more}]`;
  };
  // After a pipe, the path applies to the whole array and not to each element.
  const selectItem = [...(request.path === undefined ? [] : [request.path]), `${path}[${from}]`].join(" | ");
  const isNamed = estimateTokens(selectItem) <= options.maxTokens / 6;
  const call = isNamed ? `; all of it: ${describeNextCall(options, { select: selectItem }).slice(6)}` : "";
  const note = `, shortened${call}`;
  let left = options.maxTokens - Math.max(estimateTokens(footer(from, note)), estimateTokens(footer(to, ""))) - 2;
  const lines: string[] = [];
  for (let at = from; at <= to; at += 1) {
    const json = yield* writeJsonText(elements[at], { maxCharacters: options.maxTokens * 40 });
    if (at % 20 === 0) yield;
    const tokens = json === undefined ? Number.POSITIVE_INFINITY : estimateTokens(json) + 5;
    if (json === undefined || tokens > left) break;
    left -= tokens;
    lines.push(`${at}: ${json}`);
  }
  if (lines.length > 0) return { text: lines.join("\n"), last: footer(from + lines.length - 1, "") };
  const blocks: ResultBlock[] = [{ kind: "json", value: elements[from] }];
  return yield* viewWithLast(blocks, options.maxTokens, () => footer(from, note));
}

/** The array that `items` counts: the value itself, or the only array in it, or by far the longest one. */
function findArray(root: unknown): FoundArray {
  if (Array.isArray(root)) return { path: "", elements: root };
  const found: FoundArray[] = [];
  const pending: { readonly value: unknown; readonly path: string; readonly depth: number }[] = [
    { value: root, path: "", depth: 0 },
  ];
  // Breadth first, so that the limit leaves out the deepest ones. `pending` grows during the loop.
  for (const { value, path, depth } of pending) {
    if (Array.isArray(value)) found.push({ path, elements: value });
    if (!isObject(value) || depth === MAX_SEARCH_DEPTH) continue;
    const below = path === "" ? "" : `${path}.`;
    for (const key of keysOf(value).slice(0, Math.max(0, MAX_VISITED - pending.length)))
      if (key.length <= MAX_KEY_CHARACTERS)
        pending.push({ value: value[key], path: `${below}${toPathKey(key)}`, depth: depth + 1 });
  }
  found.sort((one, other) => other.elements.length - one.elements.length);
  const [first, second] = found;
  if (first === undefined)
    throw invalidRequest("The result has no array.", "Use select with a JMESPath expression, or lines with a range.");
  if (second === undefined || first.elements.length >= DOMINANT * Math.max(1, second.elements.length)) return first;
  const listed = found
    .slice(0, MAX_LISTED)
    .map(({ path, elements }) => `${path} (${elements.length.toLocaleString("en-US")})`);
  const more = found.length > MAX_LISTED ? ` and ${found.length - MAX_LISTED} more` : "";
  throw invalidRequest(
    `The result has several arrays: ${listed.join(", ")}${more}.`,
    `Set path to one of them, for example ${JSON.stringify(first.path)}, or select elements of it: select ${JSON.stringify(`${first.path}[0:20]`)}.`,
  );
}
