import { toStem } from "../search/stem.js";
import { isStopWord } from "../search/stop-words.js";
import { splitChunks, tokenizeChunk } from "../search/tokenize.js";
import { aboutServer, productWords, toServiceName } from "./documents.js";
import type { DirectoryEntry } from "./entry.js";

/** How much of a query one server answers as a whole. Both are shares, 0 to 1, in which a rare word counts more than a common one. */
export interface ServerMatch {
  /** Words of the query that occur anywhere in the entry. */
  readonly covered: number;
  /** Words of the query that occur in the server's name or title, or say what the product of that name is for. */
  readonly named: number;
}

export interface ServerWords {
  /** The match of every server that has a word of the query. */
  match(query: string): ReadonlyMap<string, ServerMatch>;
}

/** Which servers have which words, in their names and anywhere else. */
export function createServerWords(entries: readonly DirectoryEntry[]): ServerWords {
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

function toStems(text: string): Set<string> {
  const stems = new Set<string>();
  for (const chunk of splitChunks(text)) {
    // `GitHub` and `CreateMessage` are looked up whole and in parts.
    for (const word of [chunk.toLowerCase(), ...tokenizeChunk(chunk)]) {
      if (word.length > 1 && !isStopWord(word)) stems.add(toStem(word));
    }
  }
  return stems;
}
