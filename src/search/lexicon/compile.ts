import { isStopWord } from "../stop-words.js";
import { toStem } from "../stem.js";
import { splitChunks, tokenizeChunk } from "../tokenize.js";
import { type Entry, type LexiconSection, parseFile } from "./parse-file.js";
import { toRoot } from "./roots.js";
import { type CompiledLexicon, type PhraseMeaning, toInitials, writePhraseTable } from "./phrase-table.js";

export interface LexiconFile {
  readonly name: string;
  readonly text: string;
}

/** The order in which search reads the meanings of a phrase: by section, and inside a section by file. */
const ORDER: readonly LexiconSection[] = ["synonyms", "abbreviations", "products", "concepts", "translations"];

/**
 * Compiles the lexicon files in the order of `files`. Throws one error that lists the file and line of every problem.
 */
export function compileLexicon(files: readonly LexiconFile[]): CompiledLexicon {
  const entries = readEntries(files);
  const tables = new Map<string, Map<string, PhraseMeaning[]>>();
  const put = (phrase: string, meaning: PhraseMeaning): void => {
    const initials = toInitials(phrase);
    const table = tables.get(initials) ?? new Map<string, PhraseMeaning[]>();
    tables.set(initials, table);
    const roots = toWords(phrase).map(toRoot).join(" ");
    const known = table.get(roots);
    if (known === undefined) table.set(roots, [meaning]);
    else known.push(meaning);
  };

  for (const section of ORDER) {
    for (const { phrases, words } of entries.filter((entry) => entry.section === section)) {
      // If an abbreviation stands for several words, each of them has only a part of its meaning.
      const isSame = section === "synonyms" || (section === "abbreviations" && words.length === 1);
      const kind = isSame ? "same" : section === "products" ? "product" : "concept";
      const meaning: PhraseMeaning = { kind, stems: toStems(words) };
      for (const phrase of phrases) put(phrase, meaning);
      if (section === "abbreviations") put(words.join(" "), { kind: "same", stems: toStems(phrases) });
    }
  }
  return Object.fromEntries([...tables].map(([initials, table]) => [initials, writePhraseTable(table)]));
}

function readEntries(files: readonly LexiconFile[]): Entry[] {
  const all: Entry[] = [];
  const problems: string[] = [];
  const firstLines = new Map<string, string>();
  for (const { name, text } of files) {
    const parsed = parseFile(text);
    for (const { line, message } of parsed.problems) problems.push(`${name}:${line}: ${message}`);
    for (const entry of parsed.entries) {
      const key = `${entry.section} ${entry.text}`;
      const first = firstLines.get(key);
      if (first === undefined) firstLines.set(key, `${name}:${entry.line}`);
      else problems.push(`${name}:${entry.line}: The line repeats ${first}.`);
      all.push(entry);
    }
  }
  if (problems.length > 0) throw new Error(`The lexicon has errors.\n${problems.join("\n")}`);
  return all;
}

function toStems(words: readonly string[]): string[] {
  return words.filter((word) => !isStopWord(word)).map(toStem);
}

/** The words of a phrase, split in the same way as a query. */
function toWords(phrase: string): string[] {
  return /^[ -~]*$/u.test(phrase) ? phrase.split(/[ -]/u) : splitChunks(phrase).flatMap(toParts);
}

/** The words of a chunk, without the last one if there are several: the last one is the whole chunk. */
function toParts(chunk: string): string[] {
  const words = tokenizeChunk(chunk);
  return words.length > 1 ? words.slice(0, -1) : words;
}
