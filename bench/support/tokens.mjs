import { encode } from "gpt-tokenizer/encoding/o200k_base";

/** Tokens of a text, or of a value as JSON. Special tokens in a tool's text are only text. */
export function tokensOf(value) {
  return encode(typeof value === "string" ? value : JSON.stringify(value), { disallowedSpecial: new Set() }).length;
}
