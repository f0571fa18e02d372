// Maps the words of a query to stems that tools may use for them. It knows neither the tools nor the weights.
import { toStem } from "../stem.js";
import { compiledLexicon } from "./compiled.js";
import { toRoot } from "./roots.js";
import {
  type CompiledLexicon,
  type PhraseMeaning,
  type PhraseTable,
  readPhraseTable,
  toInitials,
} from "./phrase-table.js";

export interface Relation {
  /** The positions in the query of the words that have this relation. */
  readonly from: readonly number[];
  /** A stem that tools may use instead of these words. */
  readonly stem: string;
  /** `product`: the words are the name of a product, and tools of its kind use the stem. */
  readonly kind: "same" | "concept" | "product";
}

let lexicon: CompiledLexicon | undefined;
/** The phrase tables that were parsed so far, by the initials of their phrases (see `toInitials`). */
const tables = new Map<string, PhraseTable>();

/**
 * Returns the stems that tools may use for the words of a query. `words` are the lower-case words in the order of the
 * query, including stop words. Each relation is returned once; relations are sorted by their first position, the
 * longest phrase first.
 */
export function relate(words: readonly string[]): Relation[] {
  const roots = words.map(toRoot);
  const relations: Relation[] = [];
  for (const [start, word] of words.entries()) {
    const table = findPhraseTable(word);
    const longest = Math.min(table?.longest.get(roots[start] ?? "") ?? 0, words.length - start);
    for (let end = start + longest; end > start; end -= 1) {
      const meanings = table?.meanings.get(roots.slice(start, end).join(" "));
      if (meanings !== undefined) relations.push(...relateRun(words.slice(start, end), start, meanings));
    }
  }
  return relations;
}

function relateRun(run: readonly string[], start: number, meanings: readonly PhraseMeaning[]): Relation[] {
  const from = run.map((_, index) => start + index);
  const known = new Set(run.map(toStem));
  const relations: Relation[] = [];
  for (const { kind, stems } of meanings) {
    for (const stem of stems) {
      if (known.has(stem)) continue;
      known.add(stem);
      relations.push({ from, stem, kind });
    }
  }
  return relations;
}

function findPhraseTable(word: string): PhraseTable | undefined {
  lexicon ??= compiledLexicon();
  const initials = toInitials(word);
  const known = tables.get(initials);
  const text = lexicon[initials];
  if (known !== undefined || text === undefined) return known;
  const table = readPhraseTable(text);
  tables.set(initials, table);
  return table;
}
