export interface CollectLimits {
  readonly atOnce: number;
  /** What has not come by then is left out; it goes on all the same. */
  readonly patienceMs: number;
}

/** Asks all, a few at a time, and gives what has come in the order of those asked. `ask` does not reject. */
export async function collect<Item, Result>(
  items: readonly Item[],
  ask: (item: Item) => Promise<Result>,
  { atOnce, patienceMs }: CollectLimits,
): Promise<Result[]> {
  const come = new Map<number, Result>();
  const waiting = items.entries();
  const work = async (): Promise<void> => {
    for (const [index, item] of waiting) come.set(index, await ask(item));
  };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, patienceMs);
  });
  await Promise.race([Promise.all(Array.from({ length: atOnce }, work)), late]);
  clearTimeout(timer);
  return [...come.entries()].sort(([a], [b]) => a - b).map(([, result]) => result);
}
