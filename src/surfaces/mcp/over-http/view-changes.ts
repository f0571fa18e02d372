import type { CatalogAccess, Stages } from "../../../gateway/stages.js";
import type { Actor } from "../../../model/actor.js";

/** Returns a listener for catalog changes that calls `notify` only if the tools that the actor may see have changed. */
export function onViewChange(
  { view }: Actor,
  stages: () => Promise<Stages | undefined>,
  notify: () => void,
): () => void {
  if (view === undefined) return notify;
  const look = (): Promise<string | undefined> =>
    stages().then(
      (current) => current && keyOf(current),
      () => undefined,
    );
  let known = look();
  return () => {
    const before = known;
    known = look();
    void Promise.all([before, known]).then(([old, now]) => (old === now ? undefined : notify()));
  };
}

type Tools = ReturnType<Stages["snapshot"]>["tools"];

const keys = new WeakMap<Tools, string>();

function keyOf({ snapshot }: CatalogAccess): string {
  const { tools } = snapshot();
  const key = keys.get(tools) ?? [...tools.values()].map(({ id, hash, enabled }) => `${id} ${hash} ${enabled}`).join();
  keys.set(tools, key);
  return key;
}
