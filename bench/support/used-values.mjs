/**
 * The values of a result that the run uses later and that the result is the first to have: strings of 4 to 120
 * characters, word-like parts of 5 and more characters in longer ones, and numbers of 4 and more digits, in the
 * arguments of later calls and in the final answer. Letter case does not count.
 */
export function usedValues(run, at, text) {
  return firstUsed(run, { at, text, read: valuesIn });
}

/**
 * The same for what a model cannot write without having read it: links, and words and numbers that have a digit, also
 * as parts of longer strings.
 */
export function usedSpecifics(run, at, text) {
  return firstUsed(run, { at, text, read: specificsIn });
}

function firstUsed({ steps, answer }, { at, text, read }) {
  const later = [...steps.slice(at + 1).map((step) => step.arguments), answer].flatMap(leavesIn);
  const candidates = new Set(later.flatMap(read).map((value) => value.toLowerCase()));
  const before = [...steps.slice(0, at).flatMap((step) => [step.arguments, step.result]), steps[at].arguments];
  const earlier = before.flatMap(leavesIn).join("\n").toLowerCase();
  const lower = text.toLowerCase();
  return [...candidates].filter((value) => lower.includes(value) && !earlier.includes(value));
}

/** The strings and numbers in a value. */
function leavesIn(value) {
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(leavesIn);
  return typeof value === "string" || typeof value === "number" ? [value] : [];
}

function valuesIn(leaf) {
  if (typeof leaf === "number") return /\d{4}/.test(String(leaf)) ? [String(leaf)] : [];
  const text = leaf.trim();
  const isShort = text.length >= 4 && text.length <= 120 && !text.includes("\n");
  return [...(isShort ? [text] : []), ...(text.match(/[\p{L}\p{N}_]{5,}|\d{4,}/gu) ?? [])];
}

const SPECIFIC = /https?:\/\/[^\s"'<>()[\]{}|\\]+|[\p{L}\p{N}_]+(?:[-.:@/][\p{L}\p{N}_]+)*/gu;

function specificsIn(leaf) {
  const words = String(leaf).match(SPECIFIC) ?? [];
  return words
    .map((word) => word.replace(/[.,;:]+$/, ""))
    .filter((word) => word.length >= 4 && (/\d/.test(word) || word.startsWith("http")));
}
