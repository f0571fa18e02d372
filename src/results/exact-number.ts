import { isJsonObject, type JsonObject } from "../model/json.js";

/**
 * A JSON number as the server wrote it, if JavaScript would write it in another way: 12345678901234567890, 1e400, 0.10.
 * Has no own members.
 */
export class ExactNumber {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }

  valueOf(): number {
    return Number(this.#text);
  }
}

export type JsonNumber = number | ExactNumber;

export function toJsonNumber(text: string): JsonNumber {
  const value = Number(text);
  return String(value) === text ? value : new ExactNumber(text);
}

/** A number that a caller writes, whose notation does not matter: exact only if JavaScript would round it. */
export function toCallerNumber(text: string): JsonNumber {
  const value = Number(text);
  return Number.isFinite(value) && text.length <= PRESERVED_DIGITS ? value : toJsonNumber(text);
}

/** A double preserves this many decimal digits (IEEE 754). */
const PRESERVED_DIGITS = 15;

export function isNumber(value: unknown): value is JsonNumber {
  return typeof value === "number" || value instanceof ExactNumber;
}

/** Whether a value has named members. */
export function isObject(value: unknown): value is JsonObject {
  return isJsonObject(value) && !(value instanceof ExactNumber);
}

/** Negative, 0 or positive, as for `Array.prototype.sort`. Compares integers of any size without rounding. */
export function compareNumbers(one: JsonNumber, other: JsonNumber): number {
  const difference = Number(one) - Number(other);
  if (typeof one === "number" && typeof other === "number") return difference;
  const [left, right] = [toInteger(one), toInteger(other)];
  if (left !== undefined && right !== undefined) return left === right ? 0 : left < right ? -1 : 1;
  // The difference of two infinite numbers is not a number.
  return Number.isNaN(difference) ? (String(one) === String(other) ? 0 : 1) : difference;
}

const INTEGER = /^-?\d{1,400}$/;

function toInteger(number: JsonNumber): bigint | undefined {
  const text = String(number);
  return INTEGER.test(text) ? BigInt(text) : undefined;
}
