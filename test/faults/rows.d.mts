import type { Row } from "./support/row.js";

/** Faults of one kind. */
export interface Group {
  /** With which its faults are numbered. */
  readonly letter: string;
  readonly title: string;
  readonly rows: readonly (DrivenRow | TestsRow)[];
  /** Faults that are not tried here, each with the reason. */
  readonly untried: Readonly<Record<string, string>>;
}

interface NamedRow {
  readonly name: string;
  /** The faults that it tries. */
  readonly ids: readonly string[];
  /** Names no number that depends on the size of the run. */
  readonly about: string;
  /** Where its full counts are smaller than those that the model of the faults asks for: by how much, and why. */
  readonly fewer?: string;
}

/** A program that injects faults and judges what happened: `rows/GROUP/NAME.ts`. */
export interface DrivenRow extends NamedRow {
  readonly full: Size;
  readonly quick: Size;
  readonly run: (module: Record<string, Row>) => Row | undefined;
}

/** `count` is what the row's own file says it is; seconds are those of two cores. */
export interface Size {
  readonly count: number;
  readonly seconds: number;
}

/** Tests of the suite, run once more with their full counts (`countOf`). */
export interface TestsRow extends NamedRow {
  /** Files, and what the names of their tests contain. */
  readonly tests: readonly { readonly file: string; readonly named?: string }[];
}

export const GROUPS: Readonly<Record<string, Group>>;
export const ROWS: readonly ((DrivenRow | TestsRow) & { readonly group: string })[];
export function isMeant(word: string, row: NamedRow & { readonly group: string }): boolean;
