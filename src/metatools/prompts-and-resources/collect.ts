export interface CollectLimits {
  readonly concurrency: number;
  /** The time limit. Results that arrive later are omitted; their requests are not cancelled. */
  readonly timeoutMs: number;
}

/**
 * Calls `request` for every item, `concurrency` at a time. Returns the results that arrived in time, in the order of
 * the items. `request` must not reject.
 */
export async function collect<Item, Result>(
  items: readonly Item[],
  request: (item: Item) => Promise<Result>,
  { concurrency, timeoutMs }: CollectLimits,
): Promise<Result[]> {
  const results = new Map<number, Result>();
  const waiting = items.entries();
  const work = async (): Promise<void> => {
    for (const [index, item] of waiting) results.set(index, await request(item));
  };
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  await Promise.race([Promise.all(Array.from({ length: concurrency }, work)), timeout]);
  clearTimeout(timer);
  return [...results.entries()].sort(([a], [b]) => a - b).map(([, result]) => result);
}
