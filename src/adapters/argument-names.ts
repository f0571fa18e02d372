import { isForbiddenKey } from "../util/json/violation.js";

export type ArgumentLocation = "path" | "query" | "header" | "cookie" | "body";

export interface Placed {
  readonly in: ArgumentLocation;
  readonly name: string;
}

/**
 * Where a parameter can be located. If two locations use the same name, the first one in this order keeps the name
 * unchanged.
 */
const ORDER: readonly ArgumentLocation[] = ["path", "query", "header", "cookie", "body"];

/** Matches argument names that all known clients and models accept. */
const ACCEPTED = /^[A-Za-z0-9_.-]{1,64}$/;

/**
 * Gives each parameter and body member an argument name: the original name if clients accept it and no earlier location
 * uses it, otherwise a name such as `body_id`. The names do not depend on the order in the API document.
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
  const byLocation = ORDER.indexOf(left.in) - ORDER.indexOf(right.in);
  return byLocation === 0 ? (left.name < right.name ? -1 : left.name > right.name ? 1 : 0) : byLocation;
}

/** Replaces characters that are not allowed in an argument name: `filter[status]` → `filter_status`. */
function toWord(name: string): string {
  const word = name
    .normalize("NFKD")
    .replace(/[^A-Za-z0-9_.-]+/g, "_")
    .slice(0, 50);
  return word === name ? name : word.replace(/^_+|_+$/g, "");
}
