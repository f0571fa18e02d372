// From the words of a query to the stems that tools may use for them; it knows neither tools nor weights.
import { isStopWord } from "../stop-words.js";
import { toStem } from "../stem.js";
import { toRoot } from "./roots.js";
import { type Meaning, type Shelf, createShelves } from "./shelves.js";

export interface Relation {
  /** Positions of the query's words that this relation starts from. */
  readonly from: readonly number[];
  /** A stem that tools may use for it. */
  readonly stem: string;
  readonly kind: "same" | "concept";
}

/** Stems of what lines lead to: as many as the lexicon has lines, at most. */
const stemsOf = new Map<string, readonly string[]>();
let findShelf: ((word: string) => Shelf | undefined) | undefined;

/**
 * What the words of a query may be called by tools. Words come in the order of the query, with small words in, lower-cased;
 * equal relations come once. The answer is ordered by where a relation starts, the longest phrase first.
 */
export function relate(words: readonly string[]): Relation[] {
  findShelf ??= createShelves();
  const roots = words.map(toRoot);
  const relations: Relation[] = [];
  for (const [start, word] of words.entries()) {
    const shelf = findShelf(word);
    const longest = Math.min(shelf?.longest.get(roots[start] ?? "") ?? 0, words.length - start);
    for (let end = start + longest; end > start; end -= 1) {
      const meanings = shelf?.meanings.get(roots.slice(start, end).join(" "));
      if (meanings !== undefined) relations.push(...relateRun(words.slice(start, end), start, meanings));
    }
  }
  return relations;
}

function relateRun(run: readonly string[], start: number, meanings: readonly Meaning[]): Relation[] {
  const from = run.map((_, index) => start + index);
  const known = new Set(run.map(toStem));
  const relations: Relation[] = [];
  for (const { kind, words } of meanings) {
    for (const stem of toStems(words)) {
      if (known.has(stem)) continue;
      known.add(stem);
      relations.push({ from, stem, kind });
    }
  }
  return relations;
}

function toStems(words: string): readonly string[] {
  const known = stemsOf.get(words);
  if (known !== undefined) return known;
  const stems = words
    .split(" ")
    .filter((word) => !isStopWord(word))
    .map(toStem);
  stemsOf.set(words, stems);
  return stems;
}
