import type { CallResult } from "../model/call.js";
import type { JsonObject } from "../model/json.js";
import { estimateTokens } from "./estimate-tokens.js";
import { readBlocks, type ResultBlock, itemText } from "./result-blocks.js";
import { countCharacters, isWithinTokens } from "./result-tokens.js";
import type { Slices } from "./slices.js";
import { viewBlocks } from "./view-blocks.js";

/** The size of a result, for the last line of its view. */
export interface ResultSize {
  readonly characters: number;
  readonly tokens: number;
}

/** Returns the last line of a view: the size of the result and the call that reads more. */
export type DescribeNext = (size: ResultSize, blocks: readonly ResultBlock[]) => string;

export interface ResultViewOptions {
  /** The estimated tokens that the view has at most. */
  readonly maxTokens: number;
  readonly describeNext: DescribeNext;
}

/**
 * Returns a result within the budget as the same object. Of a larger one, returns a view for a model: its texts and its
 * structured content become one text with the structure, the sizes and the parts with the most content. Images and
 * other items, `isError`, `_meta` and other members stay as they are; `structuredContent` is left out.
 */
export function* viewResult(result: CallResult, { maxTokens, describeNext }: ResultViewOptions): Slices<CallResult> {
  if (isWithinTokens(result, maxTokens)) return result;
  const blocks = yield* readBlocks(result);
  const last = describeNext(yield* sizeOfBlocks(blocks), blocks);
  const text = yield* viewBlocks(blocks, maxTokens - estimateTokens(last) - 1);
  return replaceText(result, text === "" ? last : `${text}\n${last}`);
}

export function* sizeOfBlocks(blocks: readonly ResultBlock[]): Slices<ResultSize> {
  let [characters, tokens] = [0, 0];
  for (const block of blocks) {
    if (block.kind === "text") {
      characters += block.text.length;
      tokens += estimateTokens(block.text);
    } else {
      const own = yield* countCharacters(block.value, Number.POSITIVE_INFINITY);
      characters += own;
      tokens += Math.ceil(own / 3.3);
    }
  }
  return { characters, tokens };
}

/** Puts one text in the place of the first text, and removes the others and the structured content. */
export function replaceText(result: CallResult, text: string): CallResult {
  const content: JsonObject[] = [];
  const items: readonly unknown[] = Array.isArray(result.content) ? result.content : [];
  let isPlaced = false;
  for (const item of items as readonly JsonObject[]) {
    if (itemText(item) === undefined) content.push(item);
    else if (!isPlaced) {
      content.push({ type: "text", text });
      isPlaced = true;
    }
  }
  if (!isPlaced) content.unshift({ type: "text", text });
  const { structuredContent: _structured, ...rest } = result;
  return { ...rest, content };
}
