import type { JsonObject } from "../model/json.js";
import { isNumber } from "./exact-number.js";
import { keysOf } from "./json-keys.js";
import { toCell, toName } from "./json-values.js";
import type { Slices } from "./slices.js";

/** An element of an array that a view considers. */
export interface ChosenElement {
  readonly index: number;
  /** How it differs from most others. */
  readonly difference: string | undefined;
}

const VALUES_PER_SLICE = 4000;
const MIN_ELEMENTS = 8;
const MAX_DIFFERENT = 24;
const RARE = 0.02;
/** Members beyond this number are not compared. */
const MAX_MEMBERS = 300;
/** A member with more distinct values than this is not a category. */
const MAX_CATEGORIES = 12;
/** In a category, most values occur many times. */
const ELEMENTS_PER_CATEGORY = 5;
const MAX_CATEGORY_CHARACTERS = 40;
/** How many standard deviations an outlier is away from the mean. */
const OUTLIER = 6;

interface Occurrence {
  count: number;
  readonly first: number;
}

interface Member extends Occurrence {
  /** The first element that has no such member; undefined if all have it so far. */
  firstWithout: number | undefined;
  /** The number of elements up to the last one that has the member. */
  seen: number;
  readonly types: Map<string, Occurrence>;
  categories: Map<string, Occurrence> | undefined;
  /** How many numbers, their mean, and the sum of the squared distances from it. */
  numbers: number;
  mean: number;
  squares: number;
  least: { value: number; index: number };
  most: { value: number; index: number };
}

/**
 * Chooses the first elements, the last one, the first of each category, and those that differ from the others: a rare
 * key, type or category, a missing key, a number far from the mean.
 */
export function* chooseElements(elements: readonly JsonObject[], limit: number): Slices<ChosenElement[]> {
  const { length } = elements;
  const members = length < MIN_ELEMENTS ? new Map<string, Member>() : yield* readMembers(elements);
  const different = new Map<number, string>();
  const chosen = new Set<number>();
  for (const [key, member] of members) findDifferent(toName(key), member, length, different);
  for (const [, member] of members) for (const { first } of categoriesOf(member).values()) chosen.add(first);
  for (const index of different.keys()) chosen.add(index);
  for (let index = 0; index < Math.min(limit, length); index += 1) chosen.add(index);
  if (length > 0) chosen.add(length - 1);
  return [...chosen].sort((one, other) => one - other).map((index) => ({ index, difference: different.get(index) }));
}

function* readMembers(elements: readonly JsonObject[]): Slices<Map<string, Member>> {
  const members = new Map<string, Member>();
  let count = 0;
  for (const [index, element] of elements.entries()) {
    for (const key of keysOf(element)) {
      count += 1;
      if (count % VALUES_PER_SLICE === 0) yield;
      let member = members.get(key);
      if (member === undefined) {
        if (members.size >= MAX_MEMBERS) continue;
        member = newMember(index);
        members.set(key, member);
      }
      addValue(member, element[key], index);
    }
  }
  return members;
}

function findDifferent(name: string, member: Member, length: number, found: Map<number, string>): void {
  const isRare = (count: number): boolean => count <= Math.max(1, length * RARE);
  const note = (index: number, text: string): void => {
    if (found.size < MAX_DIFFERENT && !found.has(index)) found.set(index, text);
  };
  if (isRare(member.count)) note(member.first, `has ${name}`);
  else if (member.count < length && isRare(length - member.count))
    note(member.firstWithout ?? member.seen, `no ${name}`);
  for (const [type, { count, first }] of member.types)
    if (member.types.size > 1 && isRare(count)) note(first, `${name} is ${type}`);
  for (const [category, { count, first }] of categoriesOf(member))
    if (isRare(count)) note(first, `rare ${name}: ${toCell(category)}`);
  for (const index of outliers(member)) note(index, `outlier in ${name}`);
}

function newMember(first: number): Member {
  return {
    count: 0,
    first,
    firstWithout: first > 0 ? 0 : undefined,
    seen: first,
    types: new Map(),
    categories: new Map(),
    numbers: 0,
    mean: 0,
    squares: 0,
    least: { value: Number.POSITIVE_INFINITY, index: first },
    most: { value: Number.NEGATIVE_INFINITY, index: first },
  };
}

function addValue(member: Member, value: unknown, index: number): void {
  member.count += 1;
  if (index > member.seen) member.firstWithout ??= member.seen;
  member.seen = index + 1;
  countIn(member.types, typeOf(value), index);
  if (isNumber(value)) {
    const number = Number(value);
    member.numbers += 1;
    const distance = number - member.mean;
    member.mean += distance / member.numbers;
    member.squares += distance * (number - member.mean);
    if (number < member.least.value) member.least = { value: number, index };
    if (number > member.most.value) member.most = { value: number, index };
    return;
  }
  if (member.categories === undefined || (typeof value !== "string" && typeof value !== "boolean")) return;
  const category = String(value);
  if (category.length <= MAX_CATEGORY_CHARACTERS) countIn(member.categories, category, index);
  if (category.length > MAX_CATEGORY_CHARACTERS || member.categories.size > MAX_CATEGORIES)
    member.categories = undefined;
}

function countIn(counts: Map<string, Occurrence>, name: string, index: number): void {
  const known = counts.get(name);
  if (known === undefined) counts.set(name, { count: 1, first: index });
  else known.count += 1;
}

/** The values of a member that has few of them, each in many elements. */
function categoriesOf({ categories, count }: Member): ReadonlyMap<string, Occurrence> {
  const isCategory =
    categories !== undefined && categories.size > 1 && categories.size * ELEMENTS_PER_CATEGORY <= count;
  return isCategory ? categories : new Map<string, Occurrence>();
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (isNumber(value)) return "number";
  return Array.isArray(value) ? "an array" : typeof value;
}

function outliers({ numbers, mean, squares, least, most }: Member): number[] {
  if (numbers < MIN_ELEMENTS) return [];
  const deviation = Math.sqrt(squares / numbers);
  return [least, most].flatMap(({ value, index }) => (Math.abs(value - mean) > OUTLIER * deviation ? [index] : []));
}
