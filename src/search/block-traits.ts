import type { SearchDocument } from "./fields.js";
import { type Action, ACTIONS } from "./request/actions.js";
import { toStem } from "./stem.js";
import { type GeneralUse, readTraits, splitName } from "./traits.js";
import type { Vocabulary } from "./vocabulary.js";

/** The traits of the documents of a block, as flat arrays. Stems and words are numbers of the vocabulary. */
export interface BlockTraits {
  /** For each document, 0 or the position of its action in `ACTIONS` plus one. */
  readonly actions: Uint8Array;
  readonly flags: Uint16Array;
  /** `MAX_OBJECTS` stems for each document, the most important one first. */
  readonly objects: Uint32Array;
  /** `MAX_NEEDS` stems for each document. */
  readonly needs: Uint32Array;
  /**
   * `PRODUCT_SLOTS` words for each document: the first word of the tool's name, or `NONE` if it is a verb, then the
   * words of the server's name.
   */
  readonly products: Uint32Array;
}

/** The traits of one document. */
export interface StoredTraits {
  readonly action: Action | undefined;
  readonly hasMethod: boolean;
  readonly isOperation: boolean;
  readonly isList: boolean;
  readonly findsIdentifiers: boolean;
  readonly objects: Uint32Array;
  readonly needs: Uint32Array;
  /** The first word of the tool's name, or `NONE`, then the words of the server's name. */
  readonly products: Uint32Array;
  has(use: GeneralUse): boolean;
}

const MAX_OBJECTS = 6;
const MAX_NEEDS = 2;
const MAX_SERVER_WORDS = 5;
export const PRODUCT_SLOTS = 1 + MAX_SERVER_WORDS;
/** Marks an unused slot. */
export const NONE = 0xffffffff;
const IS_LIST = 1;
const FINDS_IDENTIFIERS = 2;
const HAS_METHOD = 4;
const IS_OPERATION = 8;
const FIRST_USE = 16;
const USES: readonly GeneralUse[] = ["web", "page"];
/** Words in names of servers that name no product. */
const NO_PRODUCT = new Set(
  "mcp server servers api apis tool tools service services com io ai dev app plugin plugins the".split(" "),
);

export function createBlockTraits(count: number, vocabulary: Vocabulary) {
  const all: BlockTraits = {
    actions: new Uint8Array(count),
    flags: new Uint16Array(count),
    objects: new Uint32Array(count * MAX_OBJECTS).fill(NONE),
    needs: new Uint32Array(count * MAX_NEEDS).fill(NONE),
    products: new Uint32Array(count * PRODUCT_SLOTS).fill(NONE),
  };
  const stemsOf = (words: readonly string[]): number[] => [
    ...new Set(words.flatMap((word) => vocabulary.findStem(toStem(word)) ?? [])),
  ];
  return {
    all,
    /** The words of the document must be in the vocabulary already. */
    set(number: number, document: SearchDocument): void {
      const { action, hasMethod, isOperation, isList, findsIdentifiers, objects, needs, prefix, uses } =
        readTraits(document);
      all.actions[number] = action === undefined ? 0 : ACTIONS.indexOf(action) + 1;
      all.flags[number] =
        (isList ? IS_LIST : 0) |
        (findsIdentifiers ? FINDS_IDENTIFIERS : 0) |
        (hasMethod ? HAS_METHOD : 0) |
        (isOperation ? IS_OPERATION : 0) |
        uses.reduce((bits, use) => bits | (FIRST_USE << USES.indexOf(use)), 0);
      all.objects.set(stemsOf(objects.toReversed()).slice(0, MAX_OBJECTS), number * MAX_OBJECTS);
      all.needs.set(stemsOf(needs).slice(0, MAX_NEEDS), number * MAX_NEEDS);
      const first = prefix === undefined || !isProductWord(prefix) ? undefined : vocabulary.findWord(prefix);
      const ofServer = [...new Set(readServerName(document))].flatMap((word) => vocabulary.findWord(word) ?? []);
      all.products.set([first ?? NONE, ...ofServer.slice(0, MAX_SERVER_WORDS)], number * PRODUCT_SLOTS);
    },
  };
}

function isProductWord(word: string): boolean {
  return !NO_PRODUCT.has(word) && !/^v?\p{N}+$/u.test(word);
}

/**
 * The words of a server's name that may name its product. In a name such as `someone-mcp-server-jira`, the words before
 * `mcp` name the owner, and are omitted unless the tool's own texts have them.
 */
function readServerName({ server, name, description }: SearchDocument): string[] {
  const words = splitName(server);
  const end = words.indexOf("mcp");
  const after = words.slice(end + 1).filter(isProductWord);
  const before = words.slice(0, Math.max(end, 0)).filter(isProductWord);
  if (after.length === 0) return before;
  const texts = `${name} ${description}`.toLowerCase();
  return [...before.filter((word) => texts.includes(word)), ...after];
}

/** The documents of a block that have this general use. */
export function documentsWithUse({ flags }: BlockTraits, use: GeneralUse): number[] {
  const bit = FIRST_USE << USES.indexOf(use);
  return [...flags.keys()].filter((at) => ((flags[at] ?? 0) & bit) !== 0);
}

export function readStoredTraits(traits: BlockTraits, at: number): StoredTraits {
  const flags = traits.flags[at] ?? 0;
  return {
    action: ACTIONS[(traits.actions[at] ?? 0) - 1],
    hasMethod: (flags & HAS_METHOD) !== 0,
    isOperation: (flags & IS_OPERATION) !== 0,
    isList: (flags & IS_LIST) !== 0,
    findsIdentifiers: (flags & FINDS_IDENTIFIERS) !== 0,
    objects: used(traits.objects, at, MAX_OBJECTS),
    needs: used(traits.needs, at, MAX_NEEDS),
    products: readProducts(traits.products, at),
    has: (use) => (flags & (FIRST_USE << USES.indexOf(use))) !== 0,
  };
}

function readProducts(values: Uint32Array, at: number): Uint32Array {
  const slots = values.subarray(at * PRODUCT_SLOTS, (at + 1) * PRODUCT_SLOTS);
  const end = slots.indexOf(NONE, 1);
  return end === -1 ? slots : slots.subarray(0, end);
}

function used(values: Uint32Array, at: number, size: number): Uint32Array {
  const slots = values.subarray(at * size, (at + 1) * size);
  const end = slots.indexOf(NONE);
  return end === -1 ? slots : slots.subarray(0, end);
}
