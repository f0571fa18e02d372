import type { Range } from "./secrets-occurrences.js";
import { formsOf } from "./secrets-forms.js";
import { createMatcher } from "./secrets-matcher.js";
import { isOrdinary, isPlainWord } from "./secrets-ordinary.js";
import { piecesOf } from "./secrets-pieces.js";

/** Values that are to be hidden. */
export interface Values {
  note(value: string): void;
  isEmpty(): boolean;
  /** Where they stand in a text, in any of their forms. */
  find(text: string): Range[];
}

const PASSING_MS = 3_600_000;

export function createValues(ordinary: ReadonlySet<string>): Values {
  const told = new Set<string>();
  const pieces = new Set<string>();
  const matcher = createMatcher();
  /** Not in the matcher yet: many are noted at a start, before anything is written. */
  const unread: string[] = [];
  return {
    note(value) {
      if (told.has(value)) return;
      told.add(value);
      for (const piece of valuablePieces(value, ordinary)) {
        if (pieces.has(piece)) continue;
        pieces.add(piece);
        unread.push(piece);
      }
    },
    isEmpty: () => pieces.size === 0,
    find(text) {
      if (pieces.size === 0) return [];
      matcher.add(unread.splice(0).flatMap(formsOf));
      return matcher.find(text);
    },
  };
}

/** Values that are forgotten when nobody has told them for a while. Two generations: what is told goes into the present one, and with the next the one before is gone as a whole. */
export function createPassing(ordinary: ReadonlySet<string>, elapsed: () => number): Values {
  let [before, present] = [createValues(ordinary), createValues(ordinary)];
  let since = elapsed();
  return {
    note(value) {
      if (elapsed() - since >= PASSING_MS) {
        [before, present] = [present, createValues(ordinary)];
        since = elapsed();
      }
      present.note(value);
    },
    isEmpty: () => before.isEmpty() && present.isEmpty(),
    find: (text) => [...before.find(text), ...present.find(text)],
  };
}

export function valuablePieces(value: string, ordinary: ReadonlySet<string>): string[] {
  const isOfWorth = (text: string): boolean => !ordinary.has(text) && !isOrdinary(text);
  return isOfWorth(value) && !isPlainWord(value) ? piecesOf(value).filter(isOfWorth) : [];
}
