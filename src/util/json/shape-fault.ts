import { types } from "node:util";

/** Why an object is more, or less, than the plain object or array that JSON can say. Runs no code of the object's. */
export function shapeFault(value: object): string | undefined {
  // A proxy answers every question below as it likes.
  if (types.isProxy(value)) return "a proxy";
  const prototype: unknown = Object.getPrototypeOf(value);
  if (Object.getOwnPropertySymbols(value).length > 0) return "it has symbols for keys";
  if (!Array.isArray(value)) return prototype === Object.prototype || prototype === null ? undefined : "of a class";
  if (prototype !== Array.prototype) return "of a class";
  // Holes are found one by one; what is there beyond them and `length` is a named member.
  return Object.getOwnPropertyNames(value).length > value.length + 1 ? "a list with named members" : undefined;
}
