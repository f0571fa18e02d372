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
      for (const { key, documents } of groups) {
        let block = blocks.get(key);
        if (block === undefined) {
          block = await takeTurns(build(documents()));
          blocks.set(key, block);
          memory.read += block.words.length;
        }
        used.push(block);
      }
      return await takeTurns(buildIndex(used, { vocabulary, ranking, meaning }));
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

async function takeTurns<Result>(steps: Generator<void, Result>): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await nextTurn();
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
