import { toDefinition } from "../support/data.mjs";
import { median, quantile, spreadOf, sum } from "../support/statistics.mjs";
import { tokensOf } from "../support/tokens.mjs";

const LARGE = 300;

/** What looking one tool up adds to a conversation, against its definition as the server lists it. */
export const detailsTokens = {
  name: "details-tokens",
  about: "tokens of get_tool_details over all tools",
  dependsOnTools: true,
  async run({ data, internals, rounds }) {
    const step = rounds(1, 5);
    const tools = data.realTools().filter((_, index) => index % step === 0);
    const measured = tools.map((tool) => measure(tool, internals));
    const details = measured.map((one) => one.details);
    const large = measured.filter(({ raw }) => raw > LARGE);
    const rawMedian = median(measured.map(({ raw }) => raw));
    const lines = [
      {
        what: "details of a tool, median",
        value: median(details),
        unit: "tokens",
        spread: spreadOf(details),
        baseline: { name: "raw definition, median", value: rawMedian },
        ratio: median(details) / rawMedian,
        ...(data.isReal ? { budget: { most: 150 } } : {}),
        note: `${tools.length} tools, p95 ${quantile(details, 0.95)}`,
      },
    ];
    if (large.length === 0) return lines;
    const [ours, theirs] = [sum(large.map((one) => one.details)), sum(large.map(({ raw }) => raw))];
    lines.push({
      what: `details of tools over ${LARGE} tokens, in all`,
      value: ours,
      unit: "tokens",
      baseline: { name: "their raw definitions", value: theirs },
      ratio: ours / theirs,
      ...(data.isReal ? { budget: { most: 0.5, of: "ratio" } } : {}),
      note: `${large.length} tools`,
    });
    return lines;
  },
};

function measure(tool, { toDetailsAnswer }) {
  const { server, name, tags = [] } = tool;
  const definition = toDefinition(tool);
  const known = { id: `${server}:${name}`, server, name, definition, hash: "", enabled: true, tags };
  return { details: tokensOf(toDetailsAnswer(known)), raw: tokensOf(definition) };
}
