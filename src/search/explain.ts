import { FIELD_NAMES, type FieldName, readFields, type SearchDocument } from "./fields.js";
import { likenessOf, type Meaning } from "./meaning/meaning.js";
import type { Query, ReadingKind } from "./query.js";
import { isStopWord } from "./stop-words.js";
import { tokenize } from "./tokenize.js";
import type { Vocabulary } from "./vocabulary.js";

/** One word of the query that a document has, itself or by another word. */
export interface Match {
  /** As the query says it. */
  readonly word: string;
  /** As the document says it. */
  readonly found: string;
  /** `near`: the query as a whole means about the same as this word. */
  readonly kind: ReadingKind | "near";
  readonly fields: readonly FieldName[];
}

const ORDER: readonly Match["kind"][] = ["exact", "form", "same", "concept", "typing"];

interface ExplainParts {
  readonly text: string;
  readonly vocabulary: Vocabulary;
  readonly meaning: Meaning | undefined;
}

/** Small words are left out; of several words for one the most literal is told. What is near in meaning comes last. */
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
  const told = new Set(byWords.map(({ found }) => found));
  return [...byWords, ...nearMatches(texts, told, parts)];
}

const LEAST_LIKENESS = 0.35;
const MOST_NEAR = 3;
/** Where a tool says what it does. */
const TELLING: readonly FieldName[] = ["name", "title", "server", "firstSentence"];

function nearMatches(
  texts: readonly (readonly string[])[],
  told: ReadonlySet<string>,
  { text, meaning }: ExplainParts,
): Match[] {
  if (meaning === undefined) return [];
  const query = meaning.readQuery(text);
  const fieldsOf = (word: string): FieldName[] =>
    TELLING.filter((name) => texts[FIELD_NAMES.indexOf(name)]?.includes(word) === true);
  const words = TELLING.flatMap((name) => texts[FIELD_NAMES.indexOf(name)] ?? []);
  return [...new Set(words)]
    .filter((word) => !told.has(word) && !isStopWord(word))
    .map((word) => ({ word, likeness: likenessOf(query, meaning.readQuery(word)) }))
    .filter(({ likeness }) => likeness >= LEAST_LIKENESS)
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, MOST_NEAR)
    .map(({ word }): Match => ({ word: text, found: word, kind: "near", fields: fieldsOf(word) }));
}
