import { editDistance, errorsAllowed } from "../util/edit-distance.js";
import { toKey } from "./tokenize.js";

/**
 * A name is looked for inside other names only if it has at least this many characters. Shorter names are too
 * unspecific.
 */
const MIN_PART_LENGTH = 3;

/**
 * Returns the names that the user may have meant by a mistyped name, nearest first. Separators and case are ignored.
 */
export function nearestNames(name: string, candidates: Iterable<string>, max = 3): string[] {
  return createNearestNames(candidates)(name, max);
}

/** Like `nearestNames`, but for several names: the candidates are prepared only once. */
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

/**
 * The distance for sorting: 1 for each typing error. If one name contains the other, the distance is larger and depends
 * on the difference in length.
 */
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
