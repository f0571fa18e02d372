import { isForbiddenKey } from "../util/json/violation.js";

export type Place = "path" | "query" | "header" | "cookie" | "body";

export interface Placed {
  readonly in: Place;
  readonly name: string;
}

/** Who has the plain name where two places use the same. */
const ORDER: readonly Place[] = ["path", "query", "header", "cookie", "body"];

/** What every client and model accepts as the name of an argument. */
const ACCEPTED = /^[A-Za-z0-9_.-]{1,64}$/;

/**
 * A name among the arguments for each parameter and member. It has its own where clients accept it and no other place uses it
 * first; else `body_id` and the like. The names do not depend on the order in which the document lists them.
 */
export function nameArguments(given: readonly Placed[]): ReadonlyMap<Placed, string> {
  const names = new Map<Placed, string>();
  const taken = new Set<string>();
  const claim = (placed: Placed, name: string): boolean => {
    if (taken.has(name) || isForbiddenKey(name)) return false;
    taken.add(name);
    names.set(placed, name);
    return true;
  };
  const sorted = [...given].sort(compare);
  const unnamed = sorted.filter((placed) => !(ACCEPTED.test(placed.name) && claim(placed, placed.name)));
  for (const placed of unnamed) {
    const word = toWord(placed.name);
    if (word !== placed.name && word !== "" && claim(placed, word)) continue;
    let name = `${placed.in}_${word}`;
    while (!claim(placed, name)) name = `${name}_`;
  }
  return names;
}

function compare(left: Placed, right: Placed): number {
  const places = ORDER.indexOf(left.in) - ORDER.indexOf(right.in);
  return places === 0 ? (left.name < right.name ? -1 : left.name > right.name ? 1 : 0) : places;
}

/** `filter[status]` → `filter_status`. */
function toWord(name: string): string {
  const word = name
    .normalize("NFKD")
    .replace(/[^A-Za-z0-9_.-]+/g, "_")
    .slice(0, 50);
  return word === name ? name : word.replace(/^_+|_+$/g, "");
}
