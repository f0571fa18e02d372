import type { Slices } from "./slices.js";

const SAMPLE_CHARACTERS = 8192;
const ESCAPES_PER_SLICE = 2000;
const ESCAPE = /\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[nrt"'\\/])/g;
const CHARACTERS: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };

/**
 * Whether a text is the source form of a string: it has line breaks written as `\n`, and hardly any real ones. Programs
 * produce this when they print an object that contains a text.
 */
export function isEscapedText(text: string): boolean {
  const sample = text.slice(0, SAMPLE_CHARACTERS);
  const written = count(sample, "\\n") + count(sample, '\\"');
  return written >= 8 && written * 400 > sample.length && written > 4 * count(sample, "\n");
}

/** Replaces the escape sequences of one layer. */
export function* unescapeLayer(text: string): Slices<string> {
  /** Joined after each slice: V8 would otherwise copy all parts of a long text at once. */
  const written: string[] = [];
  let parts: string[] = [];
  let done = 0;
  for (const { 0: whole, 1: code = "", index } of text.matchAll(ESCAPE)) {
    if (parts.length === ESCAPES_PER_SLICE) {
      written.push(parts.join(""));
      parts = [];
      yield;
    }
    parts.push(text.slice(done, index) + unescapeCode(code));
    done = index + whole.length;
  }
  return [...written, ...parts, text.slice(done)].join("");
}

function unescapeCode(code: string): string {
  if (code.length > 1) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
  return CHARACTERS[code] ?? code;
}

function count(text: string, part: string): number {
  let found = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) found += 1;
  return found;
}
