import { foldName, unmask } from "../../util/fold-name.js";
import type { Effect, RiskLexicon } from "./lexicon.js";

/** A word that names an action. */
export interface ActionWord {
  readonly word: string;
  readonly action: Effect;
  /** Whether the word is often a noun, such as "order". */
  readonly isNoun: boolean;
  /** The index of the word among the words of its text. */
  readonly at: number;
}

const MAX_NAME_LENGTH = 200;
/** The beginning of a description says what the tool does. */
const MAX_TEXT_LENGTH = 600;
const MAX_TEXT_WORDS = 16;
const MAX_UNSPACED = 60;

/** The words of a name in normal form. Snake, kebab and camel case are split. */
export function wordsOfName(name: string): readonly string[] {
  return unmask(name.slice(0, MAX_NAME_LENGTH))
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => word !== "")
    .map(foldName);
}

/** The beginning of a description in lower case, for comparisons with phrases. */
export function startOfText(description: string): string {
  return unmask(description.slice(0, MAX_TEXT_LENGTH)).replace(/\s+/gu, " ").toLowerCase();
}

/** The first words of a description in normal form. A comma is a word of its own, because it joins verbs. */
export function wordsOfText(text: string): readonly string[] {
  const words = text.match(/[\p{L}\p{N}\p{M}'’]+|[,、，]/gu) ?? [];
  return words.slice(0, MAX_TEXT_WORDS).map((word) => (/[,、，]/u.test(word) ? "," : foldName(word)));
}

/** The words of a name that name actions. */
export function actionsOfName(words: readonly string[], lexicon: RiskLexicon): ActionWord[] {
  return words.flatMap((word, at) => {
    const found = findVerb(word, lexicon);
    if (found !== undefined) return [{ ...found, at }];
    // "deletes_file": a noun in the plural, such as "orders", is not a verb.
    const base = word.endsWith("s") ? findVerb(word.slice(0, -1), lexicon) : undefined;
    return base === undefined || base.isNoun ? [] : [{ ...base, at }];
  });
}

const DETERMINERS = new Set(
  "a an the this that these those of your their its our my any all each every for in on at from with by as no one both existing new specific single given".split(
    " ",
  ),
);
/** Words before the first verb of a description. */
const OPENERS = new Set(
  "tool tools to this will can be it used use using allows allow you lets let helps help api function command method notion that which and or , please must always only step purpose 1".split(
    " ",
  ),
);
const CONJUNCTIONS = new Set([",", "and", "or", "then", "also"]);

/**
 * The actions that a description begins with: its first verb, and the verbs that a conjunction joins to it ("create,
 * update or delete").
 */
export function actionsOfText(words: readonly string[], lexicon: RiskLexicon): ActionWord[] {
  const found: ActionWord[] = [];
  for (const [at, word] of words.entries()) {
    const before = words[at - 1];
    const last = found.at(-1);
    if (last !== undefined && !isJoined(words, last.at, at)) continue;
    if (before !== undefined && DETERMINERS.has(before)) continue;
    const verb = findForm(word, lexicon);
    if (verb === undefined) continue;
    if (verb.isNoun && last === undefined && !words.slice(0, at).every((one) => OPENERS.has(one))) continue;
    found.push({ ...verb, at });
  }
  return found;
}

function isJoined(words: readonly string[], from: number, to: number): boolean {
  const between = words.slice(from + 1, to);
  return between.length > 0 && between.every((word) => CONJUNCTIONS.has(word));
}

/** The Chinese, Japanese and Korean verbs in the first characters of a text. */
export function unspacedActions(text: string, lexicon: RiskLexicon): ActionWord[] {
  const beginning = text.slice(0, MAX_UNSPACED);
  if (!/[\u1100-\u{3ffff}]/u.test(beginning)) return [];
  const start = foldName(beginning);
  return lexicon.unspaced
    .flatMap(([word, action]) => {
      const at = start.indexOf(word);
      return at === -1 ? [] : [{ word, action, isNoun: false, at }];
    })
    .sort((left, right) => left.at - right.at);
}

/** The infinitive of "deletes", "deleting" and "delete". */
function findForm(word: string, lexicon: RiskLexicon): Omit<ActionWord, "at"> | undefined {
  const [, stem] = /^(.{2,}?)(?:ing|es|s)$/u.exec(word) ?? [];
  const candidates = [word];
  if (word.endsWith("ies")) candidates.push(`${word.slice(0, -3)}y`);
  else if (word.endsWith("s")) candidates.push(word.slice(0, -1));
  if (stem !== undefined) candidates.push(stem, `${stem}e`);
  if (stem !== undefined && stem.at(-1) === stem.at(-2)) candidates.push(stem.slice(0, -1));
  for (const candidate of candidates) {
    const found = findVerb(candidate, lexicon);
    if (found !== undefined) return found;
  }
  return undefined;
}

function findVerb(word: string, lexicon: RiskLexicon): Omit<ActionWord, "at"> | undefined {
  const action = lexicon.verbs.get(word);
  return action === undefined ? undefined : { word, action, isNoun: lexicon.has("also nouns", word) };
}
