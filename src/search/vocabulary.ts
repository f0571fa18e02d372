import { toStem } from "./stem.js";

/** Words and stems as numbers, given in the order of their first appearance and never taken back. */
export interface Vocabulary {
  readonly words: readonly string[];
  readonly stems: readonly string[];
  /** The number of a word, known so far or not. */
  add(word: string): number;
  findWord(word: string): number | undefined;
  findStem(stem: string): number | undefined;
  /** The stem of the word with this number. */
  stemOf(word: number): number;
  /** All words that have this stem. */
  formsOf(stem: number): readonly number[];
}

export function createVocabulary(): Vocabulary {
  const words: string[] = [];
  const stems: string[] = [];
  const wordNumbers = new Map<string, number>();
  const stemNumbers = new Map<string, number>();
  const stemOfWord: number[] = [];
  const forms: number[][] = [];

  const addStem = (stem: string): number => {
    const known = stemNumbers.get(stem);
    if (known !== undefined) return known;
    const number = stems.push(stem) - 1;
    stemNumbers.set(stem, number);
    forms.push([]);
    return number;
  };

  return {
    words,
    stems,
    add(word) {
      const known = wordNumbers.get(word);
      if (known !== undefined) return known;
      const number = words.push(word) - 1;
      wordNumbers.set(word, number);
      const stem = addStem(toStem(word));
      stemOfWord.push(stem);
      forms[stem]?.push(number);
      return number;
    },
    findWord: (word) => wordNumbers.get(word),
    findStem: (stem) => stemNumbers.get(stem),
    stemOf: (word) => stemOfWord[word] ?? -1,
    formsOf: (stem) => forms[stem] ?? [],
  };
}
