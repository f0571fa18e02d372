import { readLenientJson, type LenientJson } from "./lenient-json.js";
import type { Slices } from "./slices.js";

/** JSON inside a text is shown as JSON if it has at least this many characters. */
const MIN_JSON_CHARACTERS = 200;
const JSON_START = /(?<=^|[\s'"=(:>`])[[{](?=\s*["[{\d\]}-])/g;
/** JSON that begins later in a text is shown as text. */
const MAX_JSON_OFFSET = 4096;
const MAX_STARTS = 3;

export interface EmbeddedJson extends LenientJson {
  readonly from: number;
}

/** Finds the JSON that makes up most of a text. */
export function* findJson(text: string): Slices<EmbeddedJson | undefined> {
  if (text.length < MIN_JSON_CHARACTERS) return undefined;
  for (const { index } of [...text.slice(0, MAX_JSON_OFFSET).matchAll(JSON_START)].slice(0, MAX_STARTS)) {
    const json = yield* readLenientJson(text, index);
    if (json === undefined) continue;
    const size = json.end - index;
    if (size >= MIN_JSON_CHARACTERS && size * 2 > text.length) return { from: index, ...json };
  }
  return undefined;
}
