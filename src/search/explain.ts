import { FIELD_NAMES, type FieldName, readFields, type SearchDocument } from "./fields.js";
import { likenessOf, type Meaning } from "./meaning/meaning.js";
import type { Query, ReadingKind } from "./query.js";
import { isStopWord } from "./stop-words.js";
import { tokenize } from "./tokenize.js";
import type { Vocabulary } from "./vocabulary.js";

/** A word of the query that a document matches, literally or through another word. */
export interface Match {
  /** The word in the query. */
  readonly word: string;
  /** The matching word in the document. */
  readonly found: string;
  /** How the two words are related. `near`: the word is similar in meaning to the query as a whole. */
  readonly kind: ReadingKind | "near";
  /** The fields in which the word was found. */
  readonly fields: readonly FieldName[];
}

const ORDER: readonly Match["kind"][] = ["exact", "form", "same", "concept", "typing"];

interface ExplainParts {
  readonly text: string;
  readonly vocabulary: Vocabulary;
  readonly meaning: Meaning | undefined;
}

/**
 * Explains which words of the query a document matches. Omits stop words. If a query word matches in several ways, only
 * the most literal match is returned. Matches by meaning come last.
 */
export function explainMatch({ terms }: Query, document: SearchDocument, parts: ExplainParts): Match[] {
  const { vocabulary } = parts;
  const texts = readFields(document).map(tokenize);
  const fields = texts.map((words) => new Set(words.map((word) => vocabulary.findWord(word))));
  const byWords = terms
    .filter(({ role }) => role !== "small")
    .flatMap(({ word, readings }) => {
      const matches = readings.flatMap((reading): Match[] => {
        const found = FIELD_NAMES.filter((_, index) => fields[index]?.has(reading.word) === true);
        return found.length === 0
          ? []
          : [{ word, found: vocabulary.words[reading.word] ?? "", kind: reading.kind, fields: found }];
      });
      return matches.sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind)).slice(0, 1);
    });
  const matched = new Set(byWords.map(({ found }) => found));
  return [...byWords, ...nearMatches(texts, matched, parts)];
}

const MIN_LIKENESS = 0.35;
const MAX_NEAR = 3;
/** The fields that say most about what a tool does. */
const MAIN_FIELDS: readonly FieldName[] = ["name", "title", "server", "firstSentence"];

function nearMatches(
  texts: readonly (readonly string[])[],
  matched: ReadonlySet<string>,
  { text, meaning }: ExplainParts,
): Match[] {
  if (meaning === undefined) return [];
  const query = meaning.readQuery(text);
  const fieldsOf = (word: string): FieldName[] =>
    MAIN_FIELDS.filter((name) => texts[FIELD_NAMES.indexOf(name)]?.includes(word) === true);
  const words = MAIN_FIELDS.flatMap((name) => texts[FIELD_NAMES.indexOf(name)] ?? []);
  return [...new Set(words)]
    .filter((word) => !matched.has(word) && !isStopWord(word))
    .map((word) => ({ word, likeness: likenessOf(query, meaning.readQuery(word)) }))
    .filter(({ likeness }) => likeness >= MIN_LIKENESS)
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, MAX_NEAR)
    .map(({ word }): Match => ({ word: text, found: word, kind: "near", fields: fieldsOf(word) }));
}
