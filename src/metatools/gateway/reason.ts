import type { Match } from "../../search/explain.js";

const MAX_WORDS = 6;

/** Explains why a tool was found. `matches` are the matching words of the query; `facts` say how the context fits. */
export function toMatchReason(matches: readonly Match[], facts: readonly string[]): string {
  const words = matches.filter(({ kind }) => kind !== "near");
  const tags = words.filter(({ fields }) => fields.every((field) => field === "tags")).map(({ found }) => found);
  const inText = words.filter(({ found }) => !tags.includes(found));
  const near = matches.filter(({ kind }) => kind === "near").map(({ found }) => found);
  const parts = [
    inText.length > 0 ? `Matches ${inText.slice(0, MAX_WORDS).map(toWord).join(", ")}` : undefined,
    tags.length > 0 ? `tagged ${tags.map(quoted).join(", ")}` : undefined,
    near.length > 0 ? `near in meaning: ${near.map(quoted).join(", ")}` : undefined,
    ...facts,
  ].filter((part) => part !== undefined);
  if (parts.length === 0) return "The tool is nearest in meaning to the query as a whole.";
  const text = parts.join("; ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/**
 * Returns the text for one match. An inflected form is shown as the word of the query; a synonym is shown together with
 * that word.
 */
function toWord({ word, found, kind }: Match): string {
  return kind === "exact" || kind === "form" || word === found ? quoted(word) : `${quoted(word)} as ${quoted(found)}`;
}

function quoted(word: string): string {
  return `"${word}"`;
}
