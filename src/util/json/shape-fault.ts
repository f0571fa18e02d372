import { types } from "node:util";

/** Returns why an object is not a plain object or array that JSON can represent. Runs no code of the object. */
export function shapeFault(value: object): string | undefined {
  // Reject proxies first: a proxy could answer every check below arbitrarily.
  if (types.isProxy(value)) return "a proxy";
  const prototype: unknown = Object.getPrototypeOf(value);
  if (Object.getOwnPropertySymbols(value).length > 0) return "it has symbols as keys";
  if (!Array.isArray(value)) return prototype === Object.prototype || prototype === null ? undefined : "of a class";
  if (prototype !== Array.prototype) return "of a class";
  // Array indexes and `length` are allowed; any further property is a named member. `checkJsonValue` reports missing
  // items.
  return Object.getOwnPropertyNames(value).length > value.length + 1 ? "a list with named members" : undefined;
}
