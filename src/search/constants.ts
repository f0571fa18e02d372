import type { FieldName } from "./fields.js";

/** The BM25F parameters of one field. */
export interface FieldConstants {
  /** The weight of one occurrence of a word. */
  readonly weight: number;
  /** How strongly a text of more than the usual length lowers the weight, 0 to 1. */
  readonly lengthNorm: number;
  /**
   * In words. A constant rather than the average of the catalog, so that a tool scores the same in every catalog, and a
   * change of one server does not change the scores of others.
   */
  readonly usualLength: number;
}

/** All constants of the ranking. `docs/explanation/search.md` explains them, and the benchmarks vary them. */
export interface RankingConstants {
  readonly fields: Readonly<Record<FieldName, FieldConstants>>;
  /** How soon further occurrences of a word stop adding to the score (k1 of BM25). */
  readonly saturation: number;
  /** The share of an occurrence that counts for another form of the word. */
  readonly otherForm: number;
  /** The share of an occurrence that counts for a synonym. */
  readonly sameMeaning: number;
  /** The share of an occurrence that counts for a word of a related concept. */
  readonly concept: number;
  /** A query with at most this many content words is short: synonyms and concepts count in full. */
  readonly shortQuery: number;
  /** With this many further words, synonyms and concepts count half. */
  readonly halfBeyond: number;
  /** The share of an occurrence that counts for a word that a mistyped one may stand for. */
  readonly typingError: number;
  /** The share of the weight that a stop word such as "the" or "please" has. */
  readonly stopWord: number;
  /** How much the best clause of a request with several clauses adds to the score of the whole. */
  readonly clause: number;
  /** A clause counts in full if its score is at least the score of the whole divided by this number. */
  readonly clauseScale: number;
  /** How much the best tools of the same server add to each other's scores. */
  readonly server: number;
  /** The factor for the score of a deprecated tool. */
  readonly deprecated: number;
  /** How much semantic similarity adds, in units of the rarest possible word. */
  readonly meaning: number;
  /** How much of the similarity to the nearest clause counts, if it is nearer than the whole query. */
  readonly clauseMeaning: number;
  /** How much the presence of the query's own words adds, in addition to the similarity. */
  readonly literal: number;
  /** A query with more content words than this is long: its words say more, and its overall meaning less. */
  readonly longQuery: number;
  /** With this many further words, the gain of the words is complete. */
  readonly fullGainBeyond: number;
  /** The gain of the words in a long query. */
  readonly longGain: number;
  /** The second pass reranks the best hits of a short query. This constant weighs the similarity of the whole text. */
  readonly closeWhole: number;
  /** Second pass: how well each piece of the query is answered, as far as words do not answer it. */
  readonly closePieces: number;
  /** Second pass: how much of the tool's name the query contains. */
  readonly closeName: number;
  /** Second pass: how much of the server's name the query contains. */
  readonly closeServer: number;
  /** Second pass: how much of the query the tool answers by words. */
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
