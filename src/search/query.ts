import { splitClauses } from "./clauses.js";
import type { RankingConstants } from "./constants.js";
import { createPayloadTest } from "./request/payload.js";
import { relate } from "./lexicon/lexicon.js";
import type { FindNearWords } from "./near-words.js";
import { countWord, type Postings } from "./postings.js";
import { isStopWord } from "./stop-words.js";
import { toStem } from "./stem.js";
import { tokenizeQuery } from "./tokenize.js";
import type { Vocabulary } from "./vocabulary.js";

/** The maximum number of words of a query that are corrected, because every look-up takes time. */
const MAX_CORRECTED = 8;
/** The maximum number of words of a query that are read. No tool can match a longer request as a whole. */
const MAX_WORDS = 200;

/**
 * How a word of a document matches a word of the query: literally (`exact`), as another form, as a synonym (`same`), as
 * a related concept, or as the correction of a typing error.
 */
export type ReadingKind = "exact" | "form" | "same" | "concept" | "typing";

export interface QueryReading {
  /** The number of the word in the vocabulary. */
  readonly word: number;
  readonly kind: ReadingKind;
  /** How much an occurrence of this word counts, from 0 to 1. */
  readonly share: number;
}

/**
 * The role of a query term. `small`: a stop word such as "please", which helps to order good hits but need not occur in
 * them. `payload`: a word of a quoted text, URL or e-mail address, which the tool need not contain. `implied`: several stop words together imply a concept, as "how far" implies a distance.
 */
export type TermRole = "content" | "small" | "payload" | "implied";

/** One word of a query and all words of the catalog that match it. */
export interface Term {
  readonly word: string;
  /** The maximum that the term contributes to a score. It depends on the rarity of the word. */
  readonly weight: number;
  readonly role: TermRole;
  /** Bit mask of the clauses that contain the term. */
  readonly clauses: number;
  readonly readings: readonly QueryReading[];
}

export interface Query {
  readonly terms: readonly Term[];
  readonly clauses: readonly string[];
  /** For each unknown word of the query, the nearest word of the catalog. */
  readonly corrections: ReadonlyMap<string, string>;
}

export interface QueryParts {
  readonly vocabulary: Vocabulary;
  readonly postings: Postings;
  readonly nearWords: FindNearWords;
  readonly ranking: RankingConstants;
  /** Whether this caller may see a document. A word that occurs only in other documents is treated as mistyped. */
  readonly accepts: (document: number) => boolean;
}

/** A word that occurs in more documents than this is assumed to occur in one that the caller may see. */
const FEW_DOCUMENTS = 8;

/** Whether a document that the caller may see contains the word. */
export function isKnownWord(word: string, parts: QueryParts): boolean {
  const number = parts.vocabulary.findWord(word);
  return number !== undefined && isVisible(number, parts);
}

function isVisible(word: number, { postings, accepts }: QueryParts): boolean {
  const count = countWord(postings, word);
  if (count === 0 || count > FEW_DOCUMENTS) return count > 0;
  const start = postings.starts[word] ?? 0;
  return postings.documents.subarray(start, start + count).some(accepts);
}

interface Draft extends Term {
  readonly stem: string;
  readonly rarity: number;
  clauses: number;
  readonly readings: QueryReading[];
}

export function readQuery(query: string, parts: QueryParts): Query {
  const { words, marks, clauses } = readWords(query, parts);
  const isPayload = createPayloadTest(query);
  const drafts = new Map<string, Draft>();
  for (const [index, word] of words.entries()) {
    const stem = toStem(word);
    const known = drafts.get(stem);
    const mark = marks[index] ?? 0;
    if (known !== undefined) known.clauses |= mark;
    else drafts.set(stem, draftTerm({ word, stem, clauses: mark, isPayload: isPayload(word) }, parts));
  }
  const terms = [...drafts.values()];
  const corrections = correctTyping(terms, parts);
  return { terms: [...terms, ...addRelations(words, drafts, parts)], clauses, corrections };
}

function readWords(query: string, parts: QueryParts) {
  const isKnown = (word: string): boolean => isKnownWord(word, parts);
  const clauses = splitClauses(query);
  const marked = clauses.flatMap((clause, index) =>
    tokenizeQuery(clause, isKnown).map((word) => ({ word, mark: 1 << index })),
  );
  const counted = marked.slice(0, MAX_WORDS);
  return { words: counted.map(({ word }) => word), marks: counted.map(({ mark }) => mark), clauses };
}

function draftTerm(
  { word, stem, clauses, isPayload }: Pick<Draft, "word" | "stem" | "clauses"> & { readonly isPayload: boolean },
  parts: QueryParts,
): Draft {
  const { vocabulary, postings, ranking } = parts;
  const stemNumber = vocabulary.findStem(stem);
  const rarity = toRarity(stemNumber === undefined ? 0 : (postings.stemCounts[stemNumber] ?? 0), postings.size);
  const isStop = isStopWord(word);
  const number = vocabulary.findWord(word);
  const readings = (stemNumber === undefined ? [] : vocabulary.formsOf(stemNumber))
    .filter((form) => isVisible(form, parts))
    .map((form): QueryReading => {
      return form === number
        ? { word: form, kind: "exact", share: 1 }
        : { word: form, kind: "form", share: ranking.otherForm };
    });
  return {
    word,
    stem,
    rarity,
    weight: rarity * (isStop ? ranking.stopWord : isPayload ? ranking.payload : 1),
    role: isStop ? "small" : isPayload ? "payload" : "content",
    clauses,
    readings,
  };
}

/**
 * Adds words from the lexicon as further readings of the rarest query word to which they are related. Words that are
 * related only to stop words become separate terms.
 */
function addRelations(words: readonly string[], drafts: ReadonlyMap<string, Draft>, parts: QueryParts): Term[] {
  const { vocabulary, postings, ranking } = parts;
  const content = [...drafts.values()].filter(({ role }) => role === "content").length;
  const lengthShare = 1 / (1 + Math.max(0, content - ranking.shortQuery) / ranking.halfBeyond);
  const added: Term[] = [];
  for (const { from, stem, kind: relation } of relate(words)) {
    // The name of a product stands for the kind of its tools, as a concept does.
    const kind = relation === "same" ? "same" : "concept";
    const stemNumber = vocabulary.findStem(stem);
    const count = stemNumber === undefined ? 0 : (postings.stemCounts[stemNumber] ?? 0);
    if (stemNumber === undefined || count === 0 || drafts.get(stem)?.role === "content") continue;
    const share = (kind === "same" ? ranking.sameMeaning : ranking.concept) * lengthShare;
    const rarity = toRarity(count, postings.size);
    const owners = from.flatMap((position) => drafts.get(toStem(words[position] ?? "")) ?? []);
    const owner = owners.toSorted((a, b) => b.weight - a.weight)[0];
    if (owner === undefined) continue;
    const forms = vocabulary.formsOf(stemNumber);
    if (owner.role === "small") {
      const readings = forms.map((word): QueryReading => ({ word, kind, share: 1 }));
      const word = from.map((position) => words[position] ?? "").join(" ");
      added.push({ word, weight: share * rarity, role: "implied", clauses: owner.clauses, readings });
    } else {
      const counts = (share * Math.min(rarity, owner.rarity)) / owner.weight;
      owner.readings.push(...forms.map((word): QueryReading => ({ word, kind, share: counts })));
    }
  }
  return added;
}

/** Corrects words that match nothing in the catalog. All other words are assumed to be spelled correctly. */
function correctTyping(
  drafts: readonly Draft[],
  { vocabulary, nearWords, ranking }: QueryParts,
): ReadonlyMap<string, string> {
  const corrections = new Map<string, string>();
  const unmatched = drafts.filter(({ readings, role }) => readings.length === 0 && role === "content");
  for (const { word, readings } of unmatched.slice(0, MAX_CORRECTED)) {
    for (const near of nearWords(word)) {
      const number = vocabulary.findWord(near.word);
      if (number === undefined) continue;
      if (!corrections.has(word)) corrections.set(word, near.word);
      readings.push({ word: number, kind: "typing", share: ranking.typingError / near.distance });
    }
  }
  return corrections;
}

/** The rarity of a word, from the number of documents that contain it (inverse document frequency). */
export function toRarity(documents: number, size: number): number {
  return Math.log(1 + (size + 1) / (documents + 0.5));
}
