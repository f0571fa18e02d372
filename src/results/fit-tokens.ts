import { estimateTokens } from "./estimate-tokens.js";

/** The longest beginning of a text that has at most `maxTokens`; never ends inside a surrogate pair. */
export function cutToTokens(text: string, maxTokens: number): string {
  if (maxTokens <= 0) return "";
  // A token is rarely longer than this. The estimate of the rest is not needed.
  let [low, high] = [0, Math.min(text.length, maxTokens * 40)];
  if (high === text.length && estimateTokens(text) <= maxTokens) return text;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (estimateTokens(text.slice(0, middle)) <= maxTokens) low = middle;
    else high = middle - 1;
  }
  return text.slice(0, (text.charCodeAt(low - 1) & 0xfc00) === 0xd800 ? low - 1 : low);
}
