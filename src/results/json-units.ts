import { isJsonObject, type JsonObject } from "../model/json.js";
import { describeContainer, everyInSlices, isEmptyValue, isFlat, isLong, isScalar, toCell } from "./json-values.js";
import { shortenBlobs } from "./shorten-blobs.js";
import type { Slices } from "./slices.js";
import { addTableUnits } from "./table-units.js";
import type { UnitPlace, UnitWriter } from "./unit.js";

const MAX_DEPTH = 24;
const VALUES_PER_SLICE = 64;
/** How many characters of scalar elements are one unit. */
const CHUNK_CHARACTERS = 40;

/** Adds the units of a JSON value. `label` is its key, with which the line begins. */
export function* addJsonUnits(writer: UnitWriter, value: unknown, label: string, place: UnitPlace): Slices<void> {
  const { list } = writer;
  const { parent, indent, weight } = place;
  if (isScalar(value)) {
    yield* addScalar(writer, value, label, place);
    return;
  }
  const inner = { indent: indent + 1, weight, depth: place.depth + 1, isInline: false };
  if (place.depth >= MAX_DEPTH) {
    list.add({
      text: `${label}: ${describeContainer(Object(value))}, nested too deeply to be shown`,
      parent,
      indent,
      weight,
    });
    return;
  }
  if (Array.isArray(value)) {
    const elements: readonly unknown[] = value;
    if (yield* everyInSlices(elements, isFlat)) yield* addChunks(writer, elements, label, place);
    else if (yield* everyInSlices(elements, isJsonObject))
      yield* addTableUnits(writer, elements as readonly JsonObject[], label, place);
    else {
      const header = list.add({ text: `${label}: ${describeContainer(elements)}`, parent, indent, weight });
      for (const [index, element] of elements.slice(0, writer.maxCandidates).entries()) {
        if (index % VALUES_PER_SLICE === 0) yield;
        yield* writer.addJson(element, `[${index}]`, { ...inner, parent: header });
      }
      if (elements.length > writer.maxCandidates) {
        const position = { of: "item", number: writer.maxCandidates, to: elements.length - 1 } as const;
        list.add({ text: "", parent: header, indent: indent + 1, weight: 0, position });
      }
    }
    return;
  }
  if (isJsonObject(value)) yield* addMembers(writer, value, label, place);
}

function* addMembers(writer: UnitWriter, object: JsonObject, label: string, place: UnitPlace): Slices<void> {
  const { list } = writer;
  const { parent, indent, weight, depth } = place;
  const all = Object.entries(object);
  const entries = all.slice(0, writer.maxCandidates);
  const size = all.length > 30 ? ` object of ${all.length.toLocaleString("en-US")} keys:` : "";
  const header = list.add({ text: `${label}:${size}`, parent, indent, weight });
  let separator = " ";
  for (const [order, [key, value]] of entries.entries()) {
    if (order % VALUES_PER_SLICE === 0) yield;
    if (!isScalar(value) || isLong(value)) continue;
    const worth = isEmptyValue(value) ? weight * 0.1 : weight * (1.1 - (0.2 * order) / entries.length);
    list.add({ text: `${key}: ${toCell(value)}`, parent: header, indent: indent + 1, weight: worth, separator });
    separator = "; ";
  }
  for (const [order, [key, value]] of entries.entries()) {
    if (order % VALUES_PER_SLICE === 0) yield;
    if (isScalar(value) && !isLong(value)) continue;
    yield* writer.addJson(value, key, {
      parent: header,
      indent: indent + 1,
      weight,
      depth: depth + 1,
      isInline: false,
    });
  }
}

function* addScalar(writer: UnitWriter, value: unknown, label: string, place: UnitPlace): Slices<void> {
  const { parent, indent, weight, depth } = place;
  if (typeof value !== "string" || !isLong(value)) {
    writer.list.add({ text: `${label}: ${toCell(value)}`, parent, indent, weight });
    return;
  }
  const shortened = yield* shortenBlobs(value);
  if (!isLong(shortened)) {
    writer.list.add({ text: `${label}: ${toCell(shortened)}`, parent, indent, weight });
    return;
  }
  const text = `${label} (${value.length.toLocaleString("en-US")} characters):`;
  const header = writer.list.add({ text, parent, indent, weight });
  const inner = { parent: header, indent: indent + 1, weight: weight * 0.9, depth: depth + 1, isInline: true };
  yield* writer.addText(shortened, inner, false);
}

/** An array of numbers, words or pairs of them: several elements in each unit, in one line. */
function* addChunks(
  writer: UnitWriter,
  elements: readonly unknown[],
  label: string,
  { parent, indent, weight }: UnitPlace,
): Slices<void> {
  const header = writer.list.add({ text: `${label}: ${describeContainer(elements)}:`, parent, indent, weight });
  const considered = elements.slice(0, writer.maxCandidates * 4);
  let chunk: string[] = [];
  let characters = 0;
  for (const [index, element] of considered.entries()) {
    if (index % (VALUES_PER_SLICE * 8) === 0) yield;
    const cell = toCell(element);
    chunk.push(cell);
    characters += cell.length + 2;
    if (characters < CHUNK_CHARACTERS && index < considered.length - 1) continue;
    const separator = index < chunk.length ? " " : ", ";
    const worth = weight * (1.15 - (0.4 * index) / considered.length);
    writer.list.add({ text: chunk.join(", "), parent: header, indent: indent + 1, weight: worth, separator });
    chunk = [];
    characters = 0;
  }
}
