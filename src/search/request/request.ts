// Reads what a query asks for: which actions, on one thing or on many, with which values, and by which product.
import { splitClauses } from "../clauses.js";
import { relate } from "../lexicon/lexicon.js";
import { toStem } from "../stem.js";
import { isStopWord } from "../stop-words.js";
import { tokenizeQuery } from "../tokenize.js";
import { type Action, actionOf, actionOfNoun, isAlsoNoun } from "./actions.js";
import { WEB_ADDRESS, withoutPayload } from "./payload.js";

export interface RequestFacts {
  /** The actions that the query asks for, at most one for each clause. Empty if no verb is known. */
  readonly actions: ReadonlySet<Action>;
  /** The clauses that ask for something to be done, if there are at least two. */
  readonly steps: readonly string[];
  /** Whether the query asks for something to be deleted, removed or cancelled. */
  readonly isDestructive: boolean;
  /** The stems of the words that name things, with how well each matches: 1 for the word itself, less for a synonym. */
  readonly stems: ReadonlyMap<string, number>;
  /** The stems of the plural words. */
  readonly plurals: ReadonlySet<string>;
  /** Whether the query asks for all things of a kind. */
  readonly isForAll: boolean;
  readonly hasUrl: boolean;
  /** Whether the query contains an identifier, so that no other tool has to look it up. */
  readonly hasIdentifier: boolean;
  /** Whether the query asks for facts that a web search can find. */
  readonly isOpenQuestion: boolean;
  /** Known products that the query names, in lower case. */
  readonly products: readonly string[];
}

const IDENTIFIER =
  /\b(?:id|ids|#|number|no\.?|key)\b\W{0,3}["'`]?[\p{L}_-]*\p{N}|\b[\p{Lu}]{2,10}-\p{N}+\b|\b[0-9a-f]{12,}\b/iu;
const DESTRUCTIVE =
  /\bget(?:ting)? rid of\b|\bno longer\b|\bnot? (?:need|want)\b|n't (?:need|want)\b|\bany ?more\b|\bthrow (?:it )?away\b|\b(?:take|pull) (?:it |[^.,;]{1,40} )(?:down|off|out of)\b|\btake (?:down|off)\b|\bgive (?:it|[^.,;]{1,30}) back\b|\bclean up\b|\bkill\b|\bend (?:this|that|the|his|her|my|our|their)\b|\blog (?:him |her |them |me |everyone )?(?:out|off)\b|\bforget\b|\bundo\b/iu;
const FOR_ALL = /\b(?:all|every|each|list|which|any)\b/iu;
const OPEN_QUESTION =
  /\b(?:news|latest|information|info|facts?|history|articles?|trends?|research|best|online|internet|web|restaurants?|learn about|tell me about|know about|explain)\b|(?:^|[.!] )(?:what|who|when|where|which|how|why|is|are|can you tell me)\b[^.]*\?/iu;
/** Only the caller's own systems know what the caller has. */
const OWN_THINGS = /\b(?:my|our|mine|ours|this|these)\b|\bdo (?:i|we) have\b|<[^<>]+>/iu;
/** Words before a verb in verb position. */
const BEFORE_VERB = new Set(
  "to you please and then i we me us can could would should will just also let lets now or must need want it".split(
    " ",
  ),
);
/** Words after a verb that is otherwise a noun: "refund the order", but "refund policy". */
const AFTER_VERB = new Set(
  "a an the this that these those my our your his her its their me us him them it all every each some".split(" "),
);
const QUESTION = /\?|\b(?:what|who|whom|whose|when|where|which|how|why|is|are|does|do|did|was|were|tell|show|know)\b/iu;

export function interpretRequest(query: string): RequestFacts {
  const rest = withoutPayload(query);
  const words = tokenizeQuery(rest, () => false);
  const clauses = splitClauses(query);
  const asking = clauses.flatMap((text) => {
    const action = findAction(withoutPayload(text));
    return action === undefined ? [] : [{ text, action }];
  });
  const relations = relate(words);
  const stems = new Map<string, number>();
  for (const { stem, kind } of relations) stems.set(stem, kind === "same" ? SAME : CONCEPT);
  for (const word of words) if (!isStopWord(word)) stems.set(toStem(word), 1);
  const actions = new Set(asking.map(({ action }) => action));
  const asksToDelete =
    DESTRUCTIVE.test(rest) ||
    words.some((word) => actionOf(toInfinitive(word)) === "delete") ||
    relations.some(isDestructive);
  if (asksToDelete) actions.add("delete");
  // A verb in another language, or one that is not in the list but has a synonym there.
  if (actions.size === 0) {
    for (const { stem, kind } of relations) {
      const action = kind === "product" ? undefined : ACTION_BY_STEM.get(stem);
      if (action !== undefined) actions.add(action);
    }
  }
  if (actions.size === 0 && QUESTION.test(rest)) actions.add("read");
  return {
    actions,
    steps: asking.length < 2 ? [] : asking.map(({ text }) => text),
    isDestructive: asksToDelete,
    stems,
    plurals: new Set(words.filter((word) => /[^su]s$/u.test(word)).map(toStem)),
    isForAll: FOR_ALL.test(rest),
    hasUrl: WEB_ADDRESS.test(query),
    hasIdentifier: IDENTIFIER.test(query),
    isOpenQuestion: OPEN_QUESTION.test(rest) && !OWN_THINGS.test(rest),
    products: findProducts(rest),
  };
}

/** Names of products are looked up as written: "WhatsApp" is one word, although camel case would split it. */
function findProducts(text: string): string[] {
  const words = tokenizeQuery(text.toLowerCase(), () => false);
  const found = relate(words).flatMap(({ kind, from }) =>
    kind === "product" ? [from.map((position) => words[position] ?? "").join(" ")] : [],
  );
  return [...new Set(found)];
}

/** How well a word of a tool matches the query if it is a synonym, or a related concept, of a query word. */
const SAME = 0.6;
const CONCEPT = 0.4;

const ACTION_BY_STEM: ReadonlyMap<string, Action> = new Map(
  ["create", "update", "delete", "send", "search", "list", "get", "calculate", "run"].flatMap((verb) => {
    const action = actionOf(verb);
    return action === undefined ? [] : [[toStem(verb), action] as const];
  }),
);

const DESTRUCTIVE_STEMS = new Set(["delete", "remove", "cancel", "uninstall"].map(toStem));

function isDestructive({ stem, kind }: { readonly stem: string; readonly kind: string }): boolean {
  return kind === "same" && DESTRUCTIVE_STEMS.has(stem);
}

/**
 * A clause that asks about something, although it can contain other verbs: "which build failed". "How do I create" and
 * "can you create" ask for an action instead.
 */
const ASKS_ABOUT =
  /^(?:[\p{L}\p{N}]+: ?|and |so |but |please |(?:show|tell) me )*(?:(?:what|who|whom|whose|when|where|which|why)(?:'s)?|how (?:many|much|long|often|far|old|big)|is|are|was|were|has|have|had|does|did|do (?:i|we|they))\b(?! (?:to|you)\b)/iu;

/** The action of a clause: that of its first verb. */
function findAction(clause: string): Action | undefined {
  if (ASKS_ABOUT.test(clause.trim())) return "read";
  const words = tokenizeQuery(clause, () => false);
  for (const [position, word] of words.entries()) {
    const [before, next = ""] = [words[position - 1], words[position + 1]];
    const isVerbPosition = before === undefined || BEFORE_VERB.has(before);
    const isVerb = isVerbPosition && (before !== undefined || AFTER_VERB.has(next));
    const action =
      PHRASAL_ACTIONS.get(`${word} ${next}`) ??
      actionOf(word) ??
      actionOf(toInfinitive(word)) ??
      (isVerb ? actionOfNoun(word) : undefined);
    if (action === undefined) continue;
    if (!isVerbPosition && (isAlsoNoun(word) || isStopWord(word) || word !== toInfinitive(word))) continue;
    return LIGHT_VERBS.has(word) && DESTRUCTIVE.test(clause) ? "delete" : action;
  }
  return undefined;
}

/** Verbs that can ask for a deletion together with other words: "get rid of", "take down". */
const LIGHT_VERBS = new Set("get give log put take".split(" "));

/** Verbs whose meaning depends on the next word: "set up a webhook" creates it. */
const PHRASAL_ACTIONS: ReadonlyMap<string, Action> = new Map([
  ["set up", "create"],
  ["sign up", "create"],
  ["put together", "create"],
  ["kick off", "run"],
  ["look for", "list"],
]);

/** "creating" and "creates" become "create", "deleted" becomes "delete". Other words are returned unchanged. */
function toInfinitive(word: string): string {
  for (const [ending, ...replacements] of ENDINGS) {
    if (!word.endsWith(ending)) continue;
    const found = replacements
      .map((end) => word.slice(0, -ending.length) + end)
      .find((candidate) => actionOf(candidate) !== undefined);
    if (found !== undefined) return found;
  }
  return word;
}

const ENDINGS = [
  ["ing", "", "e"],
  ["ed", "", "e"],
  ["es", "", "e"],
  ["s", ""],
] as const;
