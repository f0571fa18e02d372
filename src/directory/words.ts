import { toStem } from "../search/stem.js";
import { isStopWord } from "../search/stop-words.js";
import { splitChunks } from "../search/tokenize.js";

/** How many words of a description are used. The rest of a long description explains arguments and results. */
const MAX_WORDS = 24;
const MAX_TEXT_LENGTH = 900;
const MAX_WORD_LENGTH = 30;

/** The content words of a text, one per stem, in alphabetical order: enough to find the text, not to reproduce it. */
export function toContentWords(text: string, maxWords = MAX_WORDS): string {
  const byStem = new Map<string, string>();
  for (const chunk of splitChunks(text.slice(0, MAX_TEXT_LENGTH))) {
    const word = chunk.toLowerCase();
    if (byStem.size === maxWords) break;
    if (word.length < 2 || word.length > MAX_WORD_LENGTH || isStopWord(word) || /^\d+$/.test(word)) continue;
    const stem = toStem(word);
    // Mixed case is kept, because the ranker indexes `GitHub` as one word and as its parts.
    if (!byStem.has(stem)) byStem.set(stem, chunk === chunk.toUpperCase() ? word : chunk);
  }
  return [...byStem.values()].toSorted((a, b) => a.localeCompare(b, "en")).join(" ");
}
