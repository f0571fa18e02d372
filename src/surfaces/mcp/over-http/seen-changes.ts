import type { Stages } from "../../../compose.js";
import type { Actor } from "../../../model/actor.js";

/** Tells of changes of the catalog only where the actor can see them: what a view hides does not change either. */
export function onSeenChange({ view }: Actor, stages: () => Promise<Stages | undefined>, tell: () => void): () => void {
  if (view === undefined) return tell;
  const look = (): Promise<string | undefined> =>
    stages().then(
      (current) => current && keyOf(current),
      () => undefined,
    );
  let known = look();
  return () => {
    const before = known;
    known = look();
    void Promise.all([before, known]).then(([old, now]) => (old === now ? undefined : tell()));
  };
}

type Tools = ReturnType<Stages["snapshot"]>["tools"];

const keys = new WeakMap<Tools, string>();

function keyOf({ snapshot }: Stages): string {
  const { tools } = snapshot();
  const key = keys.get(tools) ?? [...tools.values()].map(({ id, hash, enabled }) => `${id} ${hash} ${enabled}`).join();
  keys.set(tools, key);
  return key;
}
