import { ALARM, chooseLines, HEADING } from "./choose-lines.js";
import { describeCsv } from "./csv-outline.js";
import { isHtml, readHtml } from "./html-text.js";
import { readLenientJson } from "./lenient-json.js";
import { indexLines } from "./line-index.js";
import { shortenBlobs } from "./shorten-blobs.js";
import type { Slices } from "./slices.js";
import { splitLine } from "./split-line.js";
import { isEscapedText, unescapeLayer } from "./unescape-layer.js";
import type { Unit, UnitPlace, UnitWriter } from "./unit.js";

/** The lines of a text, counted from 0. */
interface TextLines {
  readonly count: number;
  text(index: number): string;
  /** The number of the line in the source, counted from 1. */
  number(index: number): number;
}

const LINES_PER_SLICE = 64;
const SIMILAR_PER_SLICE = 1000;
const MAX_DEPTH = 8;
const OUTLINE_WEIGHT = 4;
/** JSON inside a text is shown as JSON if it has at least this many characters. */
const MIN_JSON_CHARACTERS = 200;
const JSON_START = /(?<=^|[\s'"=(:>`])[[{](?=\s*["[{\d\]}-])/g;
/** JSON that begins later in a text is shown as text. */
const MAX_JSON_OFFSET = 4096;
/** After this many lines that differ only in their digits, the next ones are worth little. */
const SIMILAR_LINES = 3;

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

interface EmbeddedJson {
  readonly from: number;
  readonly end: number;
  readonly value: unknown;
  readonly isComplete: boolean;
}

/** Finds the JSON that makes up most of a text. */
function* findJson(text: string): Slices<EmbeddedJson | undefined> {
  if (text.length < MIN_JSON_CHARACTERS) return undefined;
  for (const { index } of [...text.slice(0, MAX_JSON_OFFSET).matchAll(JSON_START)].slice(0, 3)) {
    const json = yield* readLenientJson(text, index);
    if (json === undefined) continue;
    const size = json.end - index;
    if (size >= MIN_JSON_CHARACTERS && size * 2 > text.length) return { from: index, ...json };
  }
  return undefined;
}

function* toLines(text: string): Slices<TextLines> {
  const index = yield* indexLines(text);
  if (!isHtml(text)) return { count: index.count, text: (at) => index.line(at + 1), number: (at) => at + 1 };
  const lines = yield* readHtml(text);
  // A page of scripts, or with an element that is never closed, has no readable text.
  if (lines.length === 0) return { count: index.count, text: (at) => index.line(at + 1), number: (at) => at + 1 };
  return {
    count: lines.length,
    text: (at) => lines[at]?.text ?? "",
    number: (at) => index.numberAt(lines[at]?.offset ?? 0),
  };
}

function* addLines(writer: UnitWriter, lines: TextLines, place: UnitPlace, isNumbered: boolean): Slices<void> {
  const { list } = writer;
  const outline = isNumbered ? describeCsv(lines.count, lines.text) : undefined;
  if (outline !== undefined)
    list.add({ text: outline, parent: place.parent, indent: place.indent, weight: place.weight * OUTLINE_WEIGHT });
  const chosen = yield* chooseLines(lines.count, lines.text, writer.maxCandidates);
  let isFirst = true;
  let next = 0;
  let template = "";
  let similar = 0;
  const skip = function* (to: number): Slices<void> {
    if (to <= next || !isNumbered) return;
    const position = { of: "line", number: lines.number(next), to: lines.number(to - 1) } as const;
    const group = (yield* isSimilarRun(lines, next, to, template)) ? { group: template } : {};
    list.add({ text: "", parent: place.parent, indent: place.indent, weight: 0, position, ...group });
  };
  for (const [order, at] of chosen.entries()) {
    if (order % LINES_PER_SLICE === 0) yield;
    const text = (yield* shortenBlobs(lines.text(at))).trim();
    if (text === "") {
      if (at === next) next += 1;
      continue;
    }
    yield* skip(at);
    next = at + 1;
    const group = toTemplate(text);
    similar = group === template ? similar + 1 : 0;
    template = group;
    const isHeading = HEADING.test(text);
    const number = lines.number(at);
    addClauses(writer, isHeading && isNumbered ? `L${number} ${text}` : text, {
      parent: place.parent,
      indent: place.indent,
      weight: place.weight * lineWeight(text, at / lines.count, isHeading) * (similar >= SIMILAR_LINES ? 0.35 : 1),
      group,
      ...(isNumbered ? { position: { of: "line", number } as const } : {}),
      ...(isFirst && place.isInline ? { separator: " " } : {}),
    });
    isFirst = false;
  }
  yield* skip(lines.count);
}

/** Whether all lines of a gap differ from the line before it only in their numbers. */
function* isSimilarRun(lines: TextLines, from: number, to: number, template: string): Slices<boolean> {
  for (let at = from; at < to; at += 1) {
    if ((at - from) % SIMILAR_PER_SLICE === SIMILAR_PER_SLICE - 1) yield;
    if (toTemplate(lines.text(at).slice(0, 200).trim()) !== template) return false;
  }
  return true;
}

function lineWeight(text: string, position: number, isHeading: boolean): number {
  const isAlarm = text.length < 400 && ALARM.test(text);
  return (1.15 - 0.3 * position) * (isHeading ? 1.5 : 1) * (isAlarm ? 1.3 : 1);
}

/** The first clause starts the line; the others continue it. A clause does not need the ones before it. */
function addClauses({ list }: UnitWriter, text: string, unit: Omit<Unit, "text">): void {
  const [first = "", ...others] = splitLine(text);
  list.add({ ...unit, text: first });
  const { position: _position, ...rest } = unit;
  for (const other of others) list.add({ ...rest, separator: " ", text: other });
}

function toTemplate(line: string): string {
  return line.slice(0, 120).replace(/[0-9a-f]*\d[0-9a-f]*/gi, "#");
}
