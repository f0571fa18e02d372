// Estimates what a tool does from its name, its description and its HTTP request. The estimate counts only if neither
// the operator nor the server says it (see `src/policy/risk.ts`).
import { compiledRiskLexicon } from "./compiled.js";
import { type Effect, EFFECTS, type ObjectAction, readRiskLexicon, type RiskLexicon } from "./lexicon.js";
import {
  actionsOfName,
  actionsOfText,
  type ActionWord,
  startOfText,
  unspacedActions,
  wordsOfName,
  wordsOfText,
} from "./words.js";

/** What a tool probably does. */
export interface EffectEvidence {
  readonly action: Effect;
  /** Where the action was read, as a clause for users: `the name says "delete"`. */
  readonly says: string;
  readonly from: "name" | "description" | "request";
  /** Whether the call may be a query that only reads, such as one in SQL. */
  readonly isQuery?: true;
}

export interface EvidenceSource {
  readonly name: string;
  readonly description?: string | undefined;
  /** The HTTP request of a tool of a REST API. */
  readonly method?: string | undefined;
  readonly path?: string | undefined;
}

interface NameReading extends EffectEvidence {
  readonly word: string;
  /** Whether the words of the name can also mean a tool that reads; the description then decides. */
  readonly isDoubtful?: boolean;
  /** Whether the verb is often a noun, so that a description with a more harmful verb decides. */
  readonly isWeak?: boolean;
}

let lexicon: RiskLexicon | undefined;

/** Returns what a tool probably does; undefined if its texts contain no known word. */
export function findEvidence(source: EvidenceSource): EffectEvidence | undefined {
  lexicon ??= readRiskLexicon(compiledRiskLexicon());
  const words = wordsOfName(source.name);
  const text = startOfText(source.description ?? "");
  const said = readText(text, lexicon);
  const named = readName(words, source.name, lexicon);
  return withRequest(combine(named, said, { words, text }, lexicon), source, lexicon);
}

/** Whether an action is more harmful than another. */
export function isMoreHarmful(action: Effect, than: Effect): boolean {
  return EFFECTS.indexOf(action) > EFFECTS.indexOf(than);
}

function strongest(found: readonly ActionWord[]): ActionWord | undefined {
  return found.reduce<ActionWord | undefined>(
    (best, one) => (best === undefined || isMoreHarmful(one.action, best.action) ? one : best),
    undefined,
  );
}

function readName(words: readonly string[], name: string, known: RiskLexicon): NameReading | undefined {
  const found = withoutMethod(actionsOfName(words, known));
  const [first, ...rest] = found;
  if (first === undefined) {
    const unspaced = strongest(unspacedActions(name, known));
    if (unspaced !== undefined) return { ...toName(unspaced), isWeak: true };
    const noun = words.slice(-2).find((word) => known.has("read nouns", word));
    return noun === undefined ? undefined : { ...toName({ word: noun, action: "read" }), isWeak: true };
  }
  const verbs = rest.filter(({ isNoun }) => !isNoun);
  const isJoined = words.slice(first.at).some((word) => word === "and" || word === "or");
  const harmful = strongest((isJoined ? rest : verbs).filter(({ action }) => action !== "read"));
  if (first.action === "read") {
    if (harmful === undefined) return { ...toName(first), isWeak: first.isNoun };
    return { ...objectOf(toName(harmful), words, known), isDoubtful: !isJoined };
  }
  const last = words.at(-1) ?? "";
  const reading = rest.some(({ action }) => action === "read");
  const isOnlyNoun = first.isNoun && verbs.length === 0;
  const isDoubtful = isOnlyNoun || reading || (words.length > 1 && known.has("read nouns", last));
  return { ...objectOf(toName(strongest([first, ...verbs]) ?? first), words, known), isDoubtful };
}

function toName({ word, action }: Pick<ActionWord, "word" | "action">): NameReading {
  return { action, word, says: `the name says "${word}"`, from: "name" };
}

/** `API-post-search`: the first word is the HTTP method of the request. */
function withoutMethod(found: readonly ActionWord[]): readonly ActionWord[] {
  const [first, second] = found;
  const isMethod = first !== undefined && ["post", "put", "patch"].includes(first.word) && second?.at === first.at + 1;
  return isMethod ? found.slice(1) : found;
}

/** Applies what the verb acts on: `create` is harmless, `create_refund` is not. */
function objectOf(named: NameReading, words: readonly string[], known: RiskLexicon): NameReading {
  const { action, word } = named;
  const other = words.filter((one) => one !== word);
  const objects = other.flatMap((one) => {
    const found = known.objects.get(one);
    return found === undefined ? [] : [[one, found] as const];
  });
  const find = (wanted: ObjectAction): string | undefined => objects.find(([, object]) => object === wanted)?.[0];
  if (word === "remove") {
    const role = find("permission");
    if (role !== undefined) return { ...named, action: "permission", says: `the name says "${word} ${role}"` };
    const isAttachment = other.includes("from") || other.some((one) => known.has("attachments", one));
    return isAttachment ? { ...named, action: "change", says: `the name says "${word}" something attached` } : named;
  }
  if (action !== "change" && action !== "act") return named;
  const wanted: readonly ObjectAction[] = known.has("edits", word)
    ? ["permission"]
    : ["money", "permission", "send", "deploy"];
  const code = known.has("runs", word) ? find("execute") : undefined;
  const object = code === undefined ? wanted.find((one) => find(one) !== undefined) : "execute";
  if (object === undefined) return named;
  const noun = find(object) ?? "";
  const isQuery = object === "execute" && known.has("objects query", noun);
  return { ...named, action: object, says: `the name says "${word} ${noun}"`, ...(isQuery ? { isQuery } : {}) };
}

interface TextReading {
  readonly verbs: readonly ActionWord[];
  readonly words: readonly string[];
}

function readText(text: string, known: RiskLexicon): TextReading {
  const words = wordsOfText(text);
  const verbs = actionsOfText(words, known);
  return { words, verbs: verbs.length > 0 ? verbs : unspacedActions(text, known) };
}

/** Combines what the name says with what the description says. */
function combine(
  named: NameReading | undefined,
  said: TextReading,
  { words, text }: { readonly words: readonly string[]; readonly text: string },
  known: RiskLexicon,
): EffectEvidence | undefined {
  const [head] = said.verbs;
  const worst = strongest(said.verbs);
  const readsOnly = known.says("read-only phrases", text) && !known.says("not read-only phrases", text);
  const described = worst === undefined ? undefined : toDescribed(worst, [...words, ...said.words], known);
  const read = (says: string): EffectEvidence => ({ action: "read", says, from: "description" });
  if (named === undefined) {
    if (described !== undefined)
      return readsOnly && described.isQuery ? read("the description says that it reads") : described;
    return known.says("alarms", text) ? alarm() : undefined;
  }
  if (named.isQuery && readsOnly) return read("the description says that it only reads");
  if (named.action === "read") {
    if (described === undefined || described.action === "read" || readsOnly) return named;
    if (isIrreversible(described.action) && (named.isWeak === true || described.isQuery !== true)) return described;
    return described.action === "change" ? named : { ...described, action: "change" };
  }
  if (named.isDoubtful === true && named.action !== "execute" && head?.action === "read" && worst?.action === "read") {
    return read(`the description says "${head.word}"`);
  }
  if (isIrreversible(named.action)) return named;
  if (named.action !== "change" || named.isDoubtful !== true || head?.action !== "read") {
    if (described !== undefined && isMoreHarmful(described.action, named.action)) return described;
  }
  return known.says("alarms", text) ? alarm() : named;
}

function isIrreversible(action: Effect): boolean {
  return action === "delete" || action === "money" || action === "execute";
}

function alarm(): EffectEvidence {
  return { action: "delete", says: "the description says that data is lost for good", from: "description" };
}

/** The action of a description, with what it acts on. */
function toDescribed(verb: ActionWord, words: readonly string[], known: RiskLexicon): EffectEvidence {
  const says = `the description says "${verb.word}"`;
  const code = known.has("runs", verb.word) ? words.find((word) => known.objects.get(word) === "execute") : undefined;
  if (code === undefined) return { action: verb.action, says, from: "description" };
  const isQuery = known.has("objects query", code);
  return { action: "execute", says: `${says} and "${code}"`, from: "description", ...(isQuery ? { isQuery } : {}) };
}

const READING_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
const CHANGING_METHODS: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);

/** Applies the HTTP method and the last fixed segment of the path: `POST /charges/{id}/refund`. */
function withRequest(
  evidence: EffectEvidence | undefined,
  { method: written, path = "" }: EvidenceSource,
  known: RiskLexicon,
): EffectEvidence | undefined {
  const method = written?.toUpperCase();
  if (method === undefined) return evidence;
  if (method === "DELETE") return { action: "delete", says: "the HTTP method is DELETE", from: "request" };
  const segment = wordsOfName(path.split("/").findLast((part) => part !== "" && !/[{}]/.test(part)) ?? "");
  const [verb] = actionsOfName(segment, known);
  const isPlainGet = READING_METHODS.has(method);
  const byPath: EffectEvidence | undefined =
    verb === undefined || (isPlainGet && verb.isNoun)
      ? undefined
      : { action: verb.action, says: `the path says "${verb.word}"`, from: "request" };
  if (isPlainGet) {
    const acts = [evidence, byPath].find((one) => one !== undefined && one.action !== "read");
    return acts ?? { action: "read", says: `the HTTP method is ${method}`, from: "request" };
  }
  const created =
    method === "POST" ? objectOf({ ...toName({ word: "create", action: "change" }) }, segment, known) : undefined;
  const isKnown = CHANGING_METHODS.has(method);
  const floor: EffectEvidence = {
    action: isKnown ? "change" : "act",
    says: `the HTTP method is ${method}`,
    from: "request",
  };
  const stated = [evidence, byPath, created?.action === "change" ? undefined : created].filter(
    (one) => one !== undefined,
  );
  const worst = stated.reduce<EffectEvidence>(
    (best, one) => (isMoreHarmful(one.action, best.action) ? one : best),
    floor,
  );
  // A search that needs a body is a POST.
  const isSearch =
    method === "POST" && worst === floor && stated.length > 0 && stated.every(({ action }) => action === "read");
  return isSearch ? stated[0] : worst;
}
