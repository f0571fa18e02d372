import type { Range } from "./secrets-occurrences.js";
import { formsOf } from "./secrets-forms.js";
import { createMatcher } from "./secrets-matcher.js";
import { isOrdinary, isPlainWord } from "./secrets-ordinary.js";
import { piecesOf } from "./secrets-pieces.js";

/** A set of secret values that must be redacted. */
export interface SecretValues {
  note(value: string): void;
  isEmpty(): boolean;
  /** Returns where the values occur in a text, in any of their encoded forms. */
  find(text: string): Range[];
}

const TEMPORARY_MS = 3_600_000;

export function createValues(ordinary: ReadonlySet<string>): SecretValues {
  const noted = new Set<string>();
  const pieces = new Set<string>();
  const matcher = createMatcher();
  /**
   * Values that are not in the matcher yet. They are added together, because many are noted during startup, before any
   * text is redacted.
   */
  const pending: string[] = [];
  return {
    note(value) {
      if (noted.has(value)) return;
      noted.add(value);
      for (const piece of secretPieces(value, ordinary)) {
        if (pieces.has(piece)) continue;
        pieces.add(piece);
        pending.push(piece);
      }
    },
    isEmpty: () => pieces.size === 0,
    find(text) {
      if (pieces.size === 0) return [];
      matcher.add(pending.splice(0).flatMap(formsOf));
      return matcher.find(text);
    },
  };
}

/**
 * Secret values that expire if they are not noted again. There are two generations: new values go into the current one.
 * When a value is noted and the current generation is at least an hour old, it becomes the previous one, and the old
 * previous one is dropped.
 */
export function createTemporaryValues(ordinary: ReadonlySet<string>, elapsed: () => number): SecretValues {
  let [before, present] = [createValues(ordinary), createValues(ordinary)];
  let since = elapsed();
  return {
    note(value) {
      if (elapsed() - since >= TEMPORARY_MS) {
        [before, present] = [present, createValues(ordinary)];
        since = elapsed();
      }
      present.note(value);
    },
    isEmpty: () => before.isEmpty() && present.isEmpty(),
    find: (text) => [...before.find(text), ...present.find(text)],
  };
}

export function secretPieces(value: string, ordinary: ReadonlySet<string>): string[] {
  const isSecret = (text: string): boolean => !ordinary.has(text) && !isOrdinary(text);
  return isSecret(value) && !isPlainWord(value) ? piecesOf(value).filter(isSecret) : [];
}
