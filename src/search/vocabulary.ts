import { toStem } from "./stem.js";

/** Assigns numbers to words and stems in the order of their first occurrence. Numbers are never reused. */
export interface Vocabulary {
  readonly words: readonly string[];
  readonly stems: readonly string[];
  /** Returns the number of a word, and assigns one if it is new. */
  add(word: string): number;
  findWord(word: string): number | undefined;
  findStem(stem: string): number | undefined;
  /** Returns the stem number for a word number. */
  stemOf(word: number): number;
  /** Returns the numbers of all words with this stem. */
  formsOf(stem: number): readonly number[];
}

const NONE = -1;

export function createVocabulary(): Vocabulary {
  const words: string[] = [];
  const stems: string[] = [];
  const wordNumbers = new Map<string, number>();
  const stemNumbers = new Map<string, number>();
  const stemOfWord: number[] = [];
  // The forms of a stem are a linked list: one array per stem would take most of the vocabulary's memory.
  const firstForms: number[] = [];
  const lastForms: number[] = [];
  const nextForms: number[] = [];

  const addForm = (stem: string, word: number): number => {
    const known = stemNumbers.get(stem);
    if (known !== undefined) {
      nextForms[lastForms[known] ?? 0] = word;
      lastForms[known] = word;
      return known;
    }
    const number = stems.push(stem) - 1;
    stemNumbers.set(stem, number);
    firstForms.push(word);
    lastForms.push(word);
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
      nextForms.push(NONE);
      stemOfWord.push(addForm(toStem(word), number));
      return number;
    },
    findWord: (word) => wordNumbers.get(word),
    findStem: (stem) => stemNumbers.get(stem),
    stemOf: (word) => stemOfWord[word] ?? -1,
    formsOf(stem) {
      const forms: number[] = [];
      for (let word = firstForms[stem] ?? NONE; word !== NONE; word = nextForms[word] ?? NONE) forms.push(word);
      return forms;
    },
  };
}
