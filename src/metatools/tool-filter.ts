import type { Tool } from "../model/tool.js";

const FILLER = new Set("a an all and any by for from in my of on or the this to tool tools with".split(" "));

/** Splits a query into the words that a tool must contain. Plural forms also match the singular. */
export function toFilterWords(query: string): readonly string[] {
  const words = query
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
  const informative = words.filter((word) => !FILLER.has(word));
  return (informative.length > 0 ? informative : words).map(toStem);
}

/** The tools that contain all words: first those with all words in the name, then the others. Keeps the order. */
export function containsWords(tools: readonly Tool[], words: readonly string[]): readonly Tool[] {
  const isIn = (text: string): boolean => words.every((word) => text.includes(word));
  const named = tools.filter(({ name }) => isIn(name.toLowerCase()));
  const isNamed = new Set(named);
  return [...named, ...tools.filter((tool) => !isNamed.has(tool) && isIn(textOf(tool)))];
}

/** A quarantined tool has a placeholder as its definition, so only its name is compared. */
function textOf({ name, definition: { title = "", description = "" }, tags, quarantine }: Tool): string {
  const texts = quarantine === undefined ? [name, title, description, ...tags] : [name, ...tags];
  return texts.join("\n").toLowerCase();
}

function toStem(word: string): string {
  if (word.length <= 3 || word.endsWith("ss")) return word;
  return word.endsWith("ies") ? word.slice(0, -3) : word.replace(/s$/u, "");
}
