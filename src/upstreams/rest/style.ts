// Serializes parameter values by their OpenAPI style into strings and name-value pairs, which are not percent-encoded
// yet.
import { isJsonObject } from "../../model/json.js";
import type { RestParameter } from "../../model/operation.js";

export type ParameterStyle = RestParameter["style"];

/** A parameter name with its value: the `parts` joined by `separator`, which depends on the style. */
export interface Pair {
  readonly name: string;
  readonly parts: readonly string[];
  readonly separator: string;
}

/** Maximum nesting depth of a `deepObject` parameter: deeper than any real parameter, and safe for the call stack. */
const MAX_DEPTH = 20;

export function toParameterText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "";
  return JSON.stringify(value);
}

/** Serializes a query, cookie or form parameter into pairs of names and values. */
export function toPairs(name: string, value: unknown, how: { style: ParameterStyle; explode: boolean }): Pair[] {
  const { style, explode } = how;
  if (style === "deepObject" && typeof value === "object") return deepPairs(name, value, 0);
  const separator = style === "spaceDelimited" ? " " : style === "pipeDelimited" ? "|" : ",";
  if (Array.isArray(value)) {
    const parts = value.map(toParameterText);
    if (parts.length === 0) return [];
    return explode ? parts.map((part) => single(name, part)) : [{ name, parts, separator }];
  }
  if (!isJsonObject(value)) return [single(name, toParameterText(value))];
  const members = present(value);
  if (explode) return members.map(([key, member]) => single(key, toParameterText(member)));
  const parts = members.flatMap(([key, member]) => [key, toParameterText(member)]);
  return parts.length === 0 ? [] : [{ name, parts, separator }];
}

/**
 * Serializes a path or header parameter, which has no separate name, into the parts of its value. A part with two
 * strings means `key=value`.
 */
export function toParts(value: unknown, explode: boolean): readonly (readonly string[])[] {
  if (Array.isArray(value)) return value.map((item) => [toParameterText(item)]);
  if (!isJsonObject(value)) return [[toParameterText(value)]];
  const members = present(value).map(([key, member]) => [key, toParameterText(member)]);
  return explode ? members : members.flat().map((part) => [part]);
}

function deepPairs(name: string, value: unknown, depth: number): Pair[] {
  if (typeof value !== "object" || value === null || depth >= MAX_DEPTH) return [single(name, toParameterText(value))];
  return present(value).flatMap(([key, member]) => deepPairs(`${name}[${key}]`, member, depth + 1));
}

function present(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, member]) => member !== undefined);
}

function single(name: string, part: string): Pair {
  return { name, parts: [part], separator: "" };
}
