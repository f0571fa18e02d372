const THING = "(?:tool|function|endpoint|method|operation|command|action|utility|api|resource)";
const YOU = "(?:you|users?|the user|agents?|an agent|the agent|clients?|the llm|llms|models?)";

/** Phrases that could begin the description of any tool, such as "This tool allows you to". */
const OPENINGS = [
  `(?:this|the)(?: mcp)? ${THING} (?:will|can(?: be used to)?|is used (?:to|for)|is designed to|is for|is intended (?:to|for)|helps? ${YOU}?(?: to)?|(?:allows?|enables?|lets?|permits?)(?: ${YOU})?(?: to)?) `,
  `(?:this|the)(?: mcp)? ${THING} (?!is |has |was |does |needs |requires |must |should )(?=[a-z]+s )`,
  `(?:an? )?(?:mcp |detailed |simple |powerful |helper |utility |custom )*${THING}s?(?: (?:used|designed|intended))? (?:to|for|that(?: will| can)?|which(?: will| can)?) `,
  `(?:use|call|invoke)(?: this| it| the)?(?: ${THING})? (?:to|for|(?:when|if|whenever) ${YOU} (?:want|need|wish|ask)s? to) `,
  `(?:this )?(?:allows?|enables?|lets?|helps?) ${YOU}(?: to)? `,
  `this (?:will|can) `,
].map((source) => new RegExp(`^${source}`, "i"));

const MIN_REST_LENGTH = 6;

/** Removes an opening such as "This tool allows you to" and capitalizes the rest. */
export function dropOpening(sentence: string): string {
  if (!/^(?:this|the|an?|mcp|tool|function|utility|use|call|invoke|allow|enable|let|help|endpoint)/i.test(sentence))
    return sentence;
  for (const opening of OPENINGS) {
    const rest = sentence.replace(opening, "");
    if (rest !== sentence && rest.length >= MIN_REST_LENGTH) return rest.charAt(0).toUpperCase() + rest.slice(1);
  }
  return sentence;
}

const WARNING =
  /^(?:important|note|warning|caution|critical|attention|mandatory|prerequisites?|requirements?|tip|disclaimer)\b\W{0,3}[:!–—-]|^(?:you must|always|never|do not|don't|must be|make sure|be sure|please)\b|^this is an? (?:mcp |sub ?-?)?tool (?:from|of|in) /i;

/** Whether a sentence says how to use the tool or where it comes from, instead of what it does. */
export function isWarning(sentence: string): boolean {
  return WARNING.test(sentence);
}

/** Whether a sentence is a placeholder that code generators write if there is no description. */
export function isPlaceholder(sentence: string): boolean {
  return /^(?:no description|(?:tool )?description (?:is )?not (?:available|accessible|provided)|n\/a$|todo\b|tbd\b|undefined$|null$)/i.test(
    sentence,
  );
}
