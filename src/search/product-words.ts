// The words of a block that name products. They are counted when the block is built, because counting those of a large
// catalog at once would take too long.
import { type BlockTraits, NONE, readStoredTraits } from "./block-traits.js";
import type { Vocabulary } from "./vocabulary.js";

/**
 * If the names of so many tools of a server, and of so large a share of them, start with the same word, such as `jira_`,
 * the word names a product. A word with which fewer names start is usually a subject, such as `storage_`.
 */
const MIN_PREFIXED = 4;
const MIN_PREFIXED_SHARE = 0.5;
export interface ProductWords {
  /** For each word, the number of tools that have it as a product word. */
  readonly counts: ReadonlyMap<number, number>;
  /** The words with which the names of several tools of one server start. */
  readonly prefixes: ReadonlySet<number>;
  /** Names of servers in one word: `hackernews` for `hacker-news`. */
  readonly joined: ReadonlyMap<string, readonly number[]>;
}

export function countProductWords(
  servers: readonly string[],
  traits: BlockTraits,
  vocabulary: Vocabulary,
): ProductWords {
  const tools = servers.map((server, at) => {
    const { products } = readStoredTraits(traits, at);
    return { server, prefix: products[0] ?? NONE, ofServer: products.subarray(1) };
  });
  const prefixes = new Set<number>();
  const joined = new Map<string, readonly number[]>();
  for (const [, ofThis] of groupBy(tools, ({ server }) => server)) {
    for (const [prefix, { length }] of groupBy(ofThis, (tool) => tool.prefix)) {
      if (prefix !== NONE && length >= MIN_PREFIXED && length >= MIN_PREFIXED_SHARE * ofThis.length)
        prefixes.add(prefix);
    }
    const name = ofThis[0]?.ofServer ?? [];
    if (name.length > 1) joined.set(Array.from(name, (word) => vocabulary.words[word] ?? "").join(""), [...name]);
  }
  const counts = new Map<number, number>();
  for (const { prefix, ofServer } of tools) {
    for (const word of new Set(prefixes.has(prefix) ? [prefix, ...ofServer] : ofServer))
      counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return { counts, prefixes, joined };
}

export function mergeProductWords(all: readonly ProductWords[]): ProductWords {
  const counts = new Map<number, number>();
  for (const one of all) for (const [word, count] of one.counts) counts.set(word, (counts.get(word) ?? 0) + count);
  return {
    counts,
    prefixes: new Set(all.flatMap(({ prefixes }) => [...prefixes])),
    joined: new Map(all.flatMap(({ joined }) => [...joined])),
  };
}

function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): ReadonlyMap<Key, readonly Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
