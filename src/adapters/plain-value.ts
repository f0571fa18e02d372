import { isJsonObject } from "../model/json.js";
import { numberFault } from "../util/json/number-fault.js";
import { isForbiddenKey } from "../util/json/violation.js";

const DEEPEST = 20;
const MOST_PARTS = 1_000;

/** A copy of an example or a default, if it is small and holds nothing that strict JSON refuses. */
export function toPlainValue(value: unknown): { readonly value: unknown } | undefined {
  let parts = 0;
  const isPlain = (one: unknown, depth: number): boolean => {
    parts += 1;
    if (parts > MOST_PARTS || depth > DEEPEST) return false;
    if (typeof one === "string") return one.isWellFormed() && !one.includes("\0");
    if (typeof one === "number") return numberFault(one) === undefined;
    if (Array.isArray(one)) return one.every((item) => isPlain(item, depth + 1));
    if (!isJsonObject(one)) return one === null || typeof one === "boolean";
    return Object.entries(one).every(
      ([key, member]) => isPlain(key, depth) && !isForbiddenKey(key) && isPlain(member, depth + 1),
    );
  };
  return isPlain(value, 0) ? { value: structuredClone(value) } : undefined;
}
