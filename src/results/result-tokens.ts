import type { CallResult } from "../model/call.js";
import { estimateTokens } from "./estimate-tokens.js";
import { readBlocks, readTextItem } from "./result-blocks.js";
import { ExactNumber } from "./exact-number.js";
import { keysOf } from "./json-keys.js";
import { runAtOnce, type Slices } from "./slices.js";
import { writeJsonText } from "./write-json.js";

/** JSON with more characters than this for each token of the budget is above the budget. */
const CHARACTERS_PER_TOKEN = 12;
/** The estimate for a character is never higher than this. */
export const MAX_TOKENS_PER_CHARACTER = 1.6;
const MAX_CHARACTERS_PER_TOKEN = 150;
const VALUES_PER_SLICE = 2000;

/**
 * Whether the texts and the structured content of a result have at most `maxTokens` tokens. JSON that is both in a text
 * and in `structuredContent` counts once. For a small result this takes microseconds.
 */
export function isWithinTokens(result: CallResult, maxTokens: number): boolean {
  const limit = maxTokens * CHARACTERS_PER_TOKEN;
  const structured = runAtOnce(countCharacters(result.structuredContent, limit));
  if (structured > limit) return false;
  const texts: string[] = [];
  let characters = structured;
  for (const item of Array.isArray(result.content) ? result.content : []) {
    const { text } = readTextItem(item) ?? { text: "" };
    texts.push(text);
    characters += text.length;
    // Nothing is longer for its tokens than white space.
    if (characters > maxTokens * MAX_CHARACTERS_PER_TOKEN) return false;
  }
  if (characters * MAX_TOKENS_PER_CHARACTER + texts.length <= maxTokens) return true;
  let textTokens = 0;
  for (const text of texts) {
    textTokens += estimateTokens(text);
    if (textTokens > maxTokens) return false;
  }
  if (structured === 0) return true;
  const structuredTokens = estimateTokens(runAtOnce(writeJsonText(result.structuredContent)) ?? "");
  if (structuredTokens > maxTokens) return false;
  // Both have a bounded size here, so that comparing them takes less than a millisecond.
  return textTokens + structuredTokens <= maxTokens || runAtOnce(readBlocks(result)).length === 1;
}

/**
 * The characters of a value as JSON, approximately; stops counting above the limit. Values that are in several places
 * count in each of them.
 */
export function* countCharacters(value: unknown, limit: number): Slices<number> {
  if (value === undefined) return 0;
  let characters = 0;
  let count = 0;
  const pending: unknown[] = [value];
  while (pending.length > 0 && characters <= limit) {
    count += 1;
    if (count % VALUES_PER_SLICE === 0) yield;
    const next = pending.pop();
    if (typeof next === "string") characters += next.length + 3;
    else if (typeof next !== "object" || next === null || next instanceof ExactNumber)
      characters += String(next).length + 1;
    else if (Array.isArray(next)) {
      characters += 3;
      if (next.length > limit) return next.length;
      for (const element of next as readonly unknown[]) {
        count += 1;
        if (count % VALUES_PER_SLICE === 0) yield;
        if (typeof element === "object" && element !== null) pending.push(element);
        else characters += (typeof element === "string" ? element.length + 2 : String(element).length) + 1;
        if (characters > limit) return characters;
      }
    } else {
      characters += 3;
      for (const key of keysOf(next)) {
        count += 1;
        if (count % VALUES_PER_SLICE === 0) yield;
        characters += key.length + 3;
        pending.push((next as Readonly<Record<string, unknown>>)[key]);
      }
    }
  }
  return characters;
}
