import { types } from "node:util";

/** Why an object is not a plain object or array that JSON can represent. Runs no code of the object. */
export function shapeFault(value: object): string | undefined {
  // A proxy could answer every check below arbitrarily.
  if (types.isProxy(value)) return "a proxy";
  const prototype: unknown = Object.getPrototypeOf(value);
  if (Object.getOwnPropertySymbols(value).length > 0) return "it has symbols as keys";
  if (!Array.isArray(value)) return prototype === Object.prototype || prototype === null ? undefined : "of a class";
  if (prototype !== Array.prototype) return "of a class";
  // `checkJsonValue` reports holes; any further property apart from `length` is a named member.
  return Object.getOwnPropertyNames(value).length > value.length + 1 ? "a list with named members" : undefined;
}
