// A value comes in with how its parameter is written; texts and pairs go out, not encoded yet.
import { isJsonObject } from "../../model/json.js";
import type { RestParameter } from "../../model/operation.js";

export type Style = RestParameter["style"];

/** A name, and what stands for it. `parts` are joined by `separator`, which is part of the style, not of a value. */
export interface Pair {
  readonly name: string;
  readonly parts: readonly string[];
  readonly separator: string;
}

/** Deeper than any parameter and shallow enough for any stack. */
const DEEPEST = 20;

export function toText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "";
  return JSON.stringify(value);
}

/** Query, cookie and form: what stands on both sides of each `=`. */
export function toPairs(name: string, value: unknown, how: { style: Style; explode: boolean }): Pair[] {
  const { style, explode } = how;
  if (style === "deepObject" && typeof value === "object") return deepPairs(name, value, 0);
  const separator = style === "spaceDelimited" ? " " : style === "pipeDelimited" ? "|" : ",";
  if (Array.isArray(value)) {
    const parts = value.map(toText);
    if (parts.length === 0) return [];
    return explode ? parts.map((part) => single(name, part)) : [{ name, parts, separator }];
  }
  if (!isJsonObject(value)) return [single(name, toText(value))];
  const members = present(value);
  if (explode) return members.map(([key, member]) => single(key, toText(member)));
  const parts = members.flatMap(([key, member]) => [key, toText(member)]);
  return parts.length === 0 ? [] : [{ name, parts, separator }];
}

/** Path and header, where no name stands beside the value: the parts of it, some of them `key=value`. */
export function toParts(value: unknown, explode: boolean): readonly (readonly string[])[] {
  if (Array.isArray(value)) return value.map((item) => [toText(item)]);
  if (!isJsonObject(value)) return [[toText(value)]];
  const members = present(value).map(([key, member]) => [key, toText(member)]);
  return explode ? members : members.flat().map((part) => [part]);
}

function deepPairs(name: string, value: unknown, depth: number): Pair[] {
  if (typeof value !== "object" || value === null || depth >= DEEPEST) return [single(name, toText(value))];
  return present(value).flatMap(([key, member]) => deepPairs(`${name}[${key}]`, member, depth + 1));
}

function present(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, member]) => member !== undefined);
}

function single(name: string, part: string): Pair {
  return { name, parts: [part], separator: "" };
}
