import type { CallResult } from "../model/call.js";
import { isJsonObject } from "../model/json.js";
import { readLenientJson } from "./lenient-json.js";
import type { Slices } from "./slices.js";

/** A part of a result that a model reads as text. */
export type ResultBlock =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "json"; readonly value: unknown };

/** Texts up to this length are parsed at once, because the native parser is faster than one that can pause. */
const AT_ONCE_CHARACTERS = 256 * 1024;
const VALUES_PER_SLICE = 2000;
const TEXTS_PER_SLICE = 200;

/**
 * Returns the texts and JSON values of a result. What is both in a text and in `structuredContent` is returned once.
 * Several texts that are all JSON become one array.
 */
export function* readBlocks(result: CallResult): Slices<ResultBlock[]> {
  const texts = itemTexts(result);
  const blocks: ResultBlock[] = [];
  for (const text of texts) {
    if (blocks.length % TEXTS_PER_SLICE === 0) yield;
    blocks.push(yield* toBlock(text));
  }
  const { structuredContent } = result;
  if (structuredContent !== undefined && structuredContent !== null && !isWrappedText(texts, structuredContent)) {
    if (blocks.length === 0 || (yield* isSameContent(blocks, structuredContent)))
      return [{ kind: "json", value: structuredContent }];
    return [...blocks, { kind: "json", value: structuredContent }];
  }
  const values = blocks.flatMap((block) => (block.kind === "json" ? [block.value] : []));
  return blocks.length > 1 && values.length === blocks.length ? [{ kind: "json", value: values }] : blocks;
}

/** The texts of a result, of text items and of embedded resources. Items come from a server and may have any shape. */
export function itemTexts({ content }: CallResult): string[] {
  return Array.isArray(content) ? content.flatMap((item) => itemText(item) ?? []) : [];
}

export function itemText(item: unknown): string | undefined {
  if (!isJsonObject(item)) return undefined;
  if (typeof item["text"] === "string") return item["text"];
  const resource = item["resource"];
  return isJsonObject(resource) && typeof resource["text"] === "string" ? resource["text"] : undefined;
}

function* toBlock(text: string): Slices<ResultBlock> {
  const json = yield* parseJsonText(text);
  return json === undefined ? { kind: "text", text } : { kind: "json", value: json.value };
}

/** Parses a text that is a JSON object or array; undefined if it is not. */
export function* parseJsonText(text: string): Slices<{ readonly value: unknown } | undefined> {
  const first = /^\s{0,100}([[{])/.exec(text)?.[1];
  if (first === undefined || !/[\]}]\s*$/.test(text.slice(-100))) return undefined;
  if (text.length <= AT_ONCE_CHARACTERS) {
    try {
      return { value: JSON.parse(text) as unknown };
    } catch {
      return undefined;
    }
  }
  const json = yield* readLenientJson(text, 0);
  return json?.isComplete === true && text.slice(json.end).trim() === "" ? { value: json.value } : undefined;
}

/** Servers with an output schema often wrap their text, for example as `{ "content": … }`. */
function isWrappedText(texts: readonly string[], structured: unknown): boolean {
  if (texts.length === 0 || !isJsonObject(structured)) return false;
  const [only, ...others] = Object.values(structured);
  return others.length === 0 && typeof only === "string" && only === texts.join("\n");
}

/** Some servers send `{ "result": … }` as structured content and only the inner value as text. */
function* isSameContent(blocks: readonly ResultBlock[], structured: unknown): Slices<boolean> {
  const isWrapped = isJsonObject(structured) && Object.keys(structured).length === 1;
  const candidates = isWrapped ? [structured, ...Object.values(structured)] : [structured];
  const values = blocks.map((block) => (block.kind === "json" ? block.value : block.text));
  for (const candidate of candidates) {
    if (values.length === 1 && (yield* isSameJson(values[0], candidate))) return true;
    if (yield* isSameJson(values, candidate)) return true;
  }
  return false;
}

function* isSameJson(one: unknown, other: unknown): Slices<boolean> {
  const pending: [unknown, unknown][] = [[one, other]];
  let count = 0;
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    count += 1;
    if (count % VALUES_PER_SLICE === 0) yield;
    const [left, right] = pair;
    if (left === right) continue;
    if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
    if (Array.isArray(left) !== Array.isArray(right)) return false;
    if (Array.isArray(left) && Array.isArray(right)) {
      if (left.length !== right.length) return false;
      for (const [index, element] of left.entries())
        if (element !== right[index]) pending.push([element, right[index]]);
      continue;
    }
    const [members, others] = [Object.entries(left), new Map(Object.entries(right))];
    if (members.length !== others.size) return false;
    for (const [key, member] of members) {
      if (!others.has(key)) return false;
      pending.push([member, others.get(key)]);
    }
  }
  return true;
}
