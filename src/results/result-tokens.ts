import type { CallResult } from "../model/call.js";
import { estimateTokens } from "./estimate-tokens.js";
import { readBlocks, itemTexts } from "./result-blocks.js";
import { runAtOnce, type Slices } from "./slices.js";
import { writeJsonText } from "./write-json.js";

/** The estimate for a character is never higher than this. */
const MAX_TOKENS_PER_CHARACTER = 2;
/** JSON with more characters than this for each token of the budget is above the budget. */
const CHARACTERS_PER_TOKEN = 12;
const VALUES_PER_SLICE = 2000;

/**
 * Whether the texts and the structured content of a result have at most `maxTokens` tokens. JSON that is both in a text
 * and in `structuredContent` counts once. For a small result this takes microseconds.
 */
export function isWithinTokens(result: CallResult, maxTokens: number): boolean {
  const texts = itemTexts(result);
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  const limit = maxTokens * CHARACTERS_PER_TOKEN;
  const structured = runAtOnce(countCharacters(result.structuredContent, limit));
  if ((characters + structured) * MAX_TOKENS_PER_CHARACTER <= maxTokens) return true;
  if (structured > limit) return false;
  const textTokens = texts.reduce((sum, text) => sum + estimateTokens(text), 0);
  if (textTokens > maxTokens) return false;
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
    else if (typeof next !== "object" || next === null) characters += String(next).length + 1;
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
      for (const [key, member] of Object.entries(next)) {
        characters += key.length + 3;
        pending.push(member);
      }
    }
  }
  return characters;
}
