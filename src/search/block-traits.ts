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
  /** `MAX_PRODUCT_WORDS` words for each document: those of the server's name, and the first word of the tool's name. */
  readonly products: Uint32Array;
}

/** The traits of one document. */
export interface StoredTraits {
  readonly action: Action | undefined;
  readonly hasMethod: boolean;
  readonly isList: boolean;
  readonly findsIdentifiers: boolean;
  readonly objects: Uint32Array;
  readonly needs: Uint32Array;
  readonly products: Uint32Array;
  has(use: GeneralUse): boolean;
}

const MAX_OBJECTS = 6;
const MAX_NEEDS = 2;
const MAX_PRODUCT_WORDS = 5;
/** Marks an unused slot. */
const NONE = 0xffffffff;
const IS_LIST = 1;
const FINDS_IDENTIFIERS = 2;
const HAS_METHOD = 4;
const FIRST_USE = 8;
const USES: readonly GeneralUse[] = ["web", "page", "shell", "code", "sql", "http"];
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
    products: new Uint32Array(count * MAX_PRODUCT_WORDS).fill(NONE),
  };
  const stemsOf = (words: readonly string[]): number[] => [
    ...new Set(words.flatMap((word) => vocabulary.findStem(toStem(word)) ?? [])),
  ];
  return {
    all,
    /** The words of the document must be in the vocabulary already. */
    set(number: number, document: SearchDocument): void {
      const { action, hasMethod, isList, findsIdentifiers, objects, needs, uses } = readTraits(document);
      all.actions[number] = action === undefined ? 0 : ACTIONS.indexOf(action) + 1;
      all.flags[number] =
        (isList ? IS_LIST : 0) |
        (findsIdentifiers ? FINDS_IDENTIFIERS : 0) |
        (hasMethod ? HAS_METHOD : 0) |
        uses.reduce((bits, use) => bits | (FIRST_USE << USES.indexOf(use)), 0);
      all.objects.set(stemsOf(objects.toReversed()).slice(0, MAX_OBJECTS), number * MAX_OBJECTS);
      all.needs.set(stemsOf(needs).slice(0, MAX_NEEDS), number * MAX_NEEDS);
      const name = splitName(document.server).filter((word) => !NO_PRODUCT.has(word) && !/^v?\p{N}+$/u.test(word));
      const numbers = [...new Set(name)].flatMap((word) => vocabulary.findWord(word) ?? []);
      all.products.set(numbers.slice(0, MAX_PRODUCT_WORDS), number * MAX_PRODUCT_WORDS);
    },
  };
}

export function readStoredTraits(traits: BlockTraits, at: number): StoredTraits {
  const flags = traits.flags[at] ?? 0;
  return {
    action: ACTIONS[(traits.actions[at] ?? 0) - 1],
    hasMethod: (flags & HAS_METHOD) !== 0,
    isList: (flags & IS_LIST) !== 0,
    findsIdentifiers: (flags & FINDS_IDENTIFIERS) !== 0,
    objects: used(traits.objects, at, MAX_OBJECTS),
    needs: used(traits.needs, at, MAX_NEEDS),
    products: used(traits.products, at, MAX_PRODUCT_WORDS),
    has: (use) => (flags & (FIRST_USE << USES.indexOf(use))) !== 0,
  };
}

function used(values: Uint32Array, at: number, size: number): Uint32Array {
  const slots = values.subarray(at * size, (at + 1) * size);
  const end = slots.indexOf(NONE);
  return end === -1 ? slots : slots.subarray(0, end);
}
