import { toStem } from "../stem.js";
import { isStopWord } from "../stop-words.js";

export type LexiconSection = "synonyms" | "abbreviations" | "concepts" | "products" | "translations";

/** One line of a lexicon file: phrases that users write, and the words that tools use for them. */
export interface Entry {
  readonly section: LexiconSection;
  readonly phrases: readonly string[];
  readonly words: readonly string[];
  readonly text: string;
  readonly line: number;
}

export interface ParsedLexiconFile {
  readonly entries: readonly Entry[];
  readonly problems: readonly LexiconProblem[];
}

export interface LexiconProblem {
  readonly line: number;
  /** What is wrong, as a complete sentence. */
  readonly message: string;
}

type Sides = Pick<Entry, "phrases" | "words">;
/** Returns the two sides of a lexicon line, or a sentence that explains what is wrong with the line. */
type ReadLine = (line: string) => Sides | string;

const MAX_WORDS = 4;
const ENGLISH = /^[a-z0-9]+(?: [a-z0-9]+)*$/;
const FOREIGN = /^[\p{L}\p{M}]+(?:-[\p{L}\p{M}]+)*$/u;

const READERS: Readonly<Record<LexiconSection, ReadLine>> = {
  synonyms: readSynonyms,
  abbreviations: readAbbreviation,
  concepts: readConcept,
  products: readConcept,
  translations: readTranslation,
};

/** Parses one lexicon file. `lexicon/README.md` documents the format. */
export function parseFile(text: string): ParsedLexiconFile {
  const entries: Entry[] = [];
  const problems: LexiconProblem[] = [];
  let section: LexiconSection | undefined;
  for (const [index, content] of text.split("\n").entries()) {
    const line = index + 1;
    if (content === "" || content.startsWith("#")) continue;
    if (content.startsWith("[")) {
      section = toSection(content);
      if (section === undefined) {
        const message = `Unknown section ${content}. The sections are ${SECTION_LIST}.`;
        return { entries, problems: [...problems, { line, message }] };
      }
      continue;
    }
    const sides = section === undefined ? `The line is before the first section (${SECTION_LIST}).` : read(content);
    if (typeof sides === "string") problems.push({ line, message: sides });
    else if (section !== undefined) entries.push({ section, ...sides, text: content, line });
  }
  return { entries, problems };

  function read(content: string): Sides | string {
    if (content !== content.normalize("NFC")) return "The line is not in Unicode normalization form C.";
    if (/^\s|\s$|\s\s|[^\S ]/u.test(content))
      return "Separate words with one space, and do not start or end a line with a space.";
    return section === undefined ? "" : READERS[section](content);
  }
}

const SECTION_LIST = Object.keys(READERS)
  .map((name) => `[${name}]`)
  .join(", ");

function toSection(header: string): LexiconSection | undefined {
  const name = header.slice(1, -1);
  return header.endsWith("]") && Object.hasOwn(READERS, name) ? (name as LexiconSection) : undefined;
}

function readSynonyms(line: string): Sides | string {
  const words = line.split(" ");
  if (words.length < 2) return "A line of synonyms needs two or more words.";
  const fault = faultOfEnglish(line) ?? faultOfWords(words);
  if (fault !== undefined) return fault;
  const stems = words.map(toStem);
  const twin = stems.findIndex((stem, index) => stems.indexOf(stem) !== index);
  if (twin !== -1)
    return `"${words[twin]}" has the same stem as another word of the line; search already treats them as equal.`;
  return { phrases: words, words };
}

function readAbbreviation(line: string): Sides | string {
  const [short, long] = splitSides(line);
  if (short === undefined || long === undefined) return 'An abbreviation has the form "short: long form".';
  const fault = faultOfEnglish(short) ?? faultOfEnglish(long);
  if (fault !== undefined) return fault;
  if (short.includes(" ")) return `"${short}" has more than one word; the short form must be one word.`;
  if (isStopWord(short)) return stopWord(short);
  const words = long.split(" ");
  if (words.every(isStopWord)) return `"${long}" has only stop words, which search ignores.`;
  return words.length > MAX_WORDS ? tooLong(long) : { phrases: [short], words };
}

function readConcept(line: string): Sides | string {
  const [said, called] = splitSides(line);
  if (said === undefined || called === undefined) return 'A concept has the form "phrase, phrase: word word".';
  const phrases = said.split(", ");
  const words = called.split(" ");
  for (const phrase of phrases) {
    const fault = faultOfEnglish(phrase);
    if (fault !== undefined) return fault;
    if (phrase.split(" ").length > MAX_WORDS) return tooLong(phrase);
    if (isStopWord(phrase)) return stopWord(phrase);
  }
  const repeated = phrases.find((phrase, index) => phrases.indexOf(phrase) !== index);
  if (repeated !== undefined) return `"${repeated}" occurs twice in the line.`;
  if (words.length > MAX_WORDS) return tooLong(called);
  return faultOfEnglish(called) ?? faultOfWords(words) ?? { phrases, words };
}

function readTranslation(line: string): Sides | string {
  const [english, foreign] = splitSides(line);
  if (english === undefined || foreign === undefined) return 'A translation has the form "english word: word word".';
  const words = english.split(" ");
  const phrases = foreign.split(" ");
  if (words.length > MAX_WORDS) return tooLong(english);
  const odd = phrases.find((phrase) => !FOREIGN.test(phrase));
  if (odd !== undefined) return `"${odd}" must have only letters, and hyphens between the words of a phrase.`;
  return faultOfEnglish(english) ?? faultOfWords(words) ?? { phrases, words };
}

function splitSides(line: string): readonly (string | undefined)[] {
  const sides = line.split(": ");
  return sides.length === 2 ? sides : [];
}

function faultOfEnglish(text: string): string | undefined {
  return ENGLISH.test(text) ? undefined : `"${text}" may contain only the letters a to z, digits and single spaces.`;
}

function faultOfWords(words: readonly string[]): string | undefined {
  const small = words.find(isStopWord);
  if (small !== undefined) return stopWord(small);
  const repeated = words.find((word, index) => words.indexOf(word) !== index);
  return repeated === undefined ? undefined : `"${repeated}" occurs twice in the line.`;
}

function stopWord(word: string): string {
  return `"${word}" is a stop word, which search ignores.`;
}

function tooLong(text: string): string {
  return `"${text}" has more than ${MAX_WORDS} words.`;
}
