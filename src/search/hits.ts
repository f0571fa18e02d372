/** A document and the probability that it is what the user looked for. */
export interface Weighed {
  readonly document: number;
  readonly relevance: number;
}

/** A document whose name or id equals the query. */
export interface Named {
  readonly document: number;
  /** 3: equal to the id or name; 2: equal except for case; 1: equal except for case and separators. */
  readonly exactness: number;
}

/** If more tools than this have the name in the query, the name alone does not identify a tool. */
const MAX_NAMESAKES = 3;
/** The highest relevance of a hit. Only a tool whose name or id is the query gets 1. */
const MAX_RELEVANCE = 0.99;

export function nameExactly(text: string, id: string): number {
  const names = [id, id.slice(id.indexOf(":") + 1)];
  if (names.includes(text)) return 3;
  return names.some((name) => name.toLowerCase() === text.toLowerCase()) ? 2 : 1;
}

/**
 * Returns the documents found by name, sorted by exactness, followed by the candidates in their order. Relevance never
 * increases down the list.
 */
export function toHits(named: readonly Named[], candidates: readonly Weighed[]): Weighed[] {
  const rank = new Map(candidates.map(({ document }, index) => [document, index]));
  const rankOf = (document: number): number => rank.get(document) ?? candidates.length;
  // A query that is the name of many tools identifies none of them.
  const nameRelevance = named.length <= MAX_NAMESAKES ? 1 : 1 / named.length;
  const hits = named
    .toSorted((a, b) => b.exactness - a.exactness || rankOf(a.document) - rankOf(b.document) || a.document - b.document)
    .map(({ document }): Weighed => ({ document, relevance: nameRelevance }));
  const isNamed = new Set(named.map(({ document }) => document));
  let ceiling = Math.min(MAX_RELEVANCE, hits[0]?.relevance ?? 1);
  for (const { document, relevance } of candidates) {
    ceiling = Math.min(ceiling, relevance);
    if (!isNamed.has(document)) hits.push({ document, relevance: ceiling });
  }
  return hits;
}
