/**
 * How many characters of a description are searched for a deprecation note. A later note is usually about a parameter,
 * not about the tool.
 */
const MAX_START_LENGTH = 2_000;

/**
 * A deprecation note: a sentence or bracket that starts with "deprecated", unless a noun follows, as in "Deprecated
 * packages of a project".
 */
const MARK = /^(?:[\s[(*_.]|⚠\ufe0f?)*(deprecated(?=$|[\])*_:：.,!]|\s+(?:[–—-]|use\b|please\b|in fav))[^\])>*]*)/iu;
const SENTENCE =
  /(\bthis (?:tool|endpoint|operation|method|function|action|command|api) (?:is|has been) (?:now )?deprecated\b[^*]*)/iu;

export interface Deprecation {
  /** The original text of the deprecation note, without brackets around it. */
  readonly note: string;
  /** The description without the deprecation note. */
  readonly rest: string;
}

/** Finds the note in a description that says that the tool is deprecated; undefined if there is none. */
export function findDeprecation(description: string): Deprecation | undefined {
  const beginning = description.slice(0, MAX_START_LENGTH);
  if (!/deprecated/iu.test(beginning)) return undefined;
  for (const sentence of beginning.split(/(?<=[.!?。;])\s+|\n|<</u)) {
    const [whole, note] = MARK.exec(sentence) ?? SENTENCE.exec(sentence) ?? [];
    if (whole === undefined || note === undefined) continue;
    const start = description.indexOf(whole);
    const after = description.slice(start + whole.length).replace(/^[\])>*_]+/u, "");
    return { note, rest: `${description.slice(0, start)}\n${after}` };
  }
  return undefined;
}
