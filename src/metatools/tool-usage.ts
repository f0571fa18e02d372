import type { Actor } from "../model/actor.js";

/** Remembers, in memory only, which tools each caller has used successfully. */
export interface ToolUsage {
  /** Records a successful call. */
  record(actor: Actor, id: string): void;
  /** For this caller, how much each tool was used, from 0 (never) to 1. */
  of(actor: Actor | undefined): ((id: string) => number) | undefined;
}

const MAX_ACTORS = 1_000;
const MAX_TOOLS = 200;
/** After this many calls, further ones make no difference. */
const ENOUGH_CALLS = 3;

export function createToolUsage(): ToolUsage {
  const byActor = new Map<string, Map<string, number>>();
  return {
    record(actor, id) {
      const key = keyOf(actor);
      const counts = byActor.get(key) ?? new Map<string, number>();
      const count = counts.get(id) ?? 0;
      // Move both to the end, so that the least recently used are dropped first.
      counts.delete(id);
      counts.set(id, Math.min(count + 1, ENOUGH_CALLS));
      byActor.delete(key);
      byActor.set(key, counts);
      dropFirst(counts, MAX_TOOLS);
      dropFirst(byActor, MAX_ACTORS);
    },
    of(actor) {
      const counts = actor === undefined ? undefined : byActor.get(keyOf(actor));
      return counts === undefined ? undefined : (id) => (counts.get(id) ?? 0) / ENOUGH_CALLS;
    },
  };
}

function dropFirst(map: Map<string, unknown>, max: number): void {
  const [first] = map.keys();
  if (map.size > max && first !== undefined) map.delete(first);
}

function keyOf({ surface, id, view = "" }: Actor): string {
  return JSON.stringify([surface, id, view]);
}
