import type { Match } from "../../search/explain.js";

const MOST_WORDS = 6;

/** Why a tool was found, from what it was found by and nothing else. */
export function toReason(matches: readonly Match[], facts: readonly string[]): string {
  const words = matches.filter(({ kind }) => kind !== "near");
  const tags = words.filter(({ fields }) => fields.every((field) => field === "tags")).map(({ found }) => found);
  const own = words.filter(({ found }) => !tags.includes(found));
  const near = matches.filter(({ kind }) => kind === "near").map(({ found }) => found);
  const parts = [
    own.length > 0 ? `Matches ${own.slice(0, MOST_WORDS).map(toWord).join(", ")}` : undefined,
    tags.length > 0 ? `tagged ${tags.map(quoted).join(", ")}` : undefined,
    near.length > 0 ? `near in meaning: ${near.map(quoted).join(", ")}` : undefined,
    ...facts,
  ].filter((part) => part !== undefined);
  if (parts.length === 0) return "Nearest in meaning to the query as a whole.";
  const text = parts.join("; ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** Another form of a word is the same word; another word is told with the one that it stands for. */
function toWord({ word, found, kind }: Match): string {
  return kind === "exact" || kind === "form" || word === found ? quoted(word) : `${quoted(word)} as ${quoted(found)}`;
}

function quoted(word: string): string {
  return `"${word}"`;
}
