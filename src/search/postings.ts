import type { Block } from "./block.js";
import type { Vocabulary } from "./vocabulary.js";

/** The inverted index over all index blocks: for every word, the documents that contain it, in flat arrays. */
export interface Postings {
  readonly size: number;
  /** For each word, the start of its postings. They end where those of the next word start. */
  readonly starts: Uint32Array;
  readonly documents: Uint32Array;
  /** The weighted frequency of each posting, in units of `FREQUENCY_STEP`. */
  readonly frequencies: Uint16Array;
  /** For each stem, the number of documents that contain any form of it. */
  readonly stemCounts: Uint32Array;
}

/** The number of documents that are processed between two pauses. */
const DOCUMENTS_PER_TURN = 1_000;

/**
 * Builds the inverted index with a counting sort. A generator, so that the caller can pause at each `yield`; it yields
 * no value.
 */
export function* invert(blocks: readonly Block[], vocabulary: Vocabulary): Generator<void, Postings> {
  const starts = new Uint32Array(vocabulary.words.length + 1);
  const stemCounts = new Uint32Array(vocabulary.stems.length);
  const lastSeenIn = new Uint32Array(vocabulary.stems.length);
  let size = 0;
  for (const { ends, words } of blocks) {
    let at = 0;
    for (const end of ends) {
      size += 1;
      if (size % DOCUMENTS_PER_TURN === 0) yield;
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
        const slot = next[word] ?? 0;
        next[word] = slot + 1;
        documents[slot] = document;
        frequencies[slot] = block.frequencies[at] ?? 0;
      }
      document += 1;
      if (document % DOCUMENTS_PER_TURN === 0) yield;
    }
  }
  return { size, starts, documents, frequencies, stemCounts };
}

/** The number of documents that contain exactly this word. */
export function countWord({ starts }: Postings, word: number): number {
  return (starts[word + 1] ?? 0) - (starts[word] ?? 0);
}
