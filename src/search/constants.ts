import type { FieldName } from "./fields.js";

/** How one field of a document counts. */
export interface FieldConstants {
  /** How much one occurrence of a word counts. */
  readonly weight: number;
  /** How much a longer than usual text lowers that, 0 to 1. */
  readonly lengthNorm: number;
  /** In words. Fixed, so that a tool counts the same in every catalog and one server's change leaves the others' numbers alone. */
  readonly usualLength: number;
}

/** Every number of the ranking, for `docs/search.md` to account for and the benches to vary. */
export interface RankingConstants {
  readonly fields: Readonly<Record<FieldName, FieldConstants>>;
  /** How soon further occurrences of a word stop to count. */
  readonly saturation: number;
  /** What other forms of a word count for beside the word itself. */
  readonly otherForm: number;
  /** What a word of the same meaning counts for. */
  readonly sameMeaning: number;
  /** What a word that tools of this kind use counts for. */
  readonly concept: number;
  /** Up to this many words of content a query is short, and other words for them count in full. */
  readonly shortQuery: number;
  /** With so many words more, they count half. */
  readonly halfBeyond: number;
  /** What a word of the catalog counts for that a mistyped one may have meant. */
  readonly typingError: number;
  /** What a word like "the" or "please" counts for. */
  readonly stopWord: number;
  /** How much the best part of a request with several adds to its whole. */
  readonly clause: number;
  /** A part that scores one so-many-th of the whole counts in full. */
  readonly clauseScale: number;
  /** How much the best tools of the same server add to each other. */
  readonly server: number;
  /** What is left of a deprecated tool's score. */
  readonly deprecated: number;
  /** How much likeness in meaning adds, in words as rare as can be. */
  readonly meaning: number;
  /** How much of the likeness to the nearest part of a request counts, where that is nearer than the whole. */
  readonly clauseMeaning: number;
  /** How much it adds, beside the likeness, that the query's own words are there. */
  readonly literal: number;
  /** From so many words of content on, a query is long: its words tell more, its meaning as a whole less. */
  readonly longQuery: number;
  /** With so many words more, the words have their full gain. */
  readonly fullGainBeyond: number;
  /** By how much more the words of a long query then count. */
  readonly longGain: number;
  /** What a close look adds to the best of a short query: how near in meaning they are as a whole, */
  readonly closeWhole: number;
  /** how well each piece of the query is answered, as far as words do not tell, */
  readonly closePieces: number;
  /** how much of their name the query says, */
  readonly closeName: number;
  /** of their server's name, */
  readonly closeServer: number;
  /** and how much of the query they answer by words. */
  readonly closeCovered: number;
}

export const RANKING: RankingConstants = {
  fields: {
    name: { weight: 2.4, lengthNorm: 0.5, usualLength: 3 },
    title: { weight: 1, lengthNorm: 0.5, usualLength: 3 },
    server: { weight: 1.1, lengthNorm: 0.3, usualLength: 2 },
    firstSentence: { weight: 1.4, lengthNorm: 0.7, usualLength: 12 },
    description: { weight: 0.4, lengthNorm: 0.7, usualLength: 25 },
    parameterNames: { weight: 0.6, lengthNorm: 0.5, usualLength: 5 },
    parameterDescriptions: { weight: 0.3, lengthNorm: 0.7, usualLength: 30 },
    enumValues: { weight: 0.7, lengthNorm: 0.5, usualLength: 4 },
    tags: { weight: 0.8, lengthNorm: 0.3, usualLength: 1 },
    serverDescription: { weight: 0.3, lengthNorm: 0.7, usualLength: 10 },
  },
  saturation: 1.2,
  otherForm: 0.7,
  sameMeaning: 0.3,
  concept: 0.3,
  shortQuery: 5,
  halfBeyond: 5,
  typingError: 0.3,
  stopWord: 0.15,
  clause: 0.6,
  clauseScale: 2,
  server: 0.2,
  deprecated: 0.95,
  meaning: 4.5,
  clauseMeaning: 0.5,
  literal: 0.5,
  longQuery: 8,
  fullGainBeyond: 8,
  longGain: 1.5,
  closeWhole: 4,
  closePieces: 7,
  closeName: 0.6,
  closeServer: 1.1,
  closeCovered: 2.5,
};
