import type { JsonObject } from "../model/json.js";
import { ExactNumber, toJsonNumber } from "./exact-number.js";
import { rememberKeys } from "./json-keys.js";
import type { Slices } from "./slices.js";

/** A JSON value that was read from a text. */
export interface LenientJson {
  readonly value: unknown;
  /** The offset of the first character after the value. */
  readonly end: number;
  /** False if the text ends inside the value: the last string, array or object is incomplete. */
  readonly isComplete: boolean;
  /** False if the value has something that JSON does not permit: NaN, or a control character in a string. */
  readonly isStrict: boolean;
}

const MAX_DEPTH = 512;
/** Parts of arrays and objects up to this length are parsed at once, because the native parser is faster. */
const AT_ONCE_CHARACTERS = 16_384;
const CHARACTERS_PER_SLICE = 100_000;
const VALUES_PER_SLICE = 2000;
const SPACE = /[ \t\r\n]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** A number that the native parser may change: many digits, an exponent, a zero at the end of a fraction, or -0. */
const INEXACT = /[[:,]\s*(-?\d[\d.]{15,}(?![eE])|-?\d[\d.]*[eE][+-]?\d+|-?\d+\.\d*0(?=[\s,\]}])|-0(?=[\s,\]}]))/g;
/** The beginning of a string that stands for a number. */
const MARK = "\\u0001";
/** A character below the space. */
const CONTROL = /[^ -\uffff]/g;
const WORDS: readonly (readonly [string, unknown])[] = [
  ["true", true],
  ["false", false],
  ["null", null],
  ["NaN", new ExactNumber("NaN")],
];

interface OpenContainer {
  readonly array: unknown[] | undefined;
  readonly object: JsonObject;
  readonly keys: string[];
  key: string;
  /** The members before this offset cannot be parsed at once. */
  singleUntil: number;
}

/**
 * Reads one JSON value that starts at `from`, in slices, and also a value that the text cuts off at its end: servers
 * limit the length of their text without regard for its format. Numbers keep every digit. Returns undefined if the text
 * is not JSON.
 */
export function* readLenientJson(text: string, from: number): Slices<LenientJson | undefined> {
  const open: OpenContainer[] = [];
  let at = skipSpace(text, from);
  let count = 0;
  let pauseAt = at + CHARACTERS_PER_SLICE;
  let root: unknown;
  let isStrict = true;
  const put = (value: unknown): void => {
    const last = open.at(-1);
    if (last === undefined) root = value;
    else if (last.array !== undefined) last.array.push(value);
    else setMember(last, last.key, value);
  };
  const finish = (end: number, isComplete: boolean): LenientJson => {
    for (const { array, object, keys } of open) if (array === undefined) rememberKeys(object, keys);
    return { value: root, end, isComplete, isStrict };
  };

  for (;;) {
    count += 1;
    if (count % VALUES_PER_SLICE === 0 || at > pauseAt) {
      pauseAt = at + CHARACTERS_PER_SLICE;
      yield;
    }
    const first = text[at];
    if (first === undefined) return open.length === 0 ? undefined : finish(at, false);
    const last = open.at(-1);
    const run = last === undefined || at < last.singleUntil ? at : endOfMembers(text, at);
    if (last !== undefined && (first === "]" || first === "}")) {
      if ((first === "]") !== (last.array !== undefined)) return undefined;
      open.pop();
      if (last.array === undefined) rememberKeys(last.object, last.keys);
      at += 1;
    } else if (last !== undefined && run > at && putAtOnce(last, text.slice(at, run))) at = run;
    else {
      if (last !== undefined && at >= last.singleUntil) {
        // The examination of a long member was in vain.
        pauseAt -= AT_ONCE_CHARACTERS;
        last.singleUntil = Math.max(run, at + 1);
      }
      if (last !== undefined && last.array === undefined) {
        if (first !== '"') return undefined;
        const key = yield* readString(text, at);
        if (key === undefined) return undefined;
        at = skipSpace(text, key.end);
        if (!key.isComplete || at >= text.length) return finish(text.length, false);
        if (text[at] !== ":") return undefined;
        at = skipSpace(text, at + 1);
        if (at >= text.length) return finish(at, false);
        isStrict &&= key.isStrict;
        last.key = String(key.value);
      }
      const start = text[at];
      if (start === "{" || start === "[") {
        if (open.length >= MAX_DEPTH) return undefined;
        const array: unknown[] | undefined = start === "[" ? [] : undefined;
        const container: OpenContainer = { array, object: {}, keys: [], key: "", singleUntil: 0 };
        put(array ?? container.object);
        open.push(container);
        at = skipSpace(text, at + 1);
        continue;
      }
      const scalar = yield* readScalar(text, at);
      if (scalar === undefined) return text.length - at < 5 && open.length > 0 ? finish(at, false) : undefined;
      put(scalar.value);
      isStrict &&= scalar.isStrict;
      if (!scalar.isComplete) return finish(text.length, false);
      at = scalar.end;
    }

    const parent = open.at(-1);
    if (parent === undefined) return finish(at, true);
    at = skipSpace(text, at);
    if (text[at] === ",") {
      at = skipSpace(text, at + 1);
      if (text[at] === "]" || text[at] === "}") return undefined;
    } else if (at < text.length && text[at] !== "]" && text[at] !== "}") return undefined;
  }
}

/** The end of the members from `from` on that are together short enough to be parsed at once; `from` if there is none. */
function endOfMembers(text: string, from: number): number {
  let depth = 0;
  let end = from;
  const limit = Math.min(text.length, from + AT_ONCE_CHARACTERS);
  for (let at = from; at < limit; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 34) at = endOfString(text, at, limit);
    else if (code === 91 || code === 123) depth += 1;
    else if (code === 93 || code === 125) {
      if (depth === 0) return at;
      depth -= 1;
    } else if (code === 44 && depth === 0) end = at;
  }
  return end;
}

/** The offset of the quote that closes the one at `from`; at least `limit` if it is not before that. */
function endOfString(text: string, from: number, limit: number): number {
  for (let at = from + 1; at < limit; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 34) return at;
    if (code === 92) at += 1;
  }
  return limit;
}

/** Returns false if the members are not JSON. */
function putAtOnce(container: OpenContainer, members: string): boolean {
  const { array } = container;
  const json = array === undefined ? `{${members}}` : `[${members}]`;
  const value = parseExact(json);
  if (value === undefined) return false;
  if (array !== undefined) for (const element of value as unknown[]) array.push(element);
  else for (const [key, member] of Object.entries(value as JsonObject)) setMember(container, key, member);
  return true;
}

/** As `JSON.parse`, and numbers keep every digit. Undefined if the text is not JSON. */
function parseExact(json: string): unknown {
  if (json.search(INEXACT) === -1) return parse(json);
  if (json.includes(MARK)) return undefined;
  // In a string that has something like a number, the quotes make the JSON invalid, so that it is read piece by piece.
  const marked = json.replace(INEXACT, (whole: string, number: string) =>
    String(Number(number)) === number ? whole : `${whole.slice(0, -number.length)}"${MARK}${number}"`,
  );
  const value = parse(marked);
  if (marked !== json && value !== undefined) unmark(value);
  return value;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Replaces the strings that stand for numbers. */
function unmark(root: unknown): void {
  const pending: unknown[] = [root];
  const restore = (value: unknown): unknown => {
    if (typeof value === "object" && value !== null) pending.push(value);
    else if (typeof value === "string" && value.startsWith("\u0001")) return new ExactNumber(value.slice(1));
    return value;
  };
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (Array.isArray(next)) for (const [index, element] of next.entries()) next[index] = restore(element);
    else
      for (const [key, member] of Object.entries(next as JsonObject)) {
        const restored = restore(member);
        if (restored !== member) (next as JsonObject)[key] = restored;
      }
  }
}

function skipSpace(text: string, from: number): number {
  const code = text.charCodeAt(from);
  if (code > 32) return from;
  SPACE.lastIndex = from;
  SPACE.exec(text);
  return SPACE.lastIndex;
}

function setMember({ object, keys }: OpenContainer, key: string, value: unknown): void {
  if (!Object.hasOwn(object, key)) keys.push(key);
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else object[key] = value;
}

type ReadScalar = LenientJson;

function* readScalar(text: string, at: number): Slices<ReadScalar | undefined> {
  if (text[at] === '"') return yield* readString(text, at);
  NUMBER.lastIndex = at;
  if (NUMBER.test(text)) {
    const end = NUMBER.lastIndex;
    return { value: toJsonNumber(text.slice(at, end)), end, isComplete: true, isStrict: true };
  }
  const word = WORDS.find(([name]) => text.startsWith(name, at));
  return word && { value: word[1], end: at + word[0].length, isComplete: true, isStrict: word[0] !== "NaN" };
}

/** Reads a string in pieces, which end between two escape sequences. */
function* readString(text: string, at: number): Slices<ReadScalar | undefined> {
  let value = "";
  let isStrict = true;
  for (let from = at + 1; ; ) {
    const limit = Math.min(text.length, from + CHARACTERS_PER_SLICE);
    let end = from;
    for (let code = text.charCodeAt(end); end < limit && code !== 34; code = text.charCodeAt(end))
      end += code !== 92 ? 1 : text[end + 1] === "u" ? 6 : 2;
    const isComplete = end < text.length && text[end] === '"';
    const isEnd = isComplete || end >= text.length;
    const raw = text.slice(from, end);
    // An incomplete string can end inside an escape sequence.
    const piece = unescapeString(isEnd && !isComplete ? raw.replace(/\\(?:u[0-9a-fA-F]{0,3})?$/, "") : raw);
    if (piece === undefined) return undefined;
    value += piece;
    isStrict &&= raw.search(CONTROL) === -1;
    if (isEnd) return { value, end: isComplete ? end + 1 : text.length, isComplete, isStrict };
    from = end;
    yield;
  }
}

function unescapeString(raw: string): string | undefined {
  if (!raw.includes("\\")) return raw;
  const value = parse(`"${raw.replace(CONTROL, toUnicodeEscape)}"`);
  return typeof value === "string" ? value : undefined;
}

function toUnicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
