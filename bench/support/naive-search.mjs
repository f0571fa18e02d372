/** The baseline for search: a linear scan that scores every tool for every query, as in the first design of the engine. */
export function createNaiveSearch(tools, limit = 10) {
  const known = tools.map(({ server, name, summary, tags = [] }) => ({
    id: `${server}:${name}`,
    name: name.toLowerCase(),
    summary: summary.toLowerCase(),
    tags: tags.map((tag) => tag.toLowerCase()),
  }));
  return (query) => {
    const requested = { text: query.toLowerCase(), words: query.toLowerCase().split(/\s+/) };
    return known
      .map((tool) => ({ id: tool.id, relevance: relevanceOf(tool, requested) }))
      .filter(({ relevance }) => relevance > 0)
      .sort((a, b) => b.relevance - a.relevance)
      .slice(0, limit);
  };
}

function relevanceOf({ name, summary, tags }, { text, words }) {
  let score = (name.includes(text) ? 1 : 0) + (summary.includes(text) ? 0.8 : 0);
  for (const word of words) score += (name.includes(word) ? 0.5 : 0) + (summary.includes(word) ? 0.3 : 0);
  for (const tag of tags) if (text.includes(tag)) score += 0.3;
  return Math.min(score, 1);
}
