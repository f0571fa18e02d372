import { encode } from "gpt-tokenizer/encoding/o200k_base";

/** The number of tokens of a text, or of a value as JSON. Special tokens in a text count as plain text. */
export function tokensOf(value) {
  return encode(typeof value === "string" ? value : JSON.stringify(value), { disallowedSpecial: new Set() }).length;
}
