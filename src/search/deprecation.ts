/** A note further down is about a parameter or a detail, not about the tool. */
const LONGEST_BEGINNING = 2_000;

/** A sentence or a bracket that begins with the word and goes on with more than a noun: "Deprecated packages of a project" is none. */
const MARK = /^(?:[\s[(*_.]|⚠\ufe0f?)*(deprecated(?=$|[\])*_:：.,!]|\s+(?:[–—-]|use\b|please\b|in fav))[^\])>*]*)/iu;
const SAID =
  /(\bthis (?:tool|endpoint|operation|method|function|action|command|api) (?:is|has been) (?:now )?deprecated\b[^*]*)/iu;

export interface Deprecation {
  /** As it is written, without the brackets around it. */
  readonly note: string;
  /** The description without the note. */
  readonly rest: string;
}

/** What a description says about the tool being deprecated, if it does. */
export function findDeprecation(description: string): Deprecation | undefined {
  const beginning = description.slice(0, LONGEST_BEGINNING);
  if (!/deprecated/iu.test(beginning)) return undefined;
  for (const sentence of beginning.split(/(?<=[.!?。;])\s+|\n|<</u)) {
    const [whole, note] = MARK.exec(sentence) ?? SAID.exec(sentence) ?? [];
    if (whole === undefined || note === undefined) continue;
    const start = description.indexOf(whole);
    const after = description.slice(start + whole.length).replace(/^[\])>*_]+/u, "");
    return { note, rest: `${description.slice(0, start)}\n${after}` };
  }
  return undefined;
}
