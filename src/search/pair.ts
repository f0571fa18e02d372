import type { StoredTraits } from "./block-traits.js";
import type { RankingConstants } from "./constants.js";
import type { Fused } from "./fuse.js";
import type { NamedProducts } from "./products.js";
import { type Action, isReading } from "./request/actions.js";
import type { RequestFacts } from "./request/request.js";
import type { GeneralUse } from "./traits.js";
import type { Vocabulary } from "./vocabulary.js";

interface PairParts {
  readonly request: RequestFacts;
  readonly ranking: RankingConstants;
  readonly vocabulary: Vocabulary;
  readonly products: NamedProducts;
  readonly traitsOf: (document: number) => StoredTraits;
  readonly serverOf: (document: number) => string;
  readonly isDeprecated: (document: number) => boolean;
  readonly idOf: (document: number) => string;
  /** What a document gains because the caller has used it before. */
  readonly gain: ((document: number) => number) | undefined;
}

/** How many candidates are compared with the request. Candidates after them keep their order. */
const MAX_PAIRS = 60;
/** How many of the best candidates are asked which identifiers they need. */
const MAX_NEEDING = 8;
/** A deprecated tool usually has the plainer name: its replacement must come first although its name has more words. */
const DEPRECATED = -0.5;
/** More words than this that the request does not contain make no further difference. */
const MAX_OTHER_OBJECTS = 3;

export interface ComparedPairs {
  /** Sorted by score, then by id. */
  readonly list: readonly Fused[];
  /** Whether a tool of a product that the query names, or a general-purpose tool for the request, is in the list. */
  readonly isKnownToFit: boolean;
}

/**
 * The last step of the ranking: compares what the request asks for with what each tool does. It considers the action,
 * the things that the tool acts on and how many, a named product, general-purpose tools, and tools that find an
 * identifier that a better candidate needs.
 */
export function comparePairs(candidates: readonly Fused[], parts: PairParts): ComparedPairs {
  const { request, ranking, products, traitsOf, idOf } = parts;
  const stems = new Map(
    [...request.stems].flatMap(([stem, quality]) => {
      const number = parts.vocabulary.findStem(stem);
      return number === undefined ? [] : [[number, quality] as const];
    }),
  );
  const plurals = new Set([...request.plurals].flatMap((stem) => parts.vocabulary.findStem(stem) ?? []));
  const use = generalUseFor(request);
  const isGeneralFit = (traits: StoredTraits): boolean => use !== undefined && traits.has(use);
  const paired = candidates.slice(0, MAX_PAIRS).map((candidate) => {
    const traits = traitsOf(candidate.document);
    const addition =
      ranking.action * (traits.hasMethod ? SURE_ACTION : 1) * compareActions(traits.action, request) +
      ranking.object * (traits.isOperation ? SURE_OBJECTS : 1) * compareObjects({ traits, stems, plurals, request }) +
      ranking.product * products.nameOf(traits.products) +
      ranking.general * (isGeneralFit(traits) ? 1 : 0) +
      (parts.isDeprecated(candidate.document) ? DEPRECATED : 0) +
      // A product that the query names counts more than habit.
      (products.isEmpty ? (parts.gain?.(candidate.document) ?? 0) : 0);
    return { ...candidate, score: candidate.score + addition, traits };
  });
  addLookups(paired, parts);
  lowerUnaskedDeletions(paired, request);
  const lowest = Math.min(...paired.map(({ score }, index) => score - (candidates[index]?.score ?? 0)), 0);
  const isKnownToFit =
    (use !== undefined || !products.isEmpty) &&
    candidates.some(({ document }) => {
      const traits = traitsOf(document);
      return products.nameOf(traits.products) === 1 || isGeneralFit(traits);
    });
  const list = [
    ...paired.map(({ traits: _traits, ...candidate }) => candidate),
    ...candidates.slice(MAX_PAIRS).map((candidate) => ({ ...candidate, score: candidate.score + lowest })),
  ].sort((a, b) => b.score - a.score || (idOf(a.document) < idOf(b.document) ? -1 : 1));
  return { list, isKnownToFit };
}

/** An HTTP method states the action more reliably than a verb in a name. */
const SURE_ACTION = 3;
/** The name of a REST operation lists all of its resources, so a resource that the request does not name says more. */
const SURE_OBJECTS = 2;
const DESTROYS = -3;
const CHANGES_INSTEAD = -1.5;

/** From 1 (the same action) through 0 (unknown) to negative values (another action). */
function compareActions(action: Action | undefined, { actions, isDestructive }: RequestFacts): number {
  if (action === "delete" && !isDestructive) return DESTROYS;
  if (action === undefined || actions.size === 0) return 0;
  const wanted = [...actions];
  if (wanted.some((one) => toKind(one) === toKind(action))) return 1;
  // "Run a query" or "start a conversation" can mean any action.
  if (action === "run" || actions.has("run")) return 0;
  const asksToRead = wanted.every(isReading);
  if (isReading(action) !== asksToRead) return CHANGES_INSTEAD;
  return asksToRead ? 0 : -1;
}

/** Actions that people name with the same verbs: "show me the tables" asks for a list. */
function toKind(action: Action): Action {
  if (action === "list") return "read";
  return action === "send" ? "create" : action;
}

const NUMBER_AGREES = 1;

interface ObjectParts {
  readonly traits: StoredTraits;
  readonly stems: ReadonlyMap<number, number>;
  readonly plurals: ReadonlySet<number>;
  readonly request: RequestFacts;
}

/** Lower for each word of the tool's name that the request does not contain; higher if one or many are meant by both. */
function compareObjects({ traits, stems, plurals, request }: ObjectParts): number {
  const [head] = traits.objects;
  if (head === undefined) return 0;
  const others = traits.objects.reduce((sum, stem) => sum + 1 - (stems.get(stem) ?? 0), 0);
  const isHeadMeant = stems.get(head) === 1;
  const isMany = request.isForAll || plurals.has(head);
  const number = isHeadMeant ? (traits.isList === isMany ? NUMBER_AGREES : -NUMBER_AGREES) : 0;
  return number - Math.min(others, MAX_OTHER_OBJECTS);
}

/** The general use that serves the request whatever its subject is. */
export function generalUseFor({ hasUrl, isOpenQuestion }: RequestFacts): GeneralUse | undefined {
  if (hasUrl) return "page";
  return isOpenQuestion ? "web" : undefined;
}

/** A tool that deletes something is never the best candidate for a request that does not ask for it. */
function lowerUnaskedDeletions(paired: Paired[], { isDestructive }: RequestFacts): void {
  if (isDestructive) return;
  const others = paired.filter(({ traits }) => traits.action !== "delete");
  const best = Math.max(...others.map(({ score }) => score));
  if (others.length === 0) return;
  for (const one of paired) if (one.traits.action === "delete") one.score = Math.min(one.score, best - BELOW_BEST);
}

const BELOW_BEST = 0.01;

interface Paired extends Fused {
  score: number;
  readonly traits: StoredTraits;
}

/**
 * Raises tools that find an identifier which a better candidate of the same server needs: "similar movies" needs the id
 * of a movie, which the search for movies finds.
 */
function addLookups(paired: Paired[], { request, ranking, serverOf }: PairParts): void {
  if (request.hasIdentifier || ranking.lookup === 0) return;
  const best = paired.reduce((most, { score }) => Math.max(most, score), -Infinity);
  const additions = paired.map(() => 0);
  for (const { document, score, traits } of paired.toSorted((a, b) => b.score - a.score).slice(0, MAX_NEEDING)) {
    const weight = Math.exp(score - best);
    for (const need of traits.needs) {
      for (const [index, other] of paired.entries()) {
        if (other.document === document || !other.traits.findsIdentifiers) continue;
        if (serverOf(other.document) !== serverOf(document) || !other.traits.objects.includes(need)) continue;
        additions[index] = Math.max(additions[index] ?? 0, weight);
      }
    }
  }
  for (const [index, one] of paired.entries()) one.score += ranking.lookup * (additions[index] ?? 0);
}
