import type { JsonObject } from "../model/json.js";
import { chooseElements } from "./choose-elements.js";
import { estimateTokens } from "./estimate-tokens.js";
import { cutToTokens } from "./fit-tokens.js";
import { ExactNumber, isObject } from "./exact-number.js";
import { createFeatureReader } from "./features.js";
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
import { countCharacters } from "./result-tokens.js";
import { runAtOnce, type Slices } from "./slices.js";
import { SHOWN_WEIGHT, divideRoom, MIN_ROOM, type UnitPlace, type UnitWriter } from "./unit.js";

const ROWS_PER_SLICE = 32;
/** The first rows of a large table show what the others are like. */
const FIRST_ROWS = 2;
const SAMPLED_ROWS = 200;
const MAX_MEASURED_CHARACTERS = 20_000;
const CHARACTERS_PER_TOKEN = 3.3;
/** Nested objects up to this depth become columns (`owner.login`). */
const MAX_NESTED = 3;
const MAX_CELLS = 60;
/** Rows of a large table have at least this many tokens: cells of a table take fewer tokens than single members. */
const MIN_ROW_TOKENS = 24;
/** A column is shown in the header of the table if at least this share of the rows has a value. */
const DENSE = 0.6;

/** A member of the elements, or of an object in them. */
interface Column {
  readonly name: string;
  readonly path: readonly string[];
  /** The columns of an object in this one. */
  readonly inner: Map<string, Column>;
}

type Cells = ReadonlyMap<Column, unknown>;

interface Row {
  readonly index: number;
  /** Why the row is shown although the ones before it are omitted. */
  readonly difference: string | undefined;
  readonly cells: Cells;
}

interface Columns {
  /** The values of these are cells of each row, in this order. */
  readonly core: readonly Column[];
  /** The columns that have the same value in every element. */
  readonly same: ReadonlyMap<Column, string>;
}

/** Adds an array of objects as a table: the names of its columns once, and one line for each element. */
export function* addTableUnits(
  writer: UnitWriter,
  elements: readonly JsonObject[],
  label: string,
  { parent, indent, weight, depth, room }: UnitPlace,
): Slices<void> {
  const { list } = writer;
  const rows: Row[] = [];
  const root: Column = { name: "", path: [], inner: new Map() };
  for (const { index, difference } of yield* chooseElements(elements, Math.ceil(room / MIN_ROOM))) {
    if (rows.length % ROWS_PER_SLICE === ROWS_PER_SLICE - 1) yield;
    const cells = new Map<Column, unknown>();
    flatten(elements[index] ?? {}, root, cells, room);
    rows.push({ index, difference, cells });
  }
  const { core, same } = yield* chooseColumns(elements, rows.slice(0, SAMPLED_ROWS), writer.share);
  const all = [...same].map(([{ name }, value]) => `${name}: ${value}`).join("; ");
  const cut = cutToTokens(all, Math.floor(writer.maxTokens / 5));
  const shared = cut.length < all.length ? `${cut}…` : all;
  const names = core.length === 0 ? "" : `: ${core.map(({ name }) => name).join(" | ")}`;
  const text = `${label}: ${describeContainer(elements)}${shared === "" ? "" : ` (all ${shared})`}${names}`;
  const header = list.add({ text, parent, indent, weight });
  const share = divideRoom(list, room);
  const told = new Set([...core, ...same.keys()]);
  let next = 0;
  const skip = (to: number): void => {
    if (to <= next) return;
    const position = { of: "item", number: next, to: to - 1 } as const;
    list.add({ text: "", parent: header, indent: indent + 1, weight: 0, position });
  };
  for (const [order, { index, difference, cells }] of rows.entries()) {
    if (order % ROWS_PER_SLICE === ROWS_PER_SLICE - 1) yield;
    skip(index);
    next = index + 1;
    const own = weight * (1.2 - 0.4 * (order / rows.length));
    const isFirst = order < FIRST_ROWS && depth < 2;
    const written = core.map((column) => {
      const value = cells.get(column);
      return isEmptyValue(value) ? "" : toCell(value);
    });
    const note = difference === undefined ? "" : ` (${difference})`;
    const row = list.add({
      text: `- ${written.join(" | ").replace(/(?: \| )+$/, "")}${note}`,
      parent: header,
      indent: indent + 1,
      weight: isFirst ? SHOWN_WEIGHT : difference === undefined ? own : own * 2,
      position: { of: "item", number: index },
    });
    const inner = divideRoom(list, share(rows.length - order));
    const place = { parent: row, indent: indent + 2, weight: own };
    const nested: [Column, unknown][] = [];
    let separator = core.length === 0 ? " " : "; ";
    for (const [column, value] of cells) {
      if (told.has(column)) continue;
      if (!isScalar(value) || isLong(value)) nested.push([column, value]);
      else if (inner(1) > 0) {
        const worth = isEmptyValue(value) ? own * 0.1 : own;
        list.add({ ...place, text: `${column.name}: ${toCell(value)}`, weight: worth, separator });
        separator = "; ";
      }
    }
    for (const [at, [{ name }, value]] of nested.entries()) {
      const room = inner(nested.length - at);
      if (room === 0) break;
      yield* writer.addJson(value, name, { ...place, weight: own * 0.9, depth: depth + 1, isInline: false, room });
    }
  }
  skip(elements.length);
}

/** Adds the members of an element; those of nested objects get a dotted name. */
function flatten(object: JsonObject, above: Column, cells: Map<Column, unknown>, limit: number): void {
  for (const key of keysOf(object).slice(0, limit)) {
    const value = object[key];
    let column = above.inner.get(key);
    if (column === undefined) {
      // Without quotes, the member "a.b" would have the name of the member b of a.
      const name = toName(key, key.includes("."));
      const path = [...above.path, key];
      column = { name: above.name === "" ? name : `${above.name}.${name}`, path, inner: new Map() };
      above.inner.set(key, column);
    }
    if (isObject(value) && !isScalar(value) && column.path.length < MAX_NESTED && cells.size < MAX_CELLS)
      flatten(value, column, cells, limit);
    else cells.set(column, toCellValue(value));
  }
}

/** Short arrays without objects are one cell. */
function toCellValue(value: unknown): unknown {
  if (!Array.isArray(value) || value.length === 0) return value;
  if (isFlat(value)) return toCell(value);
  return value.length <= 200 && value.every(isFlat) ? value.map(toCell).join(", ") : value;
}

interface Filling {
  filled: number;
  isShort: boolean;
  readonly first: unknown;
  readonly values: Set<unknown>;
}

function* chooseColumns(elements: readonly JsonObject[], rows: readonly Row[], share: number): Slices<Columns> {
  const fillings = new Map<Column, Filling>();
  for (const { cells } of rows) {
    for (const [column, value] of cells) {
      let filling = fillings.get(column);
      if (filling === undefined) {
        filling = { filled: 0, isShort: true, first: value, values: new Set() };
        fillings.set(column, filling);
      }
      if (!isScalar(value) || isLong(value)) filling.isShort = false;
      if (isEmptyValue(value) || !filling.isShort) continue;
      filling.filled += 1;
      if (filling.values.size < 50) filling.values.add(value instanceof ExactNumber ? String(value) : value);
    }
  }
  const same = new Map<Column, string>();
  const dense: Column[] = [];
  for (const [column, { filled, values, isShort, first }] of fillings) {
    if (!isShort || rows.length < 2) continue;
    const isSame = rows.length >= 3 && values.size === 1 && filled === rows.length;
    if (isSame && (yield* everyInSlices(elements, (element) => isAt(element, column.path, first))))
      same.set(column, toCell(first));
    else if (filled >= rows.length * DENSE) dense.push(column);
  }
  return { core: affordable(rows, dense, share), same };
}

function isAt(element: JsonObject, path: readonly string[], value: unknown): boolean {
  let found: unknown = element;
  for (const key of path) found = isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  return found === value || (typeof found === "object" && String(toCellValue(found)) === String(value));
}

/** The columns that fit into the table's share of the view if all rows are shown: those with the most content per token. */
function affordable(rows: readonly Row[], columns: readonly Column[], share: number): Column[] {
  const sample = rows.slice(0, 50);
  const { read, worthOf } = createFeatureReader();
  const seen = new Set<number>();
  const measured = columns.map((column, order) => {
    let [tokens, worth] = [0, 0];
    for (const { cells } of sample) {
      const text = toCell(cells.get(column) ?? "");
      tokens += estimateTokens(text) + 1;
      for (const feature of read(text)) {
        if (!seen.has(feature)) worth += worthOf(feature);
        seen.add(feature);
      }
    }
    return { column, order, tokens, density: worth / tokens };
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
  return chosen.sort((one, other) => one.order - other.order).map(({ column }) => column);
}

function rowTokens(cells: Cells): number {
  let tokens = 0;
  for (const [{ name }, value] of cells) {
    const nested = isScalar(value) ? 0 : runAtOnce(countCharacters(value, MAX_MEASURED_CHARACTERS));
    tokens += estimateTokens(isScalar(value) ? `${name}: ${toCell(value)}` : name) + nested / CHARACTERS_PER_TOKEN + 1;
  }
  return tokens;
}
