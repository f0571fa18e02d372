import { type Block, type BlockParts, createBlockBuilder } from "./block.js";
import { RANKING } from "./constants.js";
import type { SearchDocument } from "./fields.js";
import { withoutGrowth } from "../util/young-generation.js";
import { buildIndex, type IndexParts, type SearchIndex } from "./search-index.js";
import { createVocabulary } from "./vocabulary.js";

/** Documents that change together, usually one server's. */
export interface DocumentGroup {
  /** Another object when the documents may have changed; they are read then. */
  readonly key: object;
  readonly documents: () => readonly SearchDocument[];
}

/** Keeps what it read of unchanged groups, so that a change costs what changed, and never holds the program up for long. */
export interface Indexer {
  index(groups: readonly DocumentGroup[]): Promise<SearchIndex>;
}

/** When less than one word of so many is still in use, all words are read anew. */
const MOST_STALE = 4;
/** Documents that are compared in one turn. */
const TURN = 500;

export function createIndexer({ ranking = RANKING, meaning }: IndexParts = {}): Indexer {
  let memory = createMemory({ ranking, meaning });

  const index = async (groups: readonly DocumentGroup[]): Promise<SearchIndex> => {
    const inUse = sum([...memory.last.values()].map(({ block }) => block.words.length));
    if (memory.read > MOST_STALE * Math.max(inUse, 100_000)) memory = createMemory({ ranking, meaning });
    const current = memory;
    const used: Known[] = [];
    for (const group of groups) {
      const known = current.known.get(group.key) ?? (await read(group, current));
      current.known.set(group.key, known);
      used.push(known);
    }
    current.last = new Map(used.map((known) => [known.sign, known]));
    const blocks = used.map(({ block }) => block);
    return await takeTurns(buildIndex(blocks, { vocabulary: current.vocabulary, ranking, meaning }));
  };
  return { index: (groups) => withoutGrowth(() => index(groups)) };
}

interface Known {
  /** Groups with another one say something else. */
  readonly sign: string;
  readonly documents: DocumentGroup["documents"];
  readonly block: Block;
}

type Memory = ReturnType<typeof createMemory>;

/** After a reload of the configuration all groups are new objects, and most say what they said before. */
async function read({ documents }: DocumentGroup, memory: Memory): Promise<Known> {
  const told = documents();
  const sign = `${told.length} ${told[0]?.id}`;
  const before = memory.last.get(sign);
  // The objects of now are kept, so that those of then can go.
  if (before !== undefined && (await isSame(told, before.documents()))) return { ...before, documents };
  const block = await takeTurns(memory.build(told));
  memory.read += block.words.length;
  return { sign, documents, block };
}

async function isSame(now: readonly SearchDocument[], before: readonly SearchDocument[]): Promise<boolean> {
  for (const [number, document] of now.entries()) {
    if (JSON.stringify(document) !== JSON.stringify(before[number])) return false;
    if (number % TURN === TURN - 1) await nextTurn();
  }
  return true;
}

function createMemory(parts: Omit<BlockParts, "vocabulary">) {
  const vocabulary = createVocabulary();
  // How many words were ever read, of groups long gone as well.
  return {
    vocabulary,
    build: createBlockBuilder({ vocabulary, ...parts }),
    known: new WeakMap<object, Known>(),
    /** Those of the last index, by their signs. */
    last: new Map<string, Known>(),
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
