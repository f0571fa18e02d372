import type { JsonObject } from "../model/json.js";
import { isObject } from "./exact-number.js";
import { keysOf } from "./json-keys.js";
import {
  describeContainer,
  everyInSlices,
  isEmptyValue,
  isFlat,
  isLong,
  isScalar,
  toCell,
  toName,
} from "./json-values.js";
import { shortenBlobs } from "./shorten-blobs.js";
import type { Slices } from "./slices.js";
import { addTableUnits } from "./table-units.js";
import { divideRoom, MIN_ROOM, type UnitPlace, type UnitWriter } from "./unit.js";

const MAX_DEPTH = 24;
const VALUES_PER_SLICE = 64;
/** How many characters of scalar elements are one unit. */
const CHUNK_CHARACTERS = 40;

/** Adds the units of a JSON value. `label` is its key, with which the line begins. */
export function* addJsonUnits(writer: UnitWriter, value: unknown, label: string, place: UnitPlace): Slices<void> {
  const { parent, indent, weight } = place;
  if (isScalar(value)) yield* addScalar(writer, value, label, place);
  else if (place.depth >= MAX_DEPTH) {
    const text = `${label}: ${describeContainer(Object(value))}, nested too deeply to be shown`;
    writer.list.add({ text, parent, indent, weight });
  } else if (isObject(value)) yield* addMembers(writer, value, label, place);
  else if (Array.isArray(value)) {
    const elements: readonly unknown[] = value;
    if (yield* everyInSlices(elements, isFlat)) yield* addChunks(writer, elements, label, place);
    else if (yield* everyInSlices(elements, isObject))
      yield* addTableUnits(writer, elements as readonly JsonObject[], label, place);
    else yield* addElements(writer, elements, label, place);
  }
}

function* addElements(
  { list, addJson }: UnitWriter,
  elements: readonly unknown[],
  label: string,
  { parent, indent, weight, depth, room }: UnitPlace,
): Slices<void> {
  const header = list.add({ text: `${label}: ${describeContainer(elements)}`, parent, indent, weight });
  const count = Math.min(elements.length, Math.ceil(room / MIN_ROOM));
  const share = divideRoom(list, room);
  for (let index = 0; index < count; index += 1) {
    if (index % VALUES_PER_SLICE === VALUES_PER_SLICE - 1) yield;
    const inner = { parent: header, indent: indent + 1, weight, depth: depth + 1, isInline: false };
    yield* addJson(elements[index], `[${index}]`, { ...inner, room: share(count - index) });
  }
  if (elements.length === count) return;
  const position = { of: "item", number: count, to: elements.length - 1 } as const;
  list.add({ text: "", parent: header, indent: indent + 1, weight: 0, position });
}

function* addMembers(writer: UnitWriter, object: JsonObject, label: string, place: UnitPlace): Slices<void> {
  const { list } = writer;
  const { parent, indent, weight, depth, room } = place;
  const all = keysOf(object);
  const keys = all.slice(0, room);
  const size = all.length > 30 ? ` object of ${all.length.toLocaleString("en-US")} keys:` : "";
  const header = list.add({ text: `${label}:${size}`, parent, indent, weight });
  const share = divideRoom(list, room);
  const isShort = (key: string): boolean => isScalar(object[key]) && !isLong(object[key]);
  const others = keys.filter((key) => !isShort(key));
  /** The long members get the rest. */
  let left = Math.max(room / 2, room - others.length * MIN_ROOM);
  let separator = " ";
  for (const [order, key] of keys.entries()) {
    if (order % VALUES_PER_SLICE === VALUES_PER_SLICE - 1) yield;
    if (left < 1 || !isShort(key)) continue;
    const value = object[key];
    const worth = isEmptyValue(value) ? weight * 0.1 : weight * (1.1 - (0.2 * order) / keys.length);
    list.add({
      text: `${toName(key)}: ${toCell(value)}`,
      parent: header,
      indent: indent + 1,
      weight: worth,
      separator,
    });
    separator = "; ";
    left -= 1;
  }
  const inner = { parent: header, indent: indent + 1, weight, depth: depth + 1, isInline: false };
  for (const [order, key] of others.entries()) {
    if (order % VALUES_PER_SLICE === VALUES_PER_SLICE - 1) yield;
    const own = share(others.length - order);
    if (own === 0) return;
    yield* writer.addJson(object[key], toName(key), { ...inner, room: own });
  }
}

function* addScalar({ list, addText }: UnitWriter, value: unknown, label: string, place: UnitPlace): Slices<void> {
  const { parent, indent, weight, depth, room } = place;
  const shortened = isLong(value) ? yield* shortenBlobs(String(value)) : value;
  if (typeof shortened !== "string" || !isLong(shortened)) {
    list.add({ text: `${label}: ${toCell(shortened)}`, parent, indent, weight });
    return;
  }
  const text = `${label} (${String(value).length.toLocaleString("en-US")} characters):`;
  const header = list.add({ text, parent, indent, weight });
  const inner = { parent: header, indent: indent + 1, weight: weight * 0.9, depth: depth + 1, isInline: true };
  yield* addText(shortened, { ...inner, room }, false);
}

/** An array of numbers, words or pairs of them: several elements in each unit, in one line. */
function* addChunks(
  { list }: UnitWriter,
  elements: readonly unknown[],
  label: string,
  { parent, indent, weight, room }: UnitPlace,
): Slices<void> {
  const header = list.add({ text: `${label}: ${describeContainer(elements)}:`, parent, indent, weight });
  const considered = elements.slice(0, room * 4);
  let chunk: string[] = [];
  let characters = 0;
  let left = room;
  for (const [index, element] of considered.entries()) {
    if (index % (VALUES_PER_SLICE * 8) === 0) yield;
    const cell = toCell(element);
    chunk.push(cell);
    characters += cell.length + 2;
    if (characters < CHUNK_CHARACTERS && index < considered.length - 1) continue;
    const separator = index < chunk.length ? " " : ", ";
    const worth = weight * (1.15 - (0.4 * index) / considered.length);
    list.add({ text: chunk.join(", "), parent: header, indent: indent + 1, weight: worth, separator });
    left -= 1;
    if (left <= 0) return;
    chunk = [];
    characters = 0;
  }
}
