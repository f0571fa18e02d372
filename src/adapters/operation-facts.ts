import type { OperationFacts } from "../model/server.js";
import { foldName } from "../util/fold-name.js";

export type StatedFacts = Omit<OperationFacts, "tools">;

/**
 * The facts that the configuration states about a tool. Each fact comes from the first matching entry that states it.
 */
export function factsFor(name: string, entries: readonly OperationFacts[]): StatedFacts {
  const stated: { -readonly [Fact in keyof StatedFacts]: StatedFacts[Fact] } = {};
  for (const { tools, ...facts } of entries) {
    if (tools.some((pattern) => matchesName(pattern, name))) Object.assign(stated, { ...facts, ...stated });
  }
  return stated;
}

/**
 * The patterns that match none of these tools. The gateway reports them, because a misspelt pattern would otherwise
 * silently have no effect.
 */
export function unmatchedPatterns(names: readonly string[], entries: readonly OperationFacts[]): string[] {
  const known = new Set(names.map(foldName));
  const patterns = new Set(entries.flatMap(({ tools }) => tools));
  return [...patterns].filter(
    (pattern) =>
      !known.has(foldName(pattern)) && !(/[*?]/.test(pattern) && names.some((name) => matchesName(pattern, name))),
  );
}

/**
 * Matches a glob with the normal form of a name: `*` is any number of characters, `?` is one. Backtracks only to the
 * last `*`, so that matching is never exponential.
 */
export function matchesName(pattern: string, name: string): boolean {
  return matchesFolded(foldName(pattern), foldName(name));
}

function matchesFolded(pattern: string, name: string): boolean {
  let at = 0;
  let step = 0;
  let star = -1;
  let starAt = 0;
  while (at < name.length) {
    const wanted = pattern[step];
    if (wanted === "*") {
      star = step;
      starAt = at;
      step += 1;
    } else if (wanted === "?" || wanted === name[at]) {
      at += 1;
      step += 1;
    } else if (star >= 0) {
      starAt += 1;
      at = starAt;
      step = star + 1;
    } else return false;
  }
  return /^\**$/.test(pattern.slice(step));
}
