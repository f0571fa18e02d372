import type { Slices } from "./slices.js";

/**
 * The smallest piece of a view: a line, or a part of a line. A view consists of the units that fit into its budget, in
 * the order of the result.
 */
export interface Unit {
  readonly text: string;
  /** The index of the unit without which this one cannot be understood: a key, a table header, a heading. -1 if none. */
  readonly parent: number;
  /** The text between this unit and the one before it in the same line; undefined if the unit starts a line. */
  readonly separator?: string;
  readonly indent: number;
  /** How much the unit is worth, compared with an ordinary one that has the same content. 0: never part of a view. */
  readonly weight: number;
  /** Lines with the same group differ only in their numbers. */
  readonly group?: number;
  /** The position of the unit in its text or array, for the note about omitted units. */
  readonly position?: UnitPosition;
}

export interface UnitPosition {
  readonly of: "line" | "item";
  readonly number: number;
  /** The last number, if the unit stands for several lines or items. */
  readonly to?: number;
}

/** Collects the units of a view. */
export interface UnitList {
  readonly units: readonly Unit[];
  /** Adds a unit and returns its index. */
  add(unit: Unit): number;
}

/** Where a value is added to a view. */
export interface UnitPlace {
  readonly parent: number;
  readonly indent: number;
  readonly weight: number;
  readonly depth: number;
  /** How many units of the value are considered, approximately. */
  readonly room: number;
  /** Whether the first unit continues the line of its parent. */
  readonly isInline: boolean;
}

/** Adds the units of texts and JSON values, which contain each other: JSON in a text, a text in a JSON string. */
export interface UnitWriter {
  readonly list: UnitList;
  readonly maxTokens: number;
  /** The tokens of the view divided by the tokens of the result. */
  readonly share: number;
  addText(text: string, place: UnitPlace, isNumbered: boolean): Slices<void>;
  addJson(value: unknown, label: string, place: UnitPlace): Slices<void>;
}

/** The weight of a unit that is shown whenever it fits. */
export const SHOWN_WEIGHT = 100;

/** A value with members has at least this much room. */
export const MIN_ROOM = 4;

export function createUnitList(): UnitList {
  const units: Unit[] = [];
  return { units, add: (unit) => units.push(unit) - 1 };
}

/** Divides the room of a place among its children: the next ones get what one leaves. Returns 0 if no room is left. */
export function divideRoom(list: UnitList, room: number): (children: number) => number {
  const end = list.units.length + room;
  return (children) => {
    const left = end - list.units.length;
    return left <= 0 ? 0 : Math.max(MIN_ROOM, Math.floor(left / Math.max(1, children)));
  };
}
