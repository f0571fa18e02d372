import type { JsonObject } from "../../model/json.js";
import type { Lifting } from "./lift.js";

/**
 * The definitions of one tool's schema, grouped by distance from the arguments. The first level has the definitions
 * that the arguments refer to directly.
 */
export type Levels = readonly (readonly { readonly name: string; readonly schema: JsonObject }[])[];

export interface Closure {
  readonly levels: Levels;
  readonly bytes: number;
}

const MAX_DEFINITIONS = 2_000;

/**
 * Collects all definitions that are referenced directly or indirectly. Each definition is visited once, so circular
 * references do not cause an infinite loop.
 */
export function collectDefinitions(needs: ReadonlySet<string>, lifting: Lifting): Closure {
  const levels: { name: string; schema: JsonObject }[][] = [];
  const seen = new Set<string>(needs);
  let bytes = 0;
  for (let level = [...needs]; level.length > 0; ) {
    const next: string[] = [];
    const definitions = level.map((pointer) => {
      const isTooMany = seen.size > MAX_DEFINITIONS;
      const { name, schema, needs: more, bytes: size } = lifting.definition(pointer);
      bytes += size;
      for (const other of isTooMany ? [] : more) {
        if (seen.has(other)) continue;
        seen.add(other);
        next.push(other);
      }
      // Beyond the limit, a definition with references accepts every value, because the definitions that it refers to
      // are not collected.
      return { name, schema: isTooMany && more.size > 0 ? {} : schema };
    });
    levels.push(definitions);
    level = next;
  }
  return { levels, bytes };
}

/**
 * The `$defs` for the first `depth` levels. Definitions of the next level accept every value; deeper ones are left out.
 */
export function toDefs(levels: Levels, depth: number): JsonObject {
  const entries = levels
    .slice(0, depth + 1)
    .flatMap((level, index) => level.map(({ name, schema }) => [name, index < depth ? schema : {}] as const));
  return Object.fromEntries(entries.sort(([left], [right]) => (left < right ? -1 : 1)));
}
