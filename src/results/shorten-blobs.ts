import type { Slices } from "./slices.js";

export const MIN_BLOB_CHARACTERS = 200;
const CHARACTERS_PER_SLICE = 50_000;
const SAMPLE_CHARACTERS = 2000;
const DATA_URI = /data:[\w./+-]{0,80};base64,$/;

/** The characters of base64, base64url and hexadecimal data. */
const BLOB_CHARACTERS = Uint8Array.from({ length: 128 }, (_, code) =>
  /[A-Za-z0-9+/_=-]/.test(String.fromCharCode(code)) ? 1 : 0,
);

/** Replaces base64 and similar data in a text with a note about its size. */
export function* shortenBlobs(text: string): Slices<string> {
  let written = "";
  let done = 0;
  for (let start = yield* findRun(text, 0); start !== -1; start = yield* findRun(text, start)) {
    let end = start + MIN_BLOB_CHARACTERS;
    for (; isBlobCharacter(text, end); end += 1) if (end % CHARACTERS_PER_SLICE === 0) yield;
    if (isOpaque(text.slice(start, start + SAMPLE_CHARACTERS))) {
      const before = text.slice(done, start).replace(DATA_URI, "");
      written += `${before}[${describe(text.slice(start, Math.min(end, start + SAMPLE_CHARACTERS)), end - start)}]`;
      done = end;
    }
    start = end;
  }
  return done === 0 ? text : written + text.slice(done);
}

function isBlobCharacter(text: string, at: number): boolean {
  return BLOB_CHARACTERS[text.charCodeAt(at)] === 1;
}

/**
 * Finds 200 characters in a row that can be data. Compares from the end of each window, as Boyer and Moore do, so that
 * the search takes linear time for every text.
 */
function* findRun(text: string, from: number): Slices<number> {
  let pauseAt = from + CHARACTERS_PER_SLICE;
  for (let start = from; start + MIN_BLOB_CHARACTERS <= text.length; ) {
    if (start >= pauseAt) {
      pauseAt = start + CHARACTERS_PER_SLICE;
      yield;
    }
    let at = start + MIN_BLOB_CHARACTERS - 1;
    while (at >= start && isBlobCharacter(text, at)) at -= 1;
    if (at < start) return start;
    start = at + 1;
  }
  return -1;
}

function describe(sample: string, characters: number): string {
  const kind = /^[0-9a-f]+$/i.test(sample) ? "hexadecimal" : "base64";
  return `${kind} data, ${characters.toLocaleString("en-US")} characters`;
}

/** Text and paths change between letters, digits and capitals far less often than encoded bytes. */
function isOpaque(sample: string): boolean {
  const changes = sample.match(/[a-z][A-Z0-9]|[A-Z][0-9]|[0-9][A-Za-z]/g)?.length ?? 0;
  return changes * 8 > sample.length || new Set(sample).size <= 2;
}
