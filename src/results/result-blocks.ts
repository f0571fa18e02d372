import type { CallResult } from "../model/call.js";
import { isJsonObject } from "../model/json.js";
import { toOneLine } from "../util/text.js";
import { findJson } from "./embedded-json.js";
import { ExactNumber, isNumber, isObject } from "./exact-number.js";
import { keysOf } from "./json-keys.js";
import { readLenientJson } from "./lenient-json.js";
import type { Slices } from "./slices.js";

/** A part of a result that a model reads as text. */
export type ResultBlock = { readonly label?: string } & (
  | {
      readonly kind: "text";
      readonly text: string;
      /** The structured content with this text as its only value. */
      readonly structured?: unknown;
    }
  | { readonly kind: "json"; readonly value: unknown }
);

const VALUES_PER_SLICE = 2000;
const TEXTS_PER_SLICE = 200;
const ITEMS_PER_SLICE = 10_000;
const MAX_URI_CHARACTERS = 200;

/**
 * Returns the texts and JSON values of a result. JSON that is both in a text and in `structuredContent` is returned
 * once, with the numbers as the text has them. Several texts that are all JSON become one array. JSON that makes up most
 * of a text is a block of its own.
 */
export function* readBlocks(result: CallResult): Slices<ResultBlock[]> {
  const items = yield* readTextItems(result);
  const { structuredContent } = result;
  const hasStructured = structuredContent !== undefined && structuredContent !== null;
  if (items.length === 0) return hasStructured ? [{ kind: "json", value: structuredContent }] : [];
  const blocks: ResultBlock[] = [];
  for (const [index, { text, uri }] of items.entries()) {
    if (index % TEXTS_PER_SLICE === TEXTS_PER_SLICE - 1) yield;
    const json = yield* parseJsonText(text);
    const label = items.length > 1 || uri !== "" ? { label: labelOf(index, items.length, uri) } : {};
    blocks.push(json === undefined ? { kind: "text", text, ...label } : { kind: "json", value: json.value, ...label });
  }
  const isWrapped = isWrappedText(items, structuredContent);
  if (hasStructured && !isWrapped) {
    const same = yield* findSame(blocks, structuredContent);
    return same === undefined
      ? [...blocks, { kind: "json", value: structuredContent, label: "[Structured content]" }]
      : [same];
  }
  const [first, ...others] = blocks;
  if (first !== undefined && others.length === 0) {
    if (first.kind === "json") return blocks;
    return yield* divideText(isWrapped ? { ...first, structured: structuredContent } : first);
  }
  const values = blocks.flatMap((block) => (block.kind === "json" ? [block.value] : []));
  return values.length === blocks.length ? [{ kind: "json", value: values }] : blocks;
}

/** Servers with an output schema often wrap their text, for example as `{ "content": … }`. */
function isWrappedText(items: readonly TextItem[], structured: unknown): boolean {
  if (!isJsonObject(structured) || keysOf(structured).length !== 1) return false;
  const [only] = Object.values(structured);
  return typeof only === "string" && only === items.map(({ text }) => text).join("\n");
}

function labelOf(index: number, count: number, uri: string): string {
  const source = uri === "" ? "" : `: ${toOneLine(uri.slice(0, MAX_URI_CHARACTERS))}`;
  return `[Part ${index + 1} of ${count}${source}]`;
}

/** The blocks of a string, which can be JSON. */
export function* readStringBlocks(text: string): Slices<ResultBlock[]> {
  const json = yield* parseJsonText(text);
  return json === undefined ? yield* divideText({ kind: "text", text }) : [{ kind: "json", value: json.value }];
}

/** Divides a text that is mostly JSON into the JSON, and what is before and after that. */
function* divideText(block: ResultBlock & { readonly kind: "text" }): Slices<ResultBlock[]> {
  const { text, label } = block;
  const embedded = yield* findJson(text);
  if (embedded?.isComplete !== true || !embedded.isStrict) return [block];
  const [before, behind] = [text.slice(0, embedded.from).trim(), text.slice(embedded.end).trim()];
  const blocks: ResultBlock[] = [{ kind: "json", value: embedded.value }];
  if (before !== "") blocks.unshift({ kind: "text", text: before });
  if (behind !== "") blocks.push({ kind: "text", text: behind });
  const [first, ...others] = blocks;
  return first === undefined || label === undefined ? blocks : [{ ...first, label }, ...others];
}

interface TextItem {
  readonly text: string;
  /** The URI of an embedded resource; empty for a text item. */
  readonly uri: string;
}

/** The text items and embedded resources of a result. Items come from a server and may have any shape. */
export function* readTextItems({ content }: CallResult): Slices<TextItem[]> {
  const found: TextItem[] = [];
  if (!Array.isArray(content)) return found;
  for (const [index, item] of content.entries()) {
    if (index % ITEMS_PER_SLICE === ITEMS_PER_SLICE - 1) yield;
    const text = readTextItem(item);
    if (text !== undefined) found.push(text);
  }
  return found;
}

export function readTextItem(item: unknown): TextItem | undefined {
  if (!isJsonObject(item)) return undefined;
  if (typeof item["text"] === "string") return { text: item["text"], uri: "" };
  const resource = item["resource"];
  if (!isJsonObject(resource) || typeof resource["text"] !== "string") return undefined;
  return { text: resource["text"], uri: typeof resource["uri"] === "string" ? resource["uri"] : "" };
}

/** Parses a text that is a JSON object or array; undefined if it is not. */
function* parseJsonText(text: string): Slices<{ readonly value: unknown } | undefined> {
  const from = /^\s{0,100}(?=[[{])/.exec(text)?.[0].length;
  if (from === undefined || !/[\]}]\s*$/.test(text.slice(-100))) return undefined;
  const json = yield* readLenientJson(text, from);
  return json?.isComplete === true && json.isStrict && text.slice(json.end).trim() === "" ? json : undefined;
}

/**
 * Returns the texts as one block if the structured content is the same, or `{ "result": … }` with the same value, as some
 * servers send it. The numbers of the texts have all their digits.
 */
function* findSame(blocks: readonly ResultBlock[], structured: unknown): Slices<ResultBlock | undefined> {
  const values = blocks.map((block) => (block.kind === "json" ? block.value : block.text));
  const isWrapper = isJsonObject(structured) && keysOf(structured).length === 1;
  for (const value of values.length === 1 ? [values[0], values] : [values]) {
    if (yield* isSameJson(value, structured)) return { kind: "json", value };
    for (const [key, inner] of isWrapper ? Object.entries(structured) : []) {
      if (yield* isSameJson(value, inner)) return { kind: "json", value: { [key]: value } };
    }
  }
  return undefined;
}

function* isSameJson(one: unknown, other: unknown): Slices<boolean> {
  const pending: [unknown, unknown][] = [[one, other]];
  let count = 0;
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    const [left, right] = pair;
    count += 1;
    if (count % VALUES_PER_SLICE === 0) yield;
    if (left === right || (left instanceof ExactNumber && isNumber(right) && Number(left) === Number(right))) continue;
    if (Array.isArray(left) && Array.isArray(right)) {
      if (left.length !== right.length) return false;
      for (const [index, element] of left.entries())
        if (element !== right[index]) pending.push([element, right[index]]);
    } else if (isObject(left) && isObject(right)) {
      const keys = keysOf(left);
      if (keys.length !== keysOf(right).length) return false;
      for (const key of keys) {
        if (!Object.hasOwn(right, key)) return false;
        if (left[key] !== right[key]) pending.push([left[key], right[key]]);
      }
    } else return false;
  }
  return true;
}
