import type { Block } from "./block.js";
import type { Vocabulary } from "./vocabulary.js";

/** All blocks turned round: for every word the documents that have it, in flat arrays. */
export interface Postings {
  readonly size: number;
  /** Where a word's postings start; the next word's start is their end. */
  readonly starts: Uint32Array;
  readonly documents: Uint32Array;
  /** In steps of `FREQUENCY_STEP`. */
  readonly frequencies: Uint16Array;
  /** By stem: how many documents have any form of it. */
  readonly stemCounts: Uint32Array;
}

/** So many documents are counted or placed between two pauses. */
const DOCUMENTS_AT_ONCE = 1_000;

/** Counting sort in three rounds over the blocks; what it yields says nothing but that a pause is due. */
export function* invert(blocks: readonly Block[], vocabulary: Vocabulary): Generator<void, Postings> {
  const starts = new Uint32Array(vocabulary.words.length + 1);
  const stemCounts = new Uint32Array(vocabulary.stems.length);
  const lastSeenIn = new Uint32Array(vocabulary.stems.length);
  let size = 0;
  for (const { ends, words } of blocks) {
    let at = 0;
    for (const end of ends) {
      size += 1;
      if (size % DOCUMENTS_AT_ONCE === 0) yield;
      for (; at < end; at += 1) {
        const word = words[at] ?? 0;
        starts[word + 1] = (starts[word + 1] ?? 0) + 1;
        const stem = vocabulary.stemOf(word);
        if (lastSeenIn[stem] === size) continue;
        lastSeenIn[stem] = size;
        stemCounts[stem] = (stemCounts[stem] ?? 0) + 1;
      }
    }
  }
  for (let word = 1; word < starts.length; word += 1) starts[word] = (starts[word] ?? 0) + (starts[word - 1] ?? 0);
  const next = starts.slice();
  const documents = new Uint32Array(next.at(-1) ?? 0);
  const frequencies = new Uint16Array(documents.length);
  let document = 0;
  for (const block of blocks) {
    let at = 0;
    for (const end of block.ends) {
      for (; at < end; at += 1) {
        const word = block.words[at] ?? 0;
        const place = next[word] ?? 0;
        next[word] = place + 1;
        documents[place] = document;
        frequencies[place] = block.frequencies[at] ?? 0;
      }
      document += 1;
      if (document % DOCUMENTS_AT_ONCE === 0) yield;
    }
  }
  return { size, starts, documents, frequencies, stemCounts };
}

/** How many documents have this word as it is written. */
export function countWord({ starts }: Postings, word: number): number {
  return (starts[word + 1] ?? 0) - (starts[word] ?? 0);
}
