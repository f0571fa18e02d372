import type { JsonObject } from "../model/json.js";
import type { Slices } from "./slices.js";

/** A JSON value that was read from a text. */
export interface LenientJson {
  readonly value: unknown;
  /** The offset of the first character after the value. */
  readonly end: number;
  /** False if the text ends inside the value: the last string, array or object is incomplete. */
  readonly isComplete: boolean;
}

const MAX_DEPTH = 512;
const VALUES_PER_SLICE = 2000;
const SPACE = /[ \t\r\n]*/y;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORDS: readonly (readonly [string, unknown])[] = [
  ["true", true],
  ["false", false],
  ["null", null],
  ["NaN", null],
];

interface OpenContainer {
  readonly array: unknown[] | undefined;
  readonly object: JsonObject | undefined;
  key: string;
}

/**
 * Reads one JSON value that starts at `from`, in slices, and also a value that the text cuts off at its end: servers
 * limit the length of their text without regard for its format. Returns undefined if the text is not JSON.
 */
export function* readLenientJson(text: string, from: number): Slices<LenientJson | undefined> {
  const open: OpenContainer[] = [];
  let at = skipSpace(text, from);
  let count = 0;
  let root: unknown;
  const put = (value: unknown): void => {
    const last = open.at(-1);
    if (last?.array !== undefined) last.array.push(value);
    else if (last?.object !== undefined) setMember(last.object, last.key, value);
    else root = value;
  };
  const cutOff = (): LenientJson => ({ value: root, end: text.length, isComplete: false });

  for (;;) {
    count += 1;
    if (count % VALUES_PER_SLICE === 0) yield;
    const first = text[at];
    if (first === undefined) return open.length === 0 ? undefined : cutOff();
    const last = open.at(-1);
    let isClosed = false;

    if (last !== undefined && (first === "]" || first === "}")) {
      if ((first === "]") !== (last.array !== undefined)) return undefined;
      open.pop();
      at += 1;
      isClosed = true;
    } else {
      if (last?.object !== undefined) {
        if (first !== '"') return undefined;
        const key = readString(text, at);
        if (key === undefined) return undefined;
        if (!key.isComplete) return cutOff();
        at = skipSpace(text, key.end);
        if (at >= text.length) return cutOff();
        if (text[at] !== ":") return undefined;
        at = skipSpace(text, at + 1);
        if (at >= text.length) return cutOff();
        last.key = key.value;
      }
      const start = text[at];
      if (start === "{" || start === "[") {
        if (open.length >= MAX_DEPTH) return undefined;
        const container: OpenContainer =
          start === "[" ? { array: [], object: undefined, key: "" } : { array: undefined, object: {}, key: "" };
        put(container.array ?? container.object);
        open.push(container);
        at = skipSpace(text, at + 1);
        continue;
      }
      const scalar = readScalar(text, at);
      if (scalar === undefined) return text.length - at < 5 && open.length > 0 ? cutOff() : undefined;
      put(scalar.value);
      if (!scalar.isComplete) return cutOff();
      at = scalar.end;
      isClosed = true;
    }

    if (!isClosed) continue;
    const parent = open.at(-1);
    if (parent === undefined) return { value: root, end: at, isComplete: true };
    at = skipSpace(text, at);
    if (text[at] === ",") {
      at = skipSpace(text, at + 1);
      if (text[at] === "]" || text[at] === "}") return undefined;
    } else if (at < text.length && text[at] !== "]" && text[at] !== "}") return undefined;
  }
}

function skipSpace(text: string, from: number): number {
  const code = text.charCodeAt(from);
  if (code > 32) return from;
  SPACE.lastIndex = from;
  SPACE.exec(text);
  return SPACE.lastIndex;
}

function setMember(object: JsonObject, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else object[key] = value;
}

interface ReadScalar {
  readonly value: unknown;
  readonly end: number;
  readonly isComplete: boolean;
}

function readScalar(text: string, at: number): ReadScalar | undefined {
  if (text[at] === '"') return readString(text, at);
  NUMBER.lastIndex = at;
  const number = NUMBER.exec(text);
  if (number !== null) return { value: Number(number[0]), end: NUMBER.lastIndex, isComplete: true };
  const word = WORDS.find(([name]) => text.startsWith(name, at));
  return word === undefined ? undefined : { value: word[1], end: at + word[0].length, isComplete: true };
}

function readString(text: string, at: number): (ReadScalar & { readonly value: string }) | undefined {
  let end = text.indexOf('"', at + 1);
  while (end !== -1 && isEscaped(text, end, at)) end = text.indexOf('"', end + 1);
  const isComplete = end !== -1;
  // An incomplete string can end inside an escape sequence.
  const raw = isComplete ? text.slice(at + 1, end) : text.slice(at + 1).replace(/\\(?:u[0-9a-fA-F]{0,3})?$/, "");
  const value = raw.includes("\\") ? unescapeString(raw) : raw;
  return value === undefined ? undefined : { value, end: isComplete ? end + 1 : text.length, isComplete };
}

function isEscaped(text: string, at: number, start: number): boolean {
  let before = at - 1;
  while (before > start && text.charCodeAt(before) === 92) before -= 1;
  return (at - before) % 2 === 0;
}

function unescapeString(raw: string): string | undefined {
  try {
    const value: unknown = JSON.parse(`"${raw.replace(/\p{Cc}/gu, toUnicodeEscape)}"`);
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

function toUnicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
