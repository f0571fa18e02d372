import { toStem } from "../search/stem.js";
import { isStopWord } from "../search/stop-words.js";
import { splitChunks } from "../search/tokenize.js";

/** Longer descriptions explain arguments and results: their first words say what the tool does. */
const MOST_WORDS = 24;
const LONGEST_READ = 900;
const LONGEST_WORD = 30;

/** The content words of a text, each once whatever its inflection, in alphabetical order: enough to find the text, not to read it. */
export function toContentWords(text: string, most = MOST_WORDS): string {
  const byStem = new Map<string, string>();
  for (const chunk of splitChunks(text.slice(0, LONGEST_READ))) {
    const word = chunk.toLowerCase();
    if (byStem.size === most) break;
    if (word.length < 2 || word.length > LONGEST_WORD || isStopWord(word) || /^\d+$/.test(word)) continue;
    const stem = toStem(word);
    // Mixed case is kept: `GitHub` is one word to the ranker and two to a reader.
    if (!byStem.has(stem)) byStem.set(stem, chunk === chunk.toUpperCase() ? word : chunk);
  }
  return [...byStem.values()].toSorted((a, b) => a.localeCompare(b, "en")).join(" ");
}
