import type { CallResult } from "../model/call.js";
import type { JsonObject } from "../model/json.js";
import { estimateTokens } from "./estimate-tokens.js";
import { readBlocks, readTextItem, type ResultBlock } from "./result-blocks.js";
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

/** What an answer shows. The last line is the gateway's own; undefined if there is nothing more to read. */
export interface ShownText {
  readonly text: string;
  readonly last?: string | undefined;
}

const CHARACTERS_PER_TOKEN = 3.3;
const BLOCKS_PER_SLICE = 1000;
/** How the last line of a view starts, and that of a truncated result. */
const OWN_LINE = /\[(?=(?:Shortened|Truncated): )/g;

/**
 * Returns a result within the budget as the same object. Of a larger one, returns a view for a model: its texts and its
 * structured content become one text with the structure, the sizes and the parts with the most content. Images and
 * other items, `isError`, `_meta` and other members stay as they are; `structuredContent` is left out.
 */
export function* viewResult(result: CallResult, { maxTokens, describeNext }: ResultViewOptions): Slices<CallResult> {
  if (isWithinTokens(result, maxTokens)) return result;
  const blocks = yield* readBlocks(result);
  return replaceText(result, yield* viewWithLast(blocks, maxTokens, describeNext));
}

/** A view of the blocks that leaves room for the last line. */
export function* viewWithLast(
  blocks: readonly ResultBlock[],
  maxTokens: number,
  describeNext: DescribeNext,
): Slices<ShownText> {
  const size = yield* sizeOfBlocks(blocks);
  const last = describeNext(size, blocks);
  const text = yield* viewBlocks(blocks, maxTokens - estimateTokens(last) - 1, size.characters);
  return { text: text.replace(OWN_LINE, "(text of the server) ["), last };
}

function* sizeOfBlocks(blocks: readonly ResultBlock[]): Slices<ResultSize> {
  let [characters, tokens] = [0, 0];
  for (const [index, block] of blocks.entries()) {
    if (index % BLOCKS_PER_SLICE === BLOCKS_PER_SLICE - 1) yield;
    if (block.kind === "text") {
      characters += block.text.length;
      tokens += estimateTokens(block.text);
    } else {
      const own = yield* countCharacters(block.value, Number.POSITIVE_INFINITY);
      characters += own;
      tokens += Math.ceil(own / CHARACTERS_PER_TOKEN);
    }
  }
  return { characters, tokens };
}

/**
 * Puts one text in the place of the first text, and removes the others and the structured content. The last line is an
 * item of its own at the end: a server can write the same words into its text, but not into the last item.
 */
export function replaceText(result: CallResult, { text, last }: ShownText): CallResult {
  const content: JsonObject[] = [];
  const items: readonly unknown[] = Array.isArray(result.content) ? result.content : [];
  let isPlaced = text === "" && last !== undefined;
  for (const item of items as readonly JsonObject[]) {
    if (readTextItem(item) === undefined) content.push(item);
    else if (!isPlaced) {
      content.push({ type: "text", text });
      isPlaced = true;
    }
  }
  if (!isPlaced) content.unshift({ type: "text", text });
  if (last !== undefined) content.push({ type: "text", text: last });
  const { structuredContent: _structured, ...rest } = result;
  return { ...rest, content };
}
