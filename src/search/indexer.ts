import { type Block, type BlockParts, createBlockBuilder } from "./block.js";
import { RANKING } from "./constants.js";
import type { SearchDocument } from "./fields.js";
import { buildIndex, type IndexParts, type SearchIndex } from "./search-index.js";
import { createVocabulary } from "./vocabulary.js";

/** Documents that change together, usually one server's. */
export interface DocumentGroup {
  /** The same object as long as the documents are the same. */
  readonly key: object;
  readonly documents: () => readonly SearchDocument[];
}

/** Keeps what it read of unchanged groups, so that a change costs what changed, and never holds the program up for long. */
export interface Indexer {
  index(groups: readonly DocumentGroup[]): Promise<SearchIndex>;
}

/** So many documents are read without a pause: a few milliseconds. */
const DOCUMENTS_AT_ONCE = 100;
/** When less than one word of so many is still in use, all words are read anew. */
const MOST_STALE = 4;

export function createIndexer({ ranking = RANKING, meaning }: IndexParts = {}): Indexer {
  let memory = createMemory({ ranking, meaning });

  return {
    async index(groups) {
      const sizes = groups.map(({ key }) => memory.blocks.get(key)?.words.length ?? 0);
      if (memory.read > MOST_STALE * Math.max(sum(sizes), 100_000)) memory = createMemory({ ranking, meaning });
      const { blocks, build, vocabulary } = memory;
      const used: Block[] = [];
      let unpaused = 0;
      for (const { key, documents } of groups) {
        let block = blocks.get(key);
        if (block === undefined) {
          block = build(documents());
          blocks.set(key, block);
          memory.read += block.words.length;
          unpaused += block.ids.length;
        }
        used.push(block);
        if (unpaused < DOCUMENTS_AT_ONCE) continue;
        unpaused = 0;
        await nextTurn();
      }
      return finish(buildIndex(used, { vocabulary, ranking, meaning }));
    },
  };
}

function createMemory(parts: Omit<BlockParts, "vocabulary">) {
  const vocabulary = createVocabulary();
  // How many words were ever read, of groups long gone as well.
  return {
    vocabulary,
    build: createBlockBuilder({ vocabulary, ...parts }),
    blocks: new WeakMap<object, Block>(),
    read: 0,
  };
}

/** So many steps, one per group, are taken without a pause. */
const STEPS_AT_ONCE = 50;

async function finish(steps: Generator<void, SearchIndex>): Promise<SearchIndex> {
  for (let taken = 1; ; taken += 1) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (taken % STEPS_AT_ONCE === 0) await nextTurn();
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
