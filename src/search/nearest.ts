import { editDistance, errorsAllowed } from "../util/edit-distance.js";
import { toKey } from "./tokenize.js";

/** A shorter part is too unspecific to suggest a name. */
const MIN_PART_LENGTH = 3;

/** Names that a mistyped name may stand for, nearest first. Separators and case are ignored. */
export function nearestNames(name: string, candidates: Iterable<string>, max = 3): string[] {
  return createNearestNames(candidates)(name, max);
}

/** Like `nearestNames` for several names: prepares the candidates once. */
export function createNearestNames(candidates: Iterable<string>): (name: string, max?: number) => string[] {
  const prepared = Array.from(new Set(candidates), (candidate) => ({ candidate, key: toKey(candidate) }));
  return (name, max = 3) => {
    const key = toKey(name);
    return prepared
      .flatMap((known) => {
        const distance = distanceBetween(key, known.key);
        return distance === undefined ? [] : [{ candidate: known.candidate, distance }];
      })
      .sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
      .slice(0, max)
      .map(({ candidate }) => candidate);
  };
}

/** Each typing error counts 1. A name that contains the other comes after those, sorted by difference in length. */
function distanceBetween(left: string, right: string): number | undefined {
  if (left === "" || right === "") return undefined;
  const allowed =
    errorsAllowed(Math.max(left.length, right.length)) + (Math.min(left.length, right.length) >= 12 ? 1 : 0);
  const distance = editDistance(left, right, allowed);
  if (distance <= allowed) return distance;
  const [shorter, longer] = left.length < right.length ? [left, right] : [right, left];
  if (shorter.length < MIN_PART_LENGTH || !longer.includes(shorter)) return undefined;
  const atTheStart = longer.startsWith(shorter);
  return (atTheStart ? 4 : 5) + (longer.length - shorter.length) / longer.length;
}
