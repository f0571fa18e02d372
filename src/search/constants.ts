import type { FieldName } from "./fields.js";

/** The BM25F parameters of one field of a document. */
export interface FieldConstants {
  /** The weight of one occurrence of a word in this field. */
  readonly weight: number;
  /** How strongly a text that is longer than usual lowers the weight, from 0 to 1 (b of BM25F). */
  readonly lengthNorm: number;
  /**
   * The usual number of words in this field. A constant rather than the average of the catalog, so that a tool scores
   * the same in every catalog, and a change of one server does not change the scores of others.
   */
  readonly usualLength: number;
}

/** All constants of the search ranking. `docs/explanation/search.md` explains them, and the benchmarks vary them. */
export interface RankingConstants {
  readonly fields: Readonly<Record<FieldName, FieldConstants>>;
  /** How soon further occurrences of a word stop increasing the score (k1 of BM25). */
  readonly saturation: number;
  /** How much an occurrence of another form of a query word counts, from 0 to 1. */
  readonly otherForm: number;
  /** How much an occurrence of a synonym counts, from 0 to 1. */
  readonly sameMeaning: number;
  /** How much an occurrence of a word for a related concept counts, from 0 to 1. */
  readonly concept: number;
  /** A query with at most this many content words is short: synonyms and concepts count in full. */
  readonly shortQuery: number;
  /** For queries longer than `shortQuery`: synonyms and concepts count half if the query has this many more words. */
  readonly halfBeyond: number;
  /** How much an occurrence of the correction of a mistyped query word counts, from 0 to 1. */
  readonly typingError: number;
  /** The weight of stop words such as "the" or "please", relative to other words. */
  readonly stopWord: number;
  /** The weight of words in quoted texts, URLs and e-mail addresses, relative to other words. */
  readonly payload: number;
  /** For a query with several clauses: how much the best matching clause adds to the score of the whole query. */
  readonly clause: number;
  /** A clause counts in full if its score is at least the best score for the whole query divided by this number. */
  readonly clauseScale: number;
  /** How much the mean score of a server's best tools adds to the score of each of its tools. */
  readonly server: number;
  /** The factor by which the score of a deprecated tool is multiplied. */
  readonly deprecated: number;
  /** How much semantic similarity adds to the score, in units of the highest possible word weight. */
  readonly meaning: number;
  /**
   * Which semantic similarity counts: 0 is the similarity to the whole query, 1 the similarity to its nearest clause,
   * values in between interpolate.
   */
  readonly clauseMeaning: number;
  /**
   * How much the share of query words that the tool contains literally adds to the score, in addition to semantic
   * similarity.
   */
  readonly literal: number;
  /**
   * A query with more content words than this is long: the lexical score counts more, and the second pass counts less.
   */
  readonly longQuery: number;
  /** For queries longer than `longQuery`: `longGain` applies fully if the query has this many more words. */
  readonly fullGainBeyond: number;
  /** How much the lexical score is increased in a long query, as a share of that score. */
  readonly longGain: number;
  /**
   * Second pass, which reranks the best hits of all but very long queries: the weight of the semantic similarity to the
   * whole query.
   */
  readonly closeWhole: number;
  /**
   * Second pass: the weight of the similarity of each query token to the nearest token of the tool. It is reduced by
   * the share of the query that the best lexical match already covers.
   */
  readonly closePieces: number;
  /** Second pass: the weight of the share of the tool's name that the query contains. */
  readonly closeName: number;
  /** Second pass: the weight of the share of the server's name that the query contains. */
  readonly closeServer: number;
  /** Second pass: the weight of the share of the query's words that the tool matches. */
  readonly closeCovered: number;
  /** Comparison of request and tool: the weight of the same or another action. */
  readonly action: number;
  /** Comparison of request and tool: the weight of the things that the tool acts on. */
  readonly object: number;
  /** Comparison of request and tool: what a tool of a product that the query names gains. */
  readonly product: number;
  /** Comparison of request and tool: what a general-purpose tool gains for an open question or a URL. */
  readonly general: number;
  /** Comparison of request and tool: what a tool gains that finds an identifier which the best candidate needs. */
  readonly lookup: number;
  /** What a tool gains at most that the caller has used in this session. */
  readonly usage: number;
  /** For a request with several steps: what the best tool for a step gains. */
  readonly step: number;
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
  payload: 0.5,
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
  action: 0.2,
  object: 0.15,
  product: 2,
  general: 0.5,
  lookup: 1.25,
  usage: 0.4,
  step: 0.8,
};
