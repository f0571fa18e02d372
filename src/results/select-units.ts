import { estimateTokens } from "./estimate-tokens.js";
import { createFeatureReader } from "./features.js";
import type { Slices } from "./slices.js";
import type { Unit } from "./unit.js";

const UNITS_PER_SLICE = 64;
/** The note about omitted lines (`… lines 10-20`), and the mark of other omitted parts. */
const NOTE_TOKENS = 7;
const MARK_TOKENS = 1;
/** The worth of a unit whose content is already in the view: it is shown only if it takes no more than a note. */
const KNOWN_WORTH = 0.02;
/** If the units with new words take less of the budget, the beginning and the end of the result are shown too. */
const HEAD_SHARE = 0.35;
const TAIL_SHARE = 0.15;
/** After this many units in a row that do not fit, the others are not tried. */
const MAX_MISSES = 300;

interface Candidate {
  readonly index: number;
  readonly parent: number;
  readonly tokens: number;
  readonly features: readonly number[];
  readonly weight: number;
}

/** A unit that was chosen. */
export interface ChosenUnit {
  readonly index: number;
  /** The estimated tokens of this unit and of all that were chosen before. */
  readonly tokens: number;
}

/**
 * Chooses units whose estimated tokens are at most `budget`, in the order of their worth. Prefers units with many words,
 * names, numbers and links that are not in the view yet, for the tokens that they take. A unit is chosen after its
 * parents.
 */
export function* selectUnits(units: readonly Unit[], budget: number): Slices<ChosenUnit[]> {
  const { candidates, worths } = yield* toCandidates(units);
  const chosen: ChosenUnit[] = [];
  const isChosen: boolean[] = units.map(() => false);
  const isCovered = new Uint8Array(worths.length);
  /** The last measurement that counted a feature: a unit and its parent can have the same content. */
  const countedIn = new Uint32Array(worths.length);
  let round = 0;
  let left = budget;

  /** A unit between two omitted ones needs one more note; one that closes a gap saves a note. */
  const gapCost = (index: number): number => {
    const neighbours = Number(isChosen[index - 1] === true) + Number(isChosen[index + 1] === true);
    return (1 - neighbours) * (units[index]?.position?.of === "line" ? NOTE_TOKENS : MARK_TOKENS);
  };
  let cost = 0;
  /** Returns the worth for each token of a unit with those of its parents that are not chosen, and sets `cost`. */
  const measure = (index: number): number => {
    let gain = 0;
    cost = 0;
    round += 1;
    for (let one = candidates[index]; one !== undefined && isChosen[one.index] !== true; one = candidates[one.parent]) {
      cost += Math.max(1, one.tokens + gapCost(one.index));
      let own = KNOWN_WORTH;
      for (const feature of one.features) {
        if (isCovered[feature] === 1 || countedIn[feature] === round) continue;
        countedIn[feature] = round;
        own += worths[feature] ?? 0;
      }
      gain += own * one.weight;
    }
    return gain / cost;
  };

  /** Chooses a unit and its parents, and returns those that were not chosen. */
  const choose = (from: number): number[] => {
    const added: number[] = [];
    left -= cost;
    for (let one = candidates[from]; one !== undefined && isChosen[one.index] !== true; one = candidates[one.parent]) {
      isChosen[one.index] = true;
      added.push(one.index);
      for (const feature of one.features) isCovered[feature] = 1;
    }
    added.reverse();
    for (const index of added) chosen.push({ index, tokens: budget - left });
    return added;
  };

  const heap = createHeap();
  for (const { index, weight } of candidates) {
    if (index % UNITS_PER_SLICE === 0) yield;
    if (weight > 0) heap.push(index, measure(index));
  }
  let misses = 0;
  for (let count = 1; heap.size() > 0 && misses < MAX_MISSES; count += 1) {
    if (left < 3) break;
    if (count % UNITS_PER_SLICE === 0) yield;
    const best = heap.pop();
    if (isChosen[best] === true) continue;
    const density = measure(best);
    if (density < heap.highest() * 0.999) {
      heap.push(best, density);
      continue;
    }
    if (cost > left || (density * cost <= KNOWN_WORTH * 2 && cost > 2)) {
      misses += 1;
      continue;
    }
    misses = 0;
    for (const index of choose(best)) {
      // The neighbours cost less now.
      for (const next of [index - 1, index + 1])
        if ((candidates[next]?.weight ?? 0) > 0 && isChosen[next] !== true) heap.push(next, measure(next));
    }
  }
  const texts = new Set(chosen.map(({ index }) => units[index]?.text));
  const fill = (indexes: Iterable<number>, share: number): void => {
    for (const index of indexes) {
      if (left <= budget * (1 - share)) return;
      const text = units[index]?.text;
      if (isChosen[index] === true || units[index]?.weight === 0 || texts.has(text)) continue;
      texts.add(text);
      measure(index);
      if (cost <= left) choose(index);
    }
  };
  fill(units.keys(), HEAD_SHARE);
  fill([...units.keys()].reverse(), HEAD_SHARE + TAIL_SHARE);
  return chosen;
}

function* toCandidates(units: readonly Unit[]): Slices<{ candidates: Candidate[]; worths: Float64Array }> {
  const { read, worthOf } = createFeatureReader();
  const counts: number[] = [];
  const candidates: Candidate[] = [];
  for (const [index, { text, weight, parent }] of units.entries()) {
    if (index % UNITS_PER_SLICE === 0) yield;
    const features = read(text);
    for (const feature of features) counts[feature] = (counts[feature] ?? 0) + 1;
    candidates.push({ index, parent, tokens: estimateTokens(text) + 1, features, weight });
  }
  // What a result mentions several times is more likely its subject.
  const worths = Float64Array.from(counts, (count, feature) => worthOf(feature) * (1 + Math.log2(count) * 0.3));
  return { candidates, worths };
}

interface Heap {
  size(): number;
  push(index: number, density: number): void;
  /** Removes the index with the highest density; of equal ones, the lowest index. */
  pop(): number;
  /** The highest density; -1 if the heap is empty. */
  highest(): number;
}

function createHeap(): Heap {
  const indexes: number[] = [];
  const densities: number[] = [];
  const isBefore = (a: number, b: number): boolean => {
    const [one = 0, other = 0] = [densities[a], densities[b]];
    return one > other || (one === other && (indexes[a] ?? 0) < (indexes[b] ?? 0));
  };
  const swap = (a: number, b: number): void => {
    [indexes[a], indexes[b]] = [indexes[b] ?? 0, indexes[a] ?? 0];
    [densities[a], densities[b]] = [densities[b] ?? 0, densities[a] ?? 0];
  };
  return {
    size: () => indexes.length,
    push(index, density) {
      indexes.push(index);
      densities.push(density);
      for (let at = indexes.length - 1; at > 0 && isBefore(at, (at - 1) >> 1); at = (at - 1) >> 1)
        swap(at, (at - 1) >> 1);
    },
    pop() {
      swap(0, indexes.length - 1);
      const top = indexes.pop() ?? -1;
      densities.pop();
      for (let at = 0; ; ) {
        const [left, right] = [2 * at + 1, 2 * at + 2];
        let best = at;
        if (left < indexes.length && isBefore(left, best)) best = left;
        if (right < indexes.length && isBefore(right, best)) best = right;
        if (best === at) return top;
        swap(at, best);
        at = best;
      }
    },
    highest: () => densities[0] ?? -1,
  };
}
