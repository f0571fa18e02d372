import { splitChunks, tokenizeChunk } from "../tokenize.js";
import { ABBREVIATIONS } from "./abbreviations.js";
import { CODE } from "./code.js";
import { EVERYDAY } from "./everyday.js";
import { LANGUAGES } from "./languages.js";
import { MEDIA } from "./media.js";
import { MONEY } from "./money.js";
import { OFFICE } from "./office.js";
import { OPERATIONS } from "./operations.js";
import { PRODUCTS } from "./products.js";
import { toRoot } from "./roots.js";
import { SCIENCE } from "./science.js";
import { VERBS } from "./verbs.js";
import { WEB } from "./web.js";

export const DOMAINS = [VERBS, CODE, OPERATIONS, WEB, OFFICE, MONEY, EVERYDAY, MEDIA, SCIENCE];

/** What a phrase may be called by tools. */
export interface Meaning {
  readonly kind: "same" | "concept";
  /** With spaces between. */
  readonly words: string;
}

/** The phrases whose first word begins with the same two letters. */
export interface Shelf {
  /** By the roots of a phrase, joined with spaces. */
  readonly meanings: ReadonlyMap<string, readonly Meaning[]>;
  /** How many words the longest phrase has that starts with a root. */
  readonly longest: ReadonlyMap<string, number>;
}

/** Phrases as written, each with its meaning at the same place in the other list. */
interface Pile {
  readonly phrases: string[];
  readonly meanings: Meaning[];
}

/**
 * Finds the shelf of a word. Stemming the whole lexicon takes longer than a search, so phrases are only piled up by their
 * first letters, which stemming never changes, and a pile becomes a shelf when a word of a query asks for it.
 */
export function createShelves(): (word: string) => Shelf | undefined {
  const piles = pileUp();
  const shelves = new Map<number, Shelf>();
  return (word) => {
    const initials = toInitials(word);
    const pile = piles.get(initials);
    if (pile !== undefined) {
      shelves.set(initials, compileShelf(pile));
      piles.delete(initials);
    }
    return shelves.get(initials);
  };
}

function pileUp(): Map<number, Pile> {
  const piles = new Map<number, Pile>();
  const put = (phrase: string, meaning: Meaning): void => {
    const initials = toInitials(phrase);
    const pile = piles.get(initials);
    if (pile === undefined) piles.set(initials, { phrases: [phrase], meanings: [meaning] });
    else {
      pile.phrases.push(phrase);
      pile.meanings.push(meaning);
    }
  };
  const putEach = (phrases: string, separator: string, meaning: Meaning): void => {
    for (const phrase of phrases.split(separator)) put(phrase, meaning);
  };

  for (const { same } of DOMAINS) for (const words of same) putEach(words, " ", { kind: "same", words });
  for (const line of ABBREVIATIONS) {
    const [short, long] = readLine(line);
    // One word of a long form says only a part of it.
    put(short, { kind: long.includes(" ") ? "concept" : "same", words: long });
    put(long, { kind: "same", words: short });
  }
  for (const lines of [...DOMAINS.map(({ concepts }) => concepts), PRODUCTS]) {
    for (const line of lines) {
      const [said, words] = readLine(line);
      putEach(said, ", ", { kind: "concept", words });
    }
  }
  for (const line of LANGUAGES) {
    const [words, said] = readLine(line);
    putEach(said, " ", { kind: "concept", words });
  }
  return piles;
}

function compileShelf({ phrases, meanings: written }: Pile): Shelf {
  const meanings = new Map<string, Meaning[]>();
  const longest = new Map<string, number>();
  for (const [index, meaning] of written.entries()) {
    const roots = toWords(phrases[index] ?? "").map(toRoot);
    const [first = ""] = roots;
    const key = roots.join(" ");
    const known = meanings.get(key);
    if (known === undefined) meanings.set(key, [meaning]);
    else known.push(meaning);
    if (roots.length > (longest.get(first) ?? 0)) longest.set(first, roots.length);
  }
  return { meanings, longest };
}

/** The words of a phrase as a query brings them. */
function toWords(phrase: string): string[] {
  return /^[ -~]*$/u.test(phrase) ? phrase.split(/[ -]/u) : splitChunks(phrase).flatMap(toParts);
}

/** Without the last of several words, which is the chunk itself. */
function toParts(chunk: string): string[] {
  const words = tokenizeChunk(chunk);
  return words.length > 1 ? words.slice(0, -1) : words;
}

/** A number for the first two letters, without the marks that Latin letters of a query come without. */
function toInitials(word: string): number {
  return toBase(word.charCodeAt(0)) * 0x10000 + (word.length > 1 ? toBase(word.charCodeAt(1)) : 0);
}

function toBase(code: number): number {
  return code >= 0xc0 && code < 0x250 ? String.fromCharCode(code).normalize("NFD").charCodeAt(0) : code;
}

export function readLine(line: string): [before: string, after: string] {
  const colon = line.indexOf(": ");
  return [line.slice(0, colon), line.slice(colon + 2)];
}
