import type { EvalQuery } from "../../src/search/evaluate.js";
import type { QueryOutcome } from "../../src/operations/evaluation/measure.js";

/** One hit: its stated relevance, and whether it is correct. */
interface Point {
  readonly stated: number;
  readonly isRight: boolean;
  readonly weight: number;
}

/** The mean stated relevance, and the share of correct hits. */
export interface Truth {
  readonly stated: number;
  readonly right: number;
}

export interface Bin {
  readonly from: number;
  readonly to: number;
  readonly hits: number;
  /** All sets have the same weight. Absent if there is no hit. */
  readonly equal?: Truth;
  /** All hits have the same weight. */
  readonly raw?: Truth;
}

/** The share of queries whose best hit is confident, and how often such a hit is correct. */
export interface Confidence {
  readonly share: number;
  readonly right: number;
}

export interface Calibration {
  readonly queries: number;
  readonly first: readonly Bin[];
  readonly all: readonly Bin[];
  readonly confident: { readonly from: number; readonly equal: Confidence; readonly raw: Confidence };
}

export interface AnsweredSet {
  readonly queries: readonly EvalQuery[];
  readonly answers: readonly QueryOutcome[];
}

const BINS = 10;
const CONFIDENT = 0.8;

/** Compares the stated relevance with the share of correct hits, over answerable queries. */
export function calibrate(sets: readonly AnsweredSet[]): Calibration {
  const firsts = sets.map((set) => pointsOf(set, 1));
  const alls = sets.map((set) => pointsOf(set, Infinity));
  const queries = sets.reduce((sum, set) => sum + set.queries.length, 0);
  const perQuery = sets.flatMap(({ queries: own }, index) => weigh(firsts[index] ?? [], 1 / own.length / sets.length));
  return {
    queries,
    first: toBins(firsts),
    all: toBins(alls),
    confident: {
      from: CONFIDENT,
      equal: toConfidence(perQuery),
      raw: toConfidence(firsts.flatMap((points) => weigh(points, 1 / queries))),
    },
  };
}

function pointsOf({ queries, answers }: AnsweredSet, max: number): Point[] {
  return answers.flatMap(({ ids, stated }, index) => {
    const right = new Set(queries[index]?.relevant.map(({ id }) => id));
    return ids.slice(0, max).map((id, rank) => ({ stated: stated[rank] ?? 0, isRight: right.has(id), weight: 1 }));
  });
}

function weigh(points: readonly Point[], weight: number): Point[] {
  return points.map((point) => ({ ...point, weight }));
}

function toBins(sets: readonly (readonly Point[])[]): Bin[] {
  const raw = sets.flat();
  const equal = sets.flatMap((points) => weigh(points, 1 / points.length));
  return Array.from({ length: BINS }, (_, number) => {
    const isHere = (point: Point): boolean => binOf(point.stated) === number;
    const here = raw.filter(isHere);
    const bounds = { from: number / BINS, to: (number + 1) / BINS, hits: here.length };
    return here.length === 0 ? bounds : { ...bounds, equal: toTruth(equal.filter(isHere)), raw: toTruth(here) };
  });
}

/** Rounded first, because 0.7 * 10 may be less than 7 in floating point. */
function binOf(stated: number): number {
  return Math.min(Math.floor(Math.round(stated * BINS * 1_000) / 1_000), BINS - 1);
}

function toTruth(points: readonly Point[]): Truth {
  const total = weightOf(points);
  const stated = points.reduce((sum, point) => sum + point.stated * point.weight, 0);
  return { stated: stated / total, right: weightOf(points.filter(({ isRight }) => isRight)) / total };
}

function toConfidence(points: readonly Point[]): Confidence {
  const sure = points.filter(({ stated }) => stated >= CONFIDENT);
  const share = weightOf(sure);
  return { share, right: share === 0 ? 0 : weightOf(sure.filter(({ isRight }) => isRight)) / share };
}

function weightOf(points: readonly Point[]): number {
  return points.reduce((sum, { weight }) => sum + weight, 0);
}
