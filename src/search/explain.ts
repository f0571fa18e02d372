import { FIELD_NAMES, type FieldName, readFields, type SearchDocument } from "./fields.js";
import type { Query, ReadingKind } from "./query.js";
import { tokenize } from "./tokenize.js";
import type { Vocabulary } from "./vocabulary.js";

/** One word of the query that a document has, itself or by another word. */
export interface Match {
  /** As the query says it. */
  readonly word: string;
  /** As the document says it. */
  readonly found: string;
  readonly kind: ReadingKind;
  readonly fields: readonly FieldName[];
}

const ORDER: readonly ReadingKind[] = ["exact", "form", "same", "concept", "typing"];

/** Small words are left out; of several words for one the most literal is told. */
export function explainMatch({ terms }: Query, document: SearchDocument, vocabulary: Vocabulary): Match[] {
  const fields = readFields(document).map((text) => new Set(tokenize(text).map((word) => vocabulary.findWord(word))));
  return terms
    .filter(({ role }) => role !== "small")
    .flatMap(({ word, readings }) => {
      const matches = readings.flatMap((reading) => {
        const found = FIELD_NAMES.filter((_, index) => fields[index]?.has(reading.word) === true);
        return found.length === 0
          ? []
          : [{ word, found: vocabulary.words[reading.word] ?? "", kind: reading.kind, fields: found }];
      });
      return matches.sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind)).slice(0, 1);
    });
}
