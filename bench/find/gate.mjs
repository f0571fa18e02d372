// End to end: a local catalog of the measured servers without the one that the query is about. When local search finds nothing, which line does an agent get?
const QUERIES_OF_EACH = 4;
const SUGGESTED = 3;

/** `maxServers`: the number of configured servers besides the missing one; by default all measured servers. */
export function judgeGate({
  tools,
  queries,
  others,
  ranker,
  smallerRanker,
  internals,
  meaning,
  areEqual,
  maxServers = Infinity,
}) {
  const { createSearchIndex, searchOptions } = internals;
  const names = [...new Set(tools.map(({ server }) => server))];
  // Each query gets different configured servers, but the same ones in every run.
  const localFor = (without, at) => {
    const left = names.filter((name) => name !== without);
    return new Set(left.map((_, index) => left[(at * 7 + index * 13) % left.length]).slice(0, maxServers));
  };
  const { limit, minRelevance } = searchOptions.parse({});
  const documents = tools.map(({ server, name, description = "" }) => ({
    id: `${server}:${name}`,
    server,
    name,
    description,
    parameters: [],
    tags: [],
  }));
  const index = createSearchIndex([...new Map(documents.map((one) => [one.id, one])).values()], { meaning });
  const suggest = (query, local, by = ranker) => {
    const accepts = (id) => local.has(id.slice(0, id.indexOf(":")));
    if (index.search(query, { limit, minRelevance, accepts }).fit !== "none") return undefined;
    return by.search(query, SUGGESTED).filter(({ isSure }) => isSure);
  };

  const counts = new Map();
  const sampled = queries.filter(({ set, server }) => {
    const key = `${set} ${server}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    return counts.get(key) <= QUERIES_OF_EACH;
  });
  const lines = sampled.map(({ query, server, wanted }, at) => ({
    wanted,
    found: suggest(query, localFor(server, at)),
  }));
  const nothing = lines.filter(({ found }) => found !== undefined);
  const shown = nothing.filter(({ found }) => found.length > 0);
  const right = shown.filter(({ wanted, found }) => found.some(({ entry }) => entry.name === wanted[0]));
  const equal = shown.filter(({ wanted, found }) =>
    found.some(({ entry }) => entry.name === wanted[0] || areEqual(wanted[0], entry)),
  );
  const strangers = others.map(({ query }, at) => suggest(query, localFor(undefined, at), smallerRanker));
  return {
    queries: sampled.length,
    nothing: nothing.length,
    shown: shown.length,
    right: right.length,
    equal: equal.length,
    others: others.length,
    othersShown: strangers.filter((found) => found !== undefined && found.length > 0).length,
  };
}
