import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { toDefinition } from "../support/data.mjs";
import { loadCompareDetails } from "../support/load-lossless.mjs";
import { median, quantile, spreadOf, sum } from "../support/statistics.mjs";
import { tokensOf } from "../support/tokens.mjs";

const LARGE = 300;

/** Tokens of one get_tool_details answer, compared with the definition that the server lists. */
export const detailsTokens = {
  name: "details-tokens",
  about: "tokens of the get_tool_details answers for all tools",
  dependsOnTools: true,
  seconds: { usual: 12, quick: 3 },
  async run({ data, dataFolder, folder, internals, rounds }) {
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
    lines.push(...(await measureLosses({ data, dataFolder, folder, internals, step })));
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

/** Parses the compact types of the answers and returns the parts of the schemas that they do not express. */
async function measureLosses({ data, dataFolder, folder, internals, step }) {
  const compareDetails = await loadCompareDetails(folder);
  const tools = (data.isReal ? corpusTools(dataFolder) : data.realTools()).filter((_, index) => index % step === 0);
  const found = { raw: 0, cut: 0, lost: 0, took: [], json: [] };
  for (const tool of tools) {
    const known = toKnown(tool);
    const start = performance.now();
    const answer = internals.toDetailsAnswer(known);
    const formatted = performance.now();
    JSON.parse(JSON.stringify(known.definition));
    found.took.push(formatted - start);
    found.json.push(performance.now() - formatted);
    const details = { ...answer, parameters: answer.parameters.map((one) => ({ required: false, ...one })) };
    if (details.omitted !== undefined) found.cut += 1;
    else if (isRaw(details)) found.raw += 1;
    if (details.omitted === undefined) found.lost += compareDetails(details, known.definition.inputSchema).lost.length;
  }
  const share = (count) => `${((100 * count) / tools.length).toFixed(2)} %`;
  const whole = tools.length - found.raw - found.cut;
  const where = data.isReal ? "the whole corpus" : "no corpus here, synthetic tools only";
  return [
    {
      what: "constraints lost in details",
      value: found.lost,
      unit: "constraints",
      budget: { most: 0 },
      note: `${tools.length} tools, ${where}: ${share(whole)} expressed by types alone, ${share(found.raw)} with a raw schema, ${found.cut} over the size limit`,
    },
    {
      what: "details of a tool, from its definition",
      value: median(found.took),
      unit: "ms",
      spread: spreadOf(found.took),
      baseline: { name: "its definition through JSON and back", value: median(found.json) },
      ratio: median(found.took) / median(found.json),
      budget: { most: 1 },
      note: `p99 ${quantile(found.took, 0.99).toFixed(2)} ms`,
    },
  ];
}

function corpusTools(folder) {
  const files = readdirSync(join(folder, "corpus")).filter((file) => file.endsWith(".tools.json"));
  return files.flatMap((file) => JSON.parse(readFileSync(join(folder, "corpus", file), "utf8")));
}

function isRaw({ inputSchema, parameters }) {
  return inputSchema !== undefined || parameters.some(({ schema }) => schema !== undefined);
}

function measure(tool, { toDetailsAnswer }) {
  return { details: tokensOf(toDetailsAnswer(toKnown(tool))), raw: tokensOf(toDefinition(tool)) };
}

function toKnown(tool) {
  const { server, name, tags = [] } = tool;
  return { id: `${server}:${name}`, server, name, definition: toDefinition(tool), hash: "", enabled: true, tags };
}
