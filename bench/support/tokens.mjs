import { encode } from "gpt-tokenizer/encoding/o200k_base";

/** The number of tokens of a text, or of a value as JSON. Special tokens in a text count as plain text. */
export function tokensOf(value) {
  return encode(typeof value === "string" ? value : JSON.stringify(value), { disallowedSpecial: new Set() }).length;
}

const SAMPLES = 32;
const SAMPLE_CHARACTERS = 8192;

/** The tokens of a text; of a long one, extrapolated from samples, because encoding base64 takes seconds per megabyte. */
export function tokensOfLarge(text) {
  if (text.length <= SAMPLES * SAMPLE_CHARACTERS) return tokensOf(text);
  const step = (text.length - SAMPLE_CHARACTERS) / (SAMPLES - 1);
  const starts = Array.from({ length: SAMPLES }, (_, sample) => Math.floor(sample * step));
  const tokens = starts.reduce((total, start) => total + tokensOf(text.slice(start, start + SAMPLE_CHARACTERS)), 0);
  return Math.round((tokens * text.length) / (SAMPLES * SAMPLE_CHARACTERS));
}
