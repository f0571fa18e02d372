import { type Block, type BlockParts, createBlockBuilder } from "./block.js";
import { RANKING } from "./constants.js";
import type { SearchDocument } from "./fields.js";
import { withoutGrowth } from "../util/young-generation.js";
import { isEqualJson } from "../util/json/is-equal.js";
import { buildIndex, type IndexParts, type SearchIndex } from "./search-index.js";
import { createVocabulary } from "./vocabulary.js";

/** Documents that are updated together, usually the tools of one server. */
export interface DocumentGroup {
  /** Identifies the state of the documents. If it is a new object, the indexer reads the documents again. */
  readonly key: object;
  readonly documents: () => readonly SearchDocument[];
}

/**
 * Builds search indexes. Caches the blocks of unchanged groups, so that the cost of an update depends only on what
 * changed. Never blocks the event loop for long.
 */
export interface Indexer {
  index(groups: readonly DocumentGroup[]): Promise<SearchIndex>;
}

/** The vocabulary is rebuilt if the number of words read exceeds this many times the number still in use. */
const MAX_STALE_RATIO = 4;
/** The number of documents that are compared between two pauses. */
const DOCUMENTS_PER_TURN = 500;

export function createIndexer({ ranking = RANKING, meaning }: IndexParts = {}): Indexer {
  let memory = createMemory({ ranking, meaning });

  const index = async (groups: readonly DocumentGroup[]): Promise<SearchIndex> => {
    const inUse = sum([...memory.last.values()].map(({ block }) => block.words.length));
    if (memory.read > MAX_STALE_RATIO * Math.max(inUse, 100_000)) memory = createMemory({ ranking, meaning });
    const current = memory;
    const used: Known[] = [];
    for (const group of groups) {
      const known = current.known.get(group.key) ?? (await read(group, current));
      current.known.set(group.key, known);
      used.push(known);
    }
    current.last = new Map(used.map((known) => [known.signature, known]));
    const blocks = used.map(({ block }) => block);
    return await takeTurns(buildIndex(blocks, { vocabulary: current.vocabulary, ranking, meaning }));
  };
  return { index: (groups) => withoutGrowth(() => index(groups)) };
}

interface Known {
  /**
   * A cheap summary of the documents. Groups with different signatures have different content; equal ones must be
   * compared.
   */
  readonly signature: string;
  readonly documents: DocumentGroup["documents"];
  readonly block: Block;
}

type Memory = ReturnType<typeof createMemory>;

/**
 * Reads a group. Reuses the block of an equal group: after a reload of the configuration all groups are new objects,
 * but most have the same content.
 */
async function read({ documents }: DocumentGroup, memory: Memory): Promise<Known> {
  const current = documents();
  const signature = `${current.length} ${current[0]?.id}`;
  const before = memory.last.get(signature);
  // Keep the new documents instead of the old ones, so that the old ones can be garbage-collected.
  if (before !== undefined && (await isSame(current, before.documents()))) return { ...before, documents };
  const block = await takeTurns(memory.build(current));
  memory.read += block.words.length;
  return { signature, documents, block };
}

async function isSame(now: readonly SearchDocument[], before: readonly SearchDocument[]): Promise<boolean> {
  for (const [number, document] of now.entries()) {
    if (!isEqualJson(document, before[number])) return false;
    if (number % DOCUMENTS_PER_TURN === DOCUMENTS_PER_TURN - 1) await nextTurn();
  }
  return true;
}

function createMemory(parts: Omit<BlockParts, "vocabulary">) {
  const vocabulary = createVocabulary();
  // `read` is the number of words read so far, including those of removed groups.
  return {
    vocabulary,
    build: createBlockBuilder({ vocabulary, ...parts }),
    known: new WeakMap<object, Known>(),
    /** The groups that the last index was built from, by signature. */
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
