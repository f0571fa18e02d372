// What a tool does, read from its definition: its action, the things it acts on, the identifiers it needs, and whether
// it serves any subject.
import type { SearchDocument } from "./fields.js";
import { type Action, actionOf, isReading } from "./request/actions.js";
import { toFirstSentence } from "./summary.js";
import { tokenizeQuery } from "./tokenize.js";

/**
 * A tool that can serve requests whose words it does not contain. `web`: searches the web for a free text. `page`: reads
 * any web page.
 */
export type GeneralUse = "web" | "page";

export interface ToolTraits {
  readonly action: Action | undefined;
  /** Whether an HTTP method states the action. */
  readonly hasMethod: boolean;
  /** Whether the tool is an operation of a REST API with a known path. */
  readonly isOperation: boolean;
  /** The words of the name that say what the tool acts on, in order. The last one is usually the most important. */
  readonly objects: readonly string[];
  /** Whether the tool returns several things. */
  readonly isList: boolean;
  /** The things whose identifiers are required parameters: `issue` for `issue_id`. */
  readonly needs: readonly string[];
  /** Whether the tool finds things by a text or lists them, and needs no identifier itself. */
  readonly findsIdentifiers: boolean;
  /** The first word of the name, if it is not a verb: often the product. */
  readonly prefix: string | undefined;
  readonly uses: readonly GeneralUse[];
}

const METHODS: Readonly<Record<string, Action>> = {
  GET: "read",
  HEAD: "read",
  POST: "create",
  PUT: "update",
  PATCH: "update",
  DELETE: "delete",
};

/** Words of a name that are not things. */
const NOT_OBJECTS = new Set(
  "a an the by for of with in from to on and or id ids api tool tools mcp v1 v2 v3 v4 new all get".split(" "),
);
const BY = new Set(["by", "for", "with", "from", "in", "of", "using"]);
const TEXT_PARAMETER =
  /^(?:q|query|queries|search|search_?(?:query|term|text)|keywords?|prompt|question|text|input|name|title)$/iu;
const FREE_TEXT = /^(?:q|query|queries|search|search_?(?:query|term|text)|keywords?|prompt|question|input|request)$/iu;

export function readTraits(document: SearchDocument): ToolTraits {
  const words = splitName(document.name);
  const ofServer = new Set(splitName(document.server));
  const method = document.method ?? methodIn(document.name);
  const place = document.path === undefined ? undefined : readPath(document.path);
  const verb = words.find((word, position) => actionOf(word) !== undefined && !(position > 0 && NOUN_LATER.has(word)));
  const objects = words.filter(
    (word) => !NOT_OBJECTS.has(word) && actionOf(word) === undefined && !ofServer.has(word) && !/^\p{N}+$/u.test(word),
  );
  const action = actionFrom(method, verb, document, place);
  const end = words.findIndex((word, position) => position > 0 && BY.has(word));
  const head = objects.filter((word) => end === -1 || words.indexOf(word) < end).at(-1) ?? objects.at(-1);
  const needs = document.parameters.flatMap(({ name, isRequired = false }) =>
    isRequired ? identifiedBy(name, head) : [],
  );
  const takesText = document.parameters.some(({ name }) => TEXT_PARAMETER.test(name));
  const isList =
    place === undefined || method !== "GET"
      ? action === "list" || words.includes("all") || (head !== undefined && /[^su]s$/u.test(head))
      : !place.isOne && (action === "list" || /[^su]s$/u.test(place.last.at(-1) ?? ""));
  const [first] = words;
  return {
    action,
    hasMethod: method !== undefined,
    isOperation: place !== undefined,
    objects: head === undefined ? objects : [...objects.filter((word) => word !== head), head],
    isList,
    needs,
    findsIdentifiers: needs.length === 0 && (action === undefined || isReading(action)) && (takesText || isList),
    prefix: first !== undefined && actionOf(first) === undefined && words.length > 1 ? first : undefined,
    uses: findUses(document, words),
  };
}

/** Verbs that are nouns if they are not the first word of a name: `list_calls`, `get_order`. */
const NOUN_LATER = new Set("book call comment email message order plan post record store test text track".split(" "));

function actionFrom(
  method: string | undefined,
  verb: string | undefined,
  document: SearchDocument,
  place: PathFacts | undefined,
): Action | undefined {
  // `post-customers` only repeats the method.
  const byName = verb === undefined || verb === method?.toLowerCase() ? undefined : actionOf(verb);
  if (method === "DELETE") return "delete";
  if (byName !== undefined && (method === undefined || byName !== "read")) return byName;
  if (method === "POST" && place !== undefined) {
    const verb = actionOf(place.last.at(-1) ?? "") ?? actionOf(place.last[0] ?? "");
    if (verb !== undefined && verb !== "read" && verb !== "list") return verb;
    if (place.isOne) return "update";
  }
  if (method !== undefined) return METHODS[method] ?? byName;
  const [first = ""] = splitName(toFirstSentence(document.description).slice(0, 60));
  const described = actionOf(first) ?? actionOf(first.replace(/s$/u, "")) ?? actionOf(first.replace(/es$/u, ""));
  return described ?? (document.isReadOnly === true ? "read" : undefined);
}

interface PathFacts {
  /** The words of the last segment that is no parameter. */
  readonly last: readonly string[];
  /** Whether the path ends with a parameter: it names one thing. */
  readonly isOne: boolean;
}

function readPath(path: string): PathFacts {
  const segments = path
    .replace(/\.\w{2,5}$/u, "")
    .split("/")
    .filter((segment) => segment !== "");
  const fixed = segments.filter((segment) => !segment.startsWith("{"));
  return { last: splitName(fixed.at(-1) ?? ""), isOne: segments.at(-1)?.startsWith("{") === true };
}

function methodIn(name: string): string | undefined {
  return /^(GET|HEAD|POST|PUT|PATCH|DELETE)[_\-/ ]/u.exec(name)?.[1];
}

/** `issue` for `issue_id` and `issueId`; the head noun of the tool's name for `id`. */
function identifiedBy(parameter: string, head: string | undefined): string[] {
  const words = splitName(parameter);
  if (!/^ids?$/u.test(words.at(-1) ?? "")) return [];
  const thing = words.at(-2) ?? head;
  return thing === undefined ? [] : [thing];
}

function findUses(document: SearchDocument, words: readonly string[]): GeneralUse[] {
  const { parameters } = document;
  const text = `${words.join(" ")} ${document.description.slice(0, 300)}`.toLowerCase();
  const takes = (name: RegExp): boolean => parameters.some((parameter) => name.test(parameter.name));
  const isUnknown = parameters.length === 0;
  const uses: GeneralUse[] = [];
  if (
    (takes(FREE_TEXT) || isUnknown) &&
    /\b(?:web|internet|online|google|bing|duckduckgo|brave)\b/u.test(text) &&
    /\bsearch(?:es|ing)?\b|\blook ?up\b/u.test(text) &&
    !SPECIAL_SEARCH.test(words.join(" "))
  )
    uses.push("web");
  if (
    (takes(/^(?:urls?|uri|link|links|website)$/iu) || isUnknown) &&
    /\b(?:fetch|scrap|brows|crawl|read|extract|open|navigat|visit|load|retriev)\w*/u.test(text) &&
    /\b(?:urls?|web ?pages?|websites?|html)\b/u.test(text)
  )
    uses.push("page");
  return uses;
}

const SPECIAL_SEARCH = /\b(?:news|images?|videos?|local|shopping|scholar|patents?|maps?|places?|code|docs?)\b/u;

/** The words of an identifier in lower case: `getUserById` and `get_user_by_id` give `get user by id`. */
export function splitName(name: string): string[] {
  return tokenizeQuery(name, () => false);
}
