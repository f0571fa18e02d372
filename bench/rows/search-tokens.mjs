import { toDefinition } from "../support/data.mjs";
import { createStaticDiscovery } from "../support/static-discovery.mjs";
import { median, quantile, spreadOf, sum } from "../support/statistics.mjs";
import { tokensOf } from "../support/tokens.mjs";

/** Tokens of one search answer, compared with the definitions of the tools that it names. */
export const searchTokens = {
  name: "search-tokens",
  about: "tokens of a search answer, for the queries of each set over its own tools",
  dependsOnTools: true,
  seconds: { usual: 12, quick: 5 },
  async run({ data, internals, rounds }) {
    const answers = [];
    for (const { tools, queries } of data.searchSets()) {
      const discovery = createStaticDiscovery(tools, internals);
      for (const query of everyNth(queries, rounds(1, 5))) {
        answers.push(measure(await discovery.search({ query }), internals));
      }
    }
    const tokens = answers.map((answer) => answer.tokens);
    const raw = median(answers.map((answer) => answer.raw));
    const rawP95 = quantile(
      answers.map((answer) => answer.raw),
      0.95,
    );
    const about = {
      unit: "tokens",
      spread: spreadOf(tokens),
      note: `${tokens.length} queries, ${median(answers.map(({ hits }) => hits))} hits in the median`,
    };
    return [
      {
        ...about,
        what: "search answer, median",
        value: median(tokens),
        baseline: { name: "raw definitions of the hits", value: raw },
        ratio: median(tokens) / raw,
        ...(data.isReal ? { budget: { most: 200 } } : {}),
      },
      {
        ...about,
        what: "search answer, p95",
        value: quantile(tokens, 0.95),
        baseline: { name: "raw definitions of the hits, p95", value: rawP95 },
        ratio: quantile(tokens, 0.95) / rawP95,
      },
    ];
  },
};

function everyNth(list, step) {
  return list.filter((_, index) => index % step === 0);
}

function measure(found, { toSearchAnswer }) {
  return {
    tokens: tokensOf(toSearchAnswer(found)),
    raw: sum(found.hits.map(({ tool }) => tokensOf(toDefinition(tool.definition)))),
    hits: found.hits.length,
  };
}
