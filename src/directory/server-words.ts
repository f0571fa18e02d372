import { toStem } from "../search/stem.js";
import { isStopWord } from "../search/stop-words.js";
import { splitChunks, tokenizeChunk } from "../search/tokenize.js";
import { aboutServer, productWords, toServiceName } from "./documents.js";
import type { DirectoryEntry } from "./entry.js";

/** How much of a query one server matches. Both numbers are shares from 0 to 1, weighted by the rarity of the words. */
export interface ServerMatch {
  /** Share of the query's words that occur anywhere in the entry. */
  readonly covered: number;
  /** Share of the query's words that occur in the server's name or title, or in its `productWords`. */
  readonly named: number;
}

export interface ServerWords {
  /** The match of every server whose entry contains a word of the query, by server name. */
  match(query: string): ReadonlyMap<string, ServerMatch>;
}

/** Indexes servers by the words in their names and by the words in their whole entries. */
export function createServerWords(entries: readonly DirectoryEntry[]): ServerWords {
  const toStems = createStemReader();
  const anywhere = new Map<string, Set<string>>();
  const inNames = new Map<string, Set<string>>();
  for (const entry of entries) {
    const name = toStems([toServiceName(entry), entry.name, ...productWords(entry)].join(" "));
    add(inNames, name, entry.name);
    add(anywhere, name, entry.name);
    add(anywhere, toStems(aboutServer(entry)), entry.name);
    for (const tool of entry.tools) add(anywhere, toStems(`${tool.name} ${tool.words}`), entry.name);
  }
  const rarityOf = (stem: string): number => Math.log(1 + entries.length / (1 + (anywhere.get(stem)?.size ?? 0)));

  return {
    match(query) {
      const stems = [...toStems(query)];
      const total = stems.reduce((sum, stem) => sum + rarityOf(stem), 0);
      const matches = new Map<string, { covered: number; named: number }>();
      for (const stem of stems) {
        const weight = rarityOf(stem) / total;
        const named = inNames.get(stem);
        for (const server of anywhere.get(stem) ?? []) {
          const match = matches.get(server) ?? { covered: 0, named: 0 };
          match.covered += weight;
          if (named?.has(server) === true) match.named += weight;
          matches.set(server, match);
        }
      }
      return matches;
    },
  };
}

function add(index: Map<string, Set<string>>, stems: Iterable<string>, server: string): void {
  for (const stem of stems) {
    const servers = index.get(stem) ?? new Set();
    index.set(stem, servers.add(server));
  }
}

/** Returns a function that returns the stems of a text. Most words repeat, so stems are cached per word. */
function createStemReader(): (text: string) => Set<string> {
  const known = new Map<string, readonly string[]>();
  const read = (chunk: string): readonly string[] => {
    // `GitHub` and `CreateMessage` are indexed as one word and as their parts.
    const words = [chunk.toLowerCase(), ...tokenizeChunk(chunk)];
    const stems = words.filter((word) => word.length > 1 && !isStopWord(word)).map(toStem);
    known.set(chunk, stems);
    return stems;
  };
  return (text) => new Set(splitChunks(text).flatMap((chunk) => known.get(chunk) ?? read(chunk)));
}
