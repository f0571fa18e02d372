import { estimateTokens } from "./estimate-tokens.js";
import { featuresOf } from "./features.js";
import type { Slices } from "./slices.js";
import type { Unit } from "./unit.js";

const UNITS_PER_SLICE = 64;
/** The note about omitted lines (`… lines 10-20`), and the mark of other omitted parts. */
const NOTE_TOKENS = 7;
const MARK_TOKENS = 1;
/** The worth of a unit whose content is already in the view: it is shown only if it takes no more than a note. */
const KNOWN_WORTH = 0.02;

interface Candidate {
  readonly index: number;
  readonly cost: number;
  readonly features: readonly (readonly [number, number])[];
  readonly weight: number;
  density: number;
  /** The density in an empty view. */
  first?: number;
}

/** Chooses units for a budget; may be called with several budgets. */
export type SelectUnits = (budget: number) => Slices<boolean[]>;

/** Measures the units once, for every budget. */
export function* prepareSelection(units: readonly Unit[]): Slices<SelectUnits> {
  const candidates = yield* toCandidates(units);
  return (budget) => selectUnits(units, candidates, budget);
}

/**
 * Chooses units whose estimated tokens are at most `budget`. Prefers units with many words, names, numbers and links
 * that are not in the view yet, for the tokens that they take. A unit is chosen together with its parents.
 */
function* selectUnits(units: readonly Unit[], candidates: readonly Candidate[], budget: number): Slices<boolean[]> {
  const isChosen: boolean[] = units.map(() => false);
  const isCovered: boolean[] = [];
  /** The last measurement that counted a feature: a unit and its parent can have the same content. */
  const countedIn: number[] = [];
  let round = 0;
  let left = budget;

  const missing = (from: Candidate): Candidate[] => {
    const needed: Candidate[] = [];
    for (let at = from.index; at !== -1 && isChosen[at] !== true; ) {
      const candidate = candidates[at];
      if (candidate === undefined) break;
      needed.push(candidate);
      at = units[at]?.parent ?? -1;
    }
    return needed;
  };
  /** A unit between two omitted ones needs one more note; one that closes a gap saves a note. */
  const gapCost = (index: number): number => {
    const neighbours = Number(isChosen[index - 1] === true) + Number(isChosen[index + 1] === true);
    return (1 - neighbours) * (units[index]?.position?.of === "line" ? NOTE_TOKENS : MARK_TOKENS);
  };
  const measure = (candidate: Candidate): { cost: number; density: number; needed: Candidate[] } => {
    const needed = missing(candidate);
    let [cost, gain] = [0, 0];
    round += 1;
    for (const one of needed) {
      cost += Math.max(1, one.cost + gapCost(one.index));
      let own = KNOWN_WORTH;
      for (const [feature, worth] of one.features) {
        if (isCovered[feature] === true || countedIn[feature] === round) continue;
        countedIn[feature] = round;
        own += worth;
      }
      gain += own * one.weight;
    }
    return { cost, density: gain / cost, needed };
  };

  const heap = createHeap();
  for (const candidate of candidates) {
    if (candidate.index % UNITS_PER_SLICE === 0) yield;
    if (candidate.weight === 0) continue;
    // Nothing is chosen yet, so that the first measurement holds for every budget.
    candidate.first ??= measure(candidate).density;
    heap.push({ ...candidate, density: candidate.first });
  }
  let count = 0;
  for (let best = heap.pop(); best !== undefined; best = heap.pop()) {
    count += 1;
    if (count % UNITS_PER_SLICE === 0) yield;
    if (isChosen[best.index] === true) continue;
    const { cost, density, needed } = measure(best);
    const next = heap.peek();
    if (next !== undefined && density < next.density * 0.999) {
      best.density = density;
      heap.push(best);
      continue;
    }
    if (cost > left || (density * cost <= KNOWN_WORTH * 2 && cost > 2)) continue;
    left -= cost;
    for (const one of needed) {
      isChosen[one.index] = true;
      for (const [feature] of one.features) isCovered[feature] = true;
    }
    for (const one of needed) {
      for (const index of [one.index - 1, one.index + 1]) {
        const neighbour = candidates[index];
        if (neighbour === undefined || neighbour.weight === 0 || isChosen[index] === true) continue;
        heap.push({ ...neighbour, density: measure(neighbour).density });
      }
    }
    if (left < 3) break;
  }
  return isChosen;
}

function* toCandidates(units: readonly Unit[]): Slices<Candidate[]> {
  const ids = new Map<string, number>();
  const counts: number[] = [];
  const raw: { id: number; worth: number }[][] = [];
  for (const [index, { text }] of units.entries()) {
    if (index % UNITS_PER_SLICE === 0) yield;
    raw.push(
      featuresOf(text).map(({ word, worth }) => {
        const id = ids.get(word) ?? ids.size;
        ids.set(word, id);
        counts[id] = (counts[id] ?? 0) + 1;
        return { id, worth };
      }),
    );
  }
  const candidates: Candidate[] = [];
  for (const [index, { text, weight }] of units.entries()) {
    if (index % UNITS_PER_SLICE === 0) yield;
    candidates.push({
      index,
      cost: estimateTokens(text) + 1,
      // What a text mentions several times is more likely its subject.
      features: (raw[index] ?? []).map(({ id, worth }) => [id, worth * (1 + Math.log2(counts[id] ?? 1) * 0.3)]),
      weight,
      density: 0,
    });
  }
  return candidates;
}

interface Heap {
  push(candidate: Candidate): void;
  pop(): Candidate | undefined;
  peek(): Candidate | undefined;
}

/** A binary heap: the candidate with the highest density first, and of equal ones the first of the result. */
function createHeap(): Heap {
  const heap: Candidate[] = [];
  const isBefore = (one: Candidate, other: Candidate): boolean =>
    one.density > other.density || (one.density === other.density && one.index < other.index);
  const swap = (a: number, b: number): void => {
    const [one, other] = [heap[a], heap[b]];
    if (one !== undefined && other !== undefined) [heap[a], heap[b]] = [other, one];
  };
  const isBeforeAt = (a: number, b: number): boolean => {
    const [one, other] = [heap[a], heap[b]];
    return one !== undefined && (other === undefined || isBefore(one, other));
  };
  return {
    push(candidate) {
      heap.push(candidate);
      for (let at = heap.length - 1; at > 0; ) {
        const parent = (at - 1) >> 1;
        if (!isBeforeAt(at, parent)) break;
        swap(at, parent);
        at = parent;
      }
    },
    pop() {
      const [top] = heap;
      const last = heap.pop();
      if (last === undefined || heap.length === 0) return top;
      heap[0] = last;
      for (let at = 0; ; ) {
        const [left, right] = [2 * at + 1, 2 * at + 2];
        let best = at;
        if (left < heap.length && isBeforeAt(left, best)) best = left;
        if (right < heap.length && isBeforeAt(right, best)) best = right;
        if (best === at) return top;
        swap(at, best);
        at = best;
      }
    },
    peek: () => heap[0],
  };
}
