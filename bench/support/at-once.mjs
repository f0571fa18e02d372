/** Runs `act` on every item with limited concurrency. The results are in the order of the items. */
export async function mapAtOnce(items, width, act) {
  const results = [];
  const numbered = items.entries();
  const work = async () => {
    for (const [index, item] of numbered) results[index] = await act(item, index);
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, work));
  return results;
}
