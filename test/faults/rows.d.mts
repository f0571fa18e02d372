import type { Row } from "./support/row.js";

/** Faults of one kind. */
export interface Group {
  /** Prefix of the fault ids. */
  readonly letter: string;
  readonly title: string;
  readonly rows: readonly (DrivenRow | TestsRow)[];
  /** Faults that the suite does not inject, each with the reason. */
  readonly untried: Readonly<Record<string, string>>;
}

interface NamedRow {
  readonly name: string;
  /** Ids of the faults that the row injects. */
  readonly ids: readonly string[];
  /** Must not contain a number that depends on the size of the run. */
  readonly about: string;
  /** If the full counts are smaller than the fault model requires: by how much, and why. */
  readonly fewer?: string;
}

/** A program that injects faults and checks the outcome: `rows/GROUP/NAME.ts`. */
export interface DrivenRow extends NamedRow {
  readonly full: Size;
  readonly quick: Size;
  readonly run: (module: Record<string, Row>) => Row | undefined;
}

/** The row's file defines what `count` counts; `seconds` is the duration on two cores. */
export interface Size {
  readonly count: number;
  readonly seconds: number;
}

/** Tests of the suite, run again with their full counts (`countOf`). */
export interface TestsRow extends NamedRow {
  /** Test files, and a part of the test names to select. */
  readonly tests: readonly { readonly file: string; readonly named?: string }[];
}

export const GROUPS: Readonly<Record<string, Group>>;
export const ROWS: readonly ((DrivenRow | TestsRow) & { readonly group: string })[];
export function isMeant(word: string, row: NamedRow & { readonly group: string }): boolean;
