import type { JsonObject } from "../model/json.js";
import type { Slices } from "./slices.js";

/** An element of an array that a view considers. */
export interface ChosenElement {
  readonly index: number;
  /** How it differs from most others. */
  readonly difference: string | undefined;
}

const ELEMENTS_PER_SLICE = 500;
const MIN_ELEMENTS = 8;
const MAX_DIFFERENT = 24;
const RARE = 0.02;
/** A member with more distinct values than this is not a category. */
const MAX_CATEGORIES = 12;
/** In a category, most values occur many times. */
const ELEMENTS_PER_CATEGORY = 5;
const MAX_CATEGORY_CHARACTERS = 40;
/** How many standard deviations an outlier is away from the mean. */
const OUTLIER = 6;

interface Member {
  count: number;
  types: Map<string, { count: number; first: number }>;
  categories: Map<string, { count: number; first: number }> | undefined;
  numbers: number;
  sum: number;
  squares: number;
  least: { value: number; index: number };
  most: { value: number; index: number };
  first: number;
}

/**
 * Chooses the first elements, the last one, and those that differ from the others: a rare key, type or category, a
 * missing key, a number far from the mean.
 */
export function* chooseElements(elements: readonly JsonObject[], limit: number): Slices<ChosenElement[]> {
  const different = elements.length < MIN_ELEMENTS ? new Map<number, string>() : yield* findDifferent(elements);
  const chosen = new Set<number>(different.keys());
  for (let index = 0; index < Math.min(limit, elements.length); index += 1) chosen.add(index);
  if (elements.length > 0) chosen.add(elements.length - 1);
  return [...chosen].sort((one, other) => one - other).map((index) => ({ index, difference: different.get(index) }));
}

function* findDifferent(elements: readonly JsonObject[]): Slices<Map<number, string>> {
  const members = new Map<string, Member>();
  for (const [index, element] of elements.entries()) {
    if (index % ELEMENTS_PER_SLICE === 0) yield;
    for (const key in element) {
      if (!Object.hasOwn(element, key)) continue;
      let member = members.get(key);
      if (member === undefined) {
        member = newMember(index);
        members.set(key, member);
      }
      addValue(member, element[key], index);
    }
  }
  const { length } = elements;
  const isRare = (count: number): boolean => count <= Math.max(1, length * RARE);
  const found = new Map<number, string>();
  const note = (index: number, text: string): void => {
    if (found.size < MAX_DIFFERENT && !found.has(index)) found.set(index, text);
  };
  for (const [key, member] of members) {
    if (isRare(member.count)) note(member.first, `has ${key}`);
    else if (member.count < length && isRare(length - member.count)) {
      const index = elements.findIndex((element) => !Object.hasOwn(element, key));
      note(index, `no ${key}`);
    }
    for (const [type, { count, first }] of member.types)
      if (member.types.size > 1 && isRare(count)) note(first, `${key} is ${type}`);
    const categories = member.categories ?? new Map<string, { count: number; first: number }>();
    const isCategory = categories.size > 1 && categories.size * ELEMENTS_PER_CATEGORY <= member.count;
    for (const [name, { count, first }] of categories)
      if (isCategory && isRare(count)) note(first, `rare ${key}: ${name}`);
    for (const index of outliers(member)) note(index, `outlier in ${key}`);
  }
  return found;
}

function newMember(index: number): Member {
  return {
    count: 0,
    types: new Map(),
    categories: new Map(),
    numbers: 0,
    sum: 0,
    squares: 0,
    least: { value: Number.POSITIVE_INFINITY, index },
    most: { value: Number.NEGATIVE_INFINITY, index },
    first: index,
  };
}

function addValue(member: Member, value: unknown, index: number): void {
  member.count += 1;
  countIn(member.types, typeOf(value), index);
  if (typeof value === "number") {
    member.numbers += 1;
    member.sum += value;
    member.squares += value * value;
    if (value < member.least.value) member.least = { value, index };
    if (value > member.most.value) member.most = { value, index };
    return;
  }
  if (member.categories === undefined || (typeof value !== "string" && typeof value !== "boolean")) return;
  const category = String(value);
  if (category.length <= MAX_CATEGORY_CHARACTERS) countIn(member.categories, category, index);
  if (category.length > MAX_CATEGORY_CHARACTERS || member.categories.size > MAX_CATEGORIES)
    member.categories = undefined;
}

function countIn(counts: Map<string, { count: number; first: number }>, name: string, index: number): void {
  const known = counts.get(name);
  if (known === undefined) counts.set(name, { count: 1, first: index });
  else known.count += 1;
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : typeof value;
}

function outliers({ numbers, sum, squares, least, most }: Member): number[] {
  if (numbers < MIN_ELEMENTS) return [];
  const mean = sum / numbers;
  const deviation = Math.sqrt(Math.max(0, squares / numbers - mean * mean));
  return [least, most].flatMap(({ value, index }) => (Math.abs(value - mean) > OUTLIER * deviation ? [index] : []));
}
