/** A baseline ranker, from the first design of the gateway: exact id or name first, then the number of words shared with tags, name and description. */
export function createWordOverlap(operations) {
  const known = operations.map(([id, { tool, tags, description }]) => ({
    id,
    tool,
    tags: new Set(tags.flatMap(toWords)),
    words: new Set(toWords(`${tool} ${description}`)),
  }));
  return (query, context = {}) => {
    const requested = [...new Set(toWords([query, ...Object.values(context)].join(" ")))];
    return known
      .map((one) => ({ id: one.id, score: scoreOf(one, query, requested) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, 10);
  };
}

const EXACT = 10;

function scoreOf({ id, tool, tags, words }, query, requested) {
  if (query === id || query === tool) return EXACT;
  const share = (list) => requested.filter((word) => list.has(word)).length / Math.max(requested.length, 1);
  return share(tags) + share(words);
}

function toWords(text) {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
