import type { JsonObject } from "../../model/json.js";
import { compareNumbers, ExactNumber, isNumber, isObject } from "../exact-number.js";
import { hasMembers, keysOf } from "../json-keys.js";
import type { Slices } from "../slices.js";
import type { JmesType } from "./signatures.js";
import type { JmesSteps } from "./steps.js";

const SORTED_AT_ONCE = 2048;

export function jmesType(value: unknown): JmesType {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "array";
  if (value instanceof ExactNumber) return "number";
  const type = typeof value;
  return type === "number" || type === "string" || type === "boolean" ? type : "object";
}

/** False for null, false, and an empty string, array or object. */
export function isTruthy(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === "") return false;
  if (Array.isArray(value)) return value.length > 0;
  return typeof value !== "object" || value instanceof ExactNumber || hasMembers(value);
}

/** An own member of an object; null if there is none. */
export function memberOf(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? (value[name] ?? null) : null;
}

export function setOwn(object: JsonObject, key: string, value: unknown): void {
  if (key === "__proto__")
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  else object[key] = value;
}

/** The values of the members of an object. */
export function* valuesOf(object: JsonObject, steps: JmesSteps): Slices<unknown[]> {
  const values: unknown[] = [];
  for (const key of keysOf(object)) {
    if (steps.isPauseDue(1)) yield;
    values.push(object[key]);
  }
  return values;
}

/** Compares two values with all their members. */
export function* isSameJmesValue(one: unknown, other: unknown, steps: JmesSteps): Slices<boolean> {
  const pending: [unknown, unknown][] = [[one, other]];
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    const [left, right] = pair;
    if (left === right || isSameNumber(left, right)) continue;
    if (Array.isArray(left) && Array.isArray(right)) {
      if (left.length !== right.length) return false;
      if (steps.isPauseDue(1 + left.length)) yield;
      for (const [index, element] of left.entries()) pending.push([element, right[index]]);
    } else if (isObject(left) && isObject(right)) {
      const keys = keysOf(left);
      if (steps.isPauseDue(1 + keys.length)) yield;
      if (keys.length !== keysOf(right).length) return false;
      for (const key of keys) {
        if (!Object.hasOwn(right, key)) return false;
        pending.push([left[key], right[key]]);
      }
    } else return false;
  }
  return true;
}

/** A stable sort that pauses: short runs are sorted at once and then merged. */
export function* sortInSlices<T>(
  items: readonly T[],
  compare: (one: T, other: T) => number,
  steps: JmesSteps,
): Slices<T[]> {
  let runs: T[][] = [];
  for (let from = 0; from < items.length; from += SORTED_AT_ONCE) {
    const run = items.slice(from, from + SORTED_AT_ONCE).sort(compare);
    if (steps.isPauseDue(3 * run.length)) yield;
    runs.push(run);
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let at = 0; at < runs.length; at += 2) merged.push(yield* merge(runs[at] ?? [], runs[at + 1] ?? []));
    runs = merged;
  }
  return runs[0] ?? [];

  function* merge(left: readonly T[], right: readonly T[]): Slices<T[]> {
    const all: T[] = [];
    for (let [a, b] = [0, 0]; a < left.length || b < right.length; ) {
      if (all.length % SORTED_AT_ONCE === 0) if (steps.isPauseDue(SORTED_AT_ONCE / 2)) yield;
      const isLeft = b >= right.length || (a < left.length && compare(left[a] as T, right[b] as T) <= 0);
      all.push((isLeft ? left[a] : right[b]) as T);
      if (isLeft) a += 1;
      else b += 1;
    }
    return all;
  }
}

export function isSameNumber(one: unknown, other: unknown): boolean {
  return isNumber(one) && isNumber(other) && compareNumbers(one, other) === 0;
}

export function compareScalars(one: unknown, other: unknown): number {
  if (isNumber(one) && isNumber(other)) return compareNumbers(one, other);
  const [left, right] = [one as string | number, other as string | number];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
