import { isJsonObject } from "../model/json.js";
import { numberFault } from "../util/json/number-fault.js";
import { isForbiddenKey } from "../util/json/violation.js";

const MAX_DEPTH = 20;
const MAX_PARTS = 1_000;

/** Returns a copy of an example or default value if it is small and can be sent as strict JSON. */
export function toPlainValue(value: unknown): { readonly value: unknown } | undefined {
  let parts = 0;
  const isPlain = (one: unknown, depth: number): boolean => {
    parts += 1;
    if (parts > MAX_PARTS || depth > MAX_DEPTH) return false;
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
