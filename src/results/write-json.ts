import { ExactNumber, isObject } from "./exact-number.js";
import { keysOf } from "./json-keys.js";
import type { Slices } from "./slices.js";

export interface JsonWriteOptions {
  /** The spaces of one level. Default: 0, everything in one line without spaces. */
  readonly indent?: number;
  /** A longer text is not written. */
  readonly maxCharacters?: number;
}

const VALUES_PER_SLICE = 2000;
/** Deeper lines have the same indentation: otherwise a deeply nested value would consist of spaces. */
const MAX_INDENTED_DEPTH = 20;
const LONG_STRING_CHARACTERS = 100_000;

interface OpenValue {
  readonly keys: readonly string[] | undefined;
  readonly value: Readonly<Record<string, unknown>> | readonly unknown[];
  readonly size: number;
  next: number;
}

/**
 * Writes a value as JSON, as `JSON.stringify` does, but in slices, for any depth of nesting, and with a limited
 * indentation. Returns undefined if the text is longer than `maxCharacters`.
 */
export function* writeJsonText(
  root: unknown,
  { indent = 0, maxCharacters = Number.POSITIVE_INFINITY }: JsonWriteOptions = {},
): Slices<string | undefined> {
  const open: OpenValue[] = [];
  const written: string[] = [];
  /** Joined after each slice: V8 would otherwise copy all parts of a long text at once, at its first use. */
  let parts: string[] = [];
  let length = 0;
  let characters = 0;
  let count = 0;
  const write = (text: string): void => {
    parts.push(text);
    length += text.length;
  };
  const line = (depth: number): string =>
    indent === 0 ? "" : `\n${" ".repeat(indent * Math.min(depth, MAX_INDENTED_DEPTH))}`;
  const start = (value: unknown): void => {
    if (Array.isArray(value) && value.length > 0) {
      write("[");
      open.push({ keys: undefined, value, size: value.length, next: 0 });
    } else if (isObject(value) && keysOf(value).length > 0) {
      write("{");
      const keys = keysOf(value);
      open.push({ keys, value, size: keys.length, next: 0 });
    } else write(value instanceof ExactNumber ? String(value) : (JSON.stringify(value) ?? "null"));
  };
  start(root);
  for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
    count += 1;
    if (count % VALUES_PER_SLICE === 0 || length > LONG_STRING_CHARACTERS) {
      written.push(parts.join(""));
      characters += length;
      parts = [];
      length = 0;
      if (characters > maxCharacters) return undefined;
      yield;
    }
    if (last.next === last.size) {
      open.pop();
      write(`${line(open.length)}${last.keys === undefined ? "]" : "}"}`);
      continue;
    }
    write(`${last.next === 0 ? "" : ","}${line(open.length)}`);
    const at = last.next;
    last.next += 1;
    if (last.keys === undefined) start((last.value as readonly unknown[])[at]);
    else {
      const key = last.keys[at] ?? "";
      write(`${JSON.stringify(key)}:${indent === 0 ? "" : " "}`);
      start((last.value as Readonly<Record<string, unknown>>)[key]);
    }
  }
  written.push(parts.join(""));
  return characters + length > maxCharacters ? undefined : written.join("");
}
