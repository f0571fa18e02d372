import { isJsonObject } from "../model/json.js";
import { invalidRequest } from "../util/invalid-request.js";
import { estimateTokens } from "./estimate-tokens.js";
import { formatRange, parseRange } from "./range.js";
import { describeNextCall, type ReadOptions, type ReadRequest } from "./read-request.js";
import type { Slices } from "./slices.js";
import { viewBlocks } from "./view-blocks.js";
import { writeJsonText } from "./write-json.js";

const MAX_SEARCH_DEPTH = 4;
const MAX_LISTED = 12;
/** An array this many times longer than every other one is the one that is meant. */
const DOMINANT = 10;

interface FoundArray {
  /** A JMESPath expression. */
  readonly path: string;
  readonly elements: readonly unknown[];
}

/** Returns the elements of a range that fit into the budget, each as JSON in one line, and the next range. */
export function* readItems(root: unknown, request: ReadRequest, options: ReadOptions): Slices<string> {
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
  const selectItem = `${[request.path, path].filter((part) => part !== undefined && part !== "").join(".")}[${from}]`;
  const note = `, shortened; all of it: ${describeNextCall(options, { select: selectItem }).slice(6)}`;
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
  if (lines.length > 0) return `${lines.join("\n")}\n${footer(from + lines.length - 1, "")}`;
  const view = yield* viewBlocks([{ kind: "json", value: elements[from] }], left);
  return `${view}\n${footer(from, note)}`;
}

/** The array that `items` counts: the value itself, or the only array in it, or by far the longest one. */
function findArray(root: unknown): FoundArray {
  if (Array.isArray(root)) return { path: "", elements: root };
  const found: FoundArray[] = [];
  const visit = (value: unknown, path: string, depth: number): void => {
    if (Array.isArray(value)) found.push({ path, elements: value });
    else if (isJsonObject(value) && depth < MAX_SEARCH_DEPTH)
      for (const [key, member] of Object.entries(value).slice(0, 1000)) {
        const name = /^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key);
        visit(member, path === "" ? name : `${path}.${name}`, depth + 1);
      }
  };
  visit(root, "", 0);
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
