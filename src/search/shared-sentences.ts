// Finds sentences that the tools of one server have in common, such as "Part of the Acme MCP server." They do not
// distinguish the tools, so summaries omit them.

/** Sentences at the beginning and at the end of the descriptions of one server, in the order in which to remove them. */
export interface SharedSentences {
  readonly leading: readonly string[];
  readonly trailing: readonly string[];
}

const NONE: SharedSentences = { leading: [], trailing: [] };
const MIN_TOOLS = 3;
/** The share of the descriptions that must have a sentence. A few exceptions do not make it informative. */
const MIN_SHARE = 0.8;
const MAX_SENTENCES = 3;
/** How many characters at each end of a description are read. */
const MAX_READ_LENGTH = 1_000;
const MIN_LENGTH = 3;

export function findSharedSentences(descriptions: readonly string[]): SharedSentences {
  const texts = descriptions.map((text) => text.trim()).filter((text) => text !== "");
  if (texts.length < MIN_TOOLS) return NONE;
  const leading = collect(texts, firstSentence, dropStart);
  const rest = texts.map((text) => leading.reduce(dropStart, text));
  return { leading, trailing: collect(rest, lastSentence, dropEnd) };
}

/** Removes shared sentences. Returns the whole description if nothing else is in it. */
export function dropSharedSentences(description: string, { leading, trailing }: SharedSentences): string {
  if (leading.length === 0 && trailing.length === 0) return description;
  const rest = trailing.reduce(dropEnd, leading.reduce(dropStart, description.trim()));
  return rest === "" ? description : rest;
}

function collect(
  texts: readonly string[],
  sentenceOf: (text: string) => string,
  drop: (text: string, sentence: string) => string,
): string[] {
  const found: string[] = [];
  let rest = texts;
  while (found.length < MAX_SENTENCES) {
    const shared = mostFrequent(rest.map(sentenceOf), Math.max(MIN_TOOLS, texts.length * MIN_SHARE));
    if (shared === undefined) break;
    found.push(shared);
    rest = rest.map((text) => drop(text, shared));
  }
  return found;
}

function mostFrequent(sentences: readonly string[], min: number): string | undefined {
  const counts = new Map<string, number>();
  for (const sentence of sentences) counts.set(sentence, (counts.get(sentence) ?? 0) + 1);
  const [best] = [...counts].sort(([, a], [, b]) => b - a);
  return best !== undefined && best[1] >= min && isBoilerplate(best[0]) ? best[0] : undefined;
}

/** A note that all tools are deprecated stays in the summaries: an agent must know it. */
function isBoilerplate(sentence: string): boolean {
  return sentence.length >= MIN_LENGTH && !/deprecat|obsolete/iu.test(sentence);
}

const SENTENCE_END = /[.!?](?=\s)|\n/u;

function firstSentence(text: string): string {
  const head = text.slice(0, MAX_READ_LENGTH);
  const end = SENTENCE_END.exec(head);
  return end === null ? head : head.slice(0, end.index + 1).trim();
}

function lastSentence(text: string): string {
  const tail = text.slice(-MAX_READ_LENGTH);
  const sentences = tail.split(/(?<=[.!?])\s+|\n+/u);
  return sentences.at(-1)?.trim() ?? "";
}

function dropStart(text: string, sentence: string): string {
  if (!text.startsWith(sentence)) return text;
  const rest = text.slice(sentence.length);
  return rest === "" || /^\s/u.test(rest) ? rest.trim() : text;
}

function dropEnd(text: string, sentence: string): string {
  if (!text.endsWith(sentence)) return text;
  const rest = text.slice(0, -sentence.length);
  return rest === "" || /\s$/u.test(rest) ? rest.trim() : text;
}
