import { ALARM, chooseLines, HEADING } from "./choose-lines.js";
import { describeCsv } from "./csv-outline.js";
import { findJson } from "./embedded-json.js";
import { cutToTokens } from "./fit-tokens.js";
import { isHtml, readHtml } from "./html-text.js";
import { indexLines, type LineIndex } from "./line-index.js";
import { templateOf } from "./line-template.js";
import { shortenBlobs } from "./shorten-blobs.js";
import type { Slices } from "./slices.js";
import { splitLine } from "./split-line.js";
import { isEscapedText, unescapeLayer } from "./unescape-layer.js";
import { SHOWN_WEIGHT, type Unit, type UnitPlace, type UnitWriter } from "./unit.js";

/** The lines of a text that a view shows. */
interface ShownLines {
  readonly index: LineIndex;
  /** The number of the line in the text that `lines` and `grep` read. */
  number(line: number): number;
  /** What the text is, and how many lines it has. */
  readonly outline: string;
}

const LINES_PER_SLICE = 64;
const SIMILAR_PER_SLICE = 1000;
const MIN_LINES = 20;
/** A unit of text has about as many characters. */
const UNIT_CHARACTERS = 40;
/** The first lines and the last one show what the text is. */
const FIRST_LINES = 2;
const MAX_CLAUSE_WEIGHT = 2;
const MAX_DEPTH = 8;
/** After this many lines that differ only in their digits, the next ones are worth little. */
const SIMILAR_LINES = 3;
/** Colours in the output of programs: they take tokens and have no content. */
const COLOURS = /\p{Cc}\[[\d;]{0,20}m/gu;

/** Adds the units of a text: the JSON in it, or its lines, each divided into clauses if it is long. */
export function* addTextUnits(writer: UnitWriter, text: string, place: UnitPlace, isNumbered: boolean): Slices<void> {
  const inner = { ...place, depth: place.depth + 1 };
  const isNested = place.depth < MAX_DEPTH;
  const json = isNested ? yield* findJson(text) : undefined;
  if (json !== undefined) {
    const [before, behind] = [text.slice(0, json.from).trim(), text.slice(json.end).trim()];
    if (before !== "") yield* addLines(writer, yield* toLines(before), inner, false);
    const label = json.isComplete ? "JSON" : "JSON, cut off at its end";
    yield* writer.addJson(json.value, label, { ...inner, isInline: false });
    if (behind !== "") yield* addLines(writer, yield* toLines(behind), { ...inner, isInline: false }, false);
  } else if (isNested && isEscapedText(text)) yield* addTextUnits(writer, yield* unescapeLayer(text), inner, false);
  else yield* addLines(writer, yield* toLines(text), place, isNumbered);
}

function* toLines(text: string): Slices<ShownLines> {
  const source = yield* indexLines(text);
  const size = `${source.count.toLocaleString("en-US")} ${source.count === 1 ? "line" : "lines"}`;
  const html = isHtml(text) ? yield* readHtml(text) : [];
  // A page of scripts, or with an element that is never closed, has no readable text.
  if (html.length === 0) {
    const outline = (yield* describeCsv(source)) ?? `Text of ${size}:`;
    return { index: source, number: (line) => line, outline };
  }
  return {
    index: yield* indexLines(html.map((line) => line.text).join("\n")),
    number: (line) => source.numberAt(html[line - 1]?.offset ?? 0),
    outline: `Text of an HTML page (its source has ${size}):`,
  };
}

function* addLines(
  writer: UnitWriter,
  { index, number, outline }: ShownLines,
  place: UnitPlace,
  isNumbered: boolean,
): Slices<void> {
  const { list } = writer;
  const { indent } = place;
  const hasOutline = isNumbered && index.count > 1;
  const parent = hasOutline
    ? list.add({ text: cutToTokens(outline, writer.maxTokens / 3), parent: place.parent, indent, weight: place.weight })
    : place.parent;
  const characters = Math.max(UNIT_CHARACTERS, index.text.length / index.count);
  const limit = Math.max(MIN_LINES, Math.floor((place.room * UNIT_CHARACTERS) / characters));
  const { numbers, rare } = yield* chooseLines(index, limit);
  let isFirst = true;
  let next = 1;
  let template = 0;
  let similar = 0;
  const skip = function* (to: number): Slices<void> {
    if (to <= next || !isNumbered) return;
    const position = { of: "line", number: number(next), to: number(to - 1) } as const;
    const group = (yield* isSimilarRun(index, next, to, template)) ? { group: template } : {};
    list.add({ text: "", parent, indent, weight: 0, position, ...group });
  };
  for (const [order, at] of numbers.entries()) {
    if (order % LINES_PER_SLICE === 0) yield;
    const text = (yield* shortenBlobs(index.line(at).replace(COLOURS, ""))).trim();
    if (text === "") {
      if (at === next) next += 1;
      continue;
    }
    yield* skip(at);
    next = at + 1;
    const group = templateOf(index.text, index.startOf(at), index.startOf(at + 1));
    similar = group === template ? similar + 1 : 0;
    template = group;
    const isHeading = HEADING.test(text);
    const isShown = isNumbered && (at <= FIRST_LINES || at === index.count || rare.has(at));
    const worth = lineWeight(text, at / index.count, isHeading) * (similar >= SIMILAR_LINES ? 0.35 : 1);
    addClauses(writer, isHeading && isNumbered ? `L${number(at)} ${text}` : text, {
      parent,
      indent,
      weight: worth * (isShown ? SHOWN_WEIGHT : place.weight),
      group,
      ...(isNumbered ? { position: { of: "line", number: number(at) } as const } : {}),
      ...(isFirst && place.isInline ? { separator: " " } : {}),
    });
    isFirst = false;
  }
  yield* skip(index.count + 1);
}

/** Whether all lines of a gap differ from the line before it only in their numbers. */
function* isSimilarRun(index: LineIndex, from: number, to: number, template: number): Slices<boolean> {
  for (let at = from; at < to; at += 1) {
    if ((at - from) % SIMILAR_PER_SLICE === SIMILAR_PER_SLICE - 1) yield;
    if (templateOf(index.text, index.startOf(at), index.startOf(at + 1)) !== template) return false;
  }
  return true;
}

function lineWeight(text: string, position: number, isHeading: boolean): number {
  const isAlarm = text.length < 400 && ALARM.test(text);
  return (1.15 - 0.3 * position) * (isHeading ? 1.5 : 1) * (isAlarm ? 1.3 : 1);
}

/** The first clause starts the line; the others continue it. A clause does not need the ones before it. */
function addClauses({ list }: UnitWriter, text: string, unit: Omit<Unit, "text">): void {
  const pieces = splitLine(text);
  const { position: _position, ...rest } = unit;
  const weight = Math.min(unit.weight, MAX_CLAUSE_WEIGHT);
  for (const [order, piece] of pieces.entries()) {
    const clause = piece.trimEnd();
    if (order === 0) list.add({ ...unit, text: clause });
    else list.add({ ...rest, weight, separator: /\s$/.test(pieces[order - 1] ?? "") ? " " : "", text: clause });
  }
}
