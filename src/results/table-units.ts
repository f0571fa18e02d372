import { isJsonObject, type JsonObject } from "../model/json.js";
import { chooseElements } from "./choose-elements.js";
import { estimateTokens } from "./estimate-tokens.js";
import { featuresOf } from "./features.js";
import { describeContainer, isEmptyValue, isFlat, isLong, isScalar, toCell } from "./json-values.js";
import { countCharacters } from "./result-tokens.js";
import { runAtOnce, type Slices } from "./slices.js";
import type { UnitPlace, UnitWriter } from "./unit.js";

const ROWS_PER_SLICE = 32;
const MAX_CELLS = 60;
const MAX_MEASURED_CHARACTERS = 20_000;
const CHARACTERS_PER_TOKEN = 3.3;
/** Nested objects up to this depth become columns (`owner.login`). */
const MAX_NESTED = 3;
/** Rows of a large table have at least this many tokens: cells of a table take fewer tokens than single members. */
const MIN_ROW_TOKENS = 24;
/** A column is shown in the header of the table if at least this share of the rows has a value. */
const DENSE = 0.6;

interface Row {
  readonly index: number;
  /** Why the row is shown although the ones before it are omitted. */
  readonly difference: string | undefined;
  readonly cells: ReadonlyMap<string, unknown>;
}

interface Columns {
  /** The values of these are cells of each row, in this order. */
  readonly core: readonly string[];
  /** The columns that have the same value in every row. */
  readonly same: ReadonlyMap<string, string>;
}

/** Adds an array of objects as a table: the names of its columns once, and one line for each element. */
export function* addTableUnits(
  writer: UnitWriter,
  elements: readonly JsonObject[],
  label: string,
  place: UnitPlace,
): Slices<void> {
  const { list } = writer;
  const { parent, indent, weight, depth } = place;
  const rows: Row[] = [];
  for (const { index, difference } of yield* chooseElements(elements, writer.maxCandidates)) {
    if (rows.length % ROWS_PER_SLICE === 0) yield;
    rows.push({ index, difference, cells: flatten(elements[index] ?? {}) });
  }
  const { core, same } = chooseColumns(rows, writer.share);
  const shared = [...same].map(([name, value]) => `${name}: ${value}`).join("; ");
  const names = core.length === 0 ? "" : `: ${core.join(" | ")}`;
  const header = list.add({
    text: `${label}: ${describeContainer(elements)}${shared === "" ? "" : ` (all ${shared})`}${names}`,
    parent,
    indent,
    weight,
  });
  let next = 0;
  const skip = (to: number): void => {
    if (to <= next) return;
    const position = { of: "item", number: next, to: to - 1 } as const;
    list.add({ text: "", parent: header, indent: indent + 1, weight: 0, position });
  };
  for (const [order, { index, difference, cells }] of rows.entries()) {
    if (order % ROWS_PER_SLICE === 0) yield;
    skip(index);
    next = index + 1;
    const own = weight * (1.2 - 0.4 * (order / rows.length));
    const written = core.map((name) => (isEmptyValue(cells.get(name)) ? "" : toCell(cells.get(name))));
    const note = difference === undefined ? "" : ` (${difference})`;
    const row = list.add({
      text: `- ${written.join(" | ").replace(/(?: \| )+$/, "")}${note}`,
      parent: header,
      indent: indent + 1,
      weight: difference === undefined ? own : own * 2,
      position: { of: "item", number: index },
    });
    let separator = core.length === 0 ? " " : "; ";
    for (const [name, value] of cells) {
      if (core.includes(name) || same.has(name)) continue;
      if (isScalar(value) && !isLong(value)) {
        const worth = isEmptyValue(value) ? own * 0.1 : own;
        list.add({
          text: `${name}: ${toCell(value)}`,
          parent: row,
          indent: indent + 2,
          weight: worth,
          separator,
        });
        separator = "; ";
      }
    }
    const inner = { parent: row, indent: indent + 2, weight: own * 0.9, depth: depth + 1, isInline: false };
    for (const [name, value] of cells) if (!isScalar(value) || isLong(value)) yield* writer.addJson(value, name, inner);
  }
  skip(elements.length);
}

/** The members of an element; those of nested objects get a dotted name. */
function flatten(element: JsonObject): Map<string, unknown> {
  const cells = new Map<string, unknown>();
  const visit = (object: JsonObject, prefix: string, depth: number): void => {
    for (const [key, value] of Object.entries(object)) {
      const name = `${prefix}${key}`;
      const isNested = isJsonObject(value) && !isScalar(value) && depth < MAX_NESTED && cells.size < MAX_CELLS;
      if (isNested) visit(value, `${name}.`, depth + 1);
      else if (isFlat(value) && Array.isArray(value)) cells.set(name, toCell(value));
      else if (isScalarList(value)) cells.set(name, value.map(toCell).join(", "));
      else cells.set(name, value);
    }
  };
  visit(element, "", 1);
  return cells;
}

function isScalarList(value: unknown): value is unknown[] {
  return Array.isArray(value) && value.length > 0 && value.length <= 200 && value.every(isFlat);
}

function chooseColumns(rows: readonly Row[], share: number): Columns {
  const counts = new Map<string, { filled: number; characters: number; values: Set<unknown>; isShort: boolean }>();
  for (const { cells } of rows) {
    for (const [name, value] of cells) {
      const known = counts.get(name) ?? { filled: 0, characters: 0, values: new Set(), isShort: true };
      counts.set(name, known);
      if (!isScalar(value) || isLong(value)) known.isShort = false;
      if (isEmptyValue(value) || !known.isShort) continue;
      known.filled += 1;
      if (known.values.size < 50) known.values.add(value);
    }
  }
  const same = new Map<string, string>();
  const dense: string[] = [];
  for (const [name, { filled, values, isShort }] of counts) {
    if (!isShort || rows.length < 2) continue;
    const [only] = values;
    if (rows.length >= 3 && values.size === 1 && filled === rows.length) same.set(name, toCell(only));
    else if (filled >= rows.length * DENSE) dense.push(name);
  }
  return { core: affordable(rows, dense, share), same };
}

/** The columns that fit into the table's share of the view if all rows are shown: those with the most content per token. */
function affordable(rows: readonly Row[], names: readonly string[], share: number): string[] {
  const sample = rows.slice(0, 50);
  const seen = new Set<string>();
  const measured = names.map((name, order) => {
    let [tokens, worth] = [0, 0];
    for (const { cells } of sample) {
      const text = toCell(cells.get(name) ?? "");
      tokens += estimateTokens(text) + 1;
      for (const feature of featuresOf(text)) {
        if (!seen.has(feature.word)) worth += feature.worth;
        seen.add(feature.word);
      }
    }
    return { name, order, tokens, density: worth / tokens };
  });
  const all = sample.reduce((sum, { cells }) => sum + rowTokens(cells), 0);
  let left = Math.max(all * share * 0.8, sample.length * MIN_ROW_TOKENS);
  const chosen = measured
    .sort((one, other) => other.density - one.density)
    .filter(({ tokens }) => {
      if (tokens > left) return false;
      left -= tokens;
      return true;
    });
  return chosen.sort((one, other) => one.order - other.order).map(({ name }) => name);
}

function rowTokens(cells: ReadonlyMap<string, unknown>): number {
  let tokens = 0;
  for (const [name, value] of cells) {
    const nested = isScalar(value) ? 0 : runAtOnce(countCharacters(value, MAX_MEASURED_CHARACTERS));
    tokens += estimateTokens(isScalar(value) ? `${name}: ${toCell(value)}` : name) + nested / CHARACTERS_PER_TOKEN + 1;
  }
  return tokens;
}
