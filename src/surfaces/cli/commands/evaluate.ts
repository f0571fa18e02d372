import { estimateTokenCount } from "tokenx";
import { createCatalog } from "../../../catalog/catalog.js";
import { createLookup } from "../../../catalog/lookup.js";
import { createRefresh } from "../../../catalog/refresh.js";
import { createDiscovery, type Discovery } from "../../../metatools/discovery.js";
import { toSearchAnswer } from "../../../metatools/discovery-profile.js";
import { toolId } from "../../../model/tool.js";
import { type EvalOutcome, type EvalQuery, type EvalReport, evaluateOutcomes } from "../../../search/evaluate.js";
import type { SearchOptions } from "../../../search/options.js";
import type { Handler } from "../command.js";
import { type EvalCatalog, readCatalogFile, readQueriesFile } from "../eval-files.js";
import { blocks, bold, count, line, type Line, WARNING } from "../lines.js";
import { withEngine } from "../session.js";

export const evaluate: Handler = (input, context) =>
  withEngine(context, async (engine) => {
    const { cwd } = context.io;
    const catalog = await readCatalogFile(input.text("catalog") ?? "", cwd);
    const queries = await readQueriesFile(input.text("queries") ?? "", cwd);
    const { search } = (await engine.stages()).config;
    let done = 0;
    const work = runSearches(queries, createStaticDiscovery(catalog, search), () => (done += 1));
    const outcomes = await context.wait(work, () => `Searching… ${done} of ${queries.length} queries`);
    const report = evaluateOutcomes(queries, outcomes);
    if (context.isJson) context.json(report);
    else {
      context.show(reportLines(report, catalog));
      context.note(strangers(queries, catalog));
    }
    return 0;
  });

/** The live path from tool definitions to answers. Nobody starts the refresh, so no server is ever asked. */
function createStaticDiscovery({ servers, tags }: EvalCatalog, options: SearchOptions): Discovery {
  const surroundings = { now: Date.now, elapsed: Date.now, log: () => undefined, ttlMs: Infinity };
  const catalog = createCatalog({
    ...surroundings,
    definitions: servers,
    decide: ({ server, name }) => ({ enabled: true, tags: tags.get(toolId(server, name)) ?? [] }),
    disk: undefined,
  });
  const list = (server: string): Promise<never> => Promise.reject(new TypeError(`${server} is only a file.`));
  const refresh = createRefresh({ ...surroundings, catalog, list });
  const lookup = createLookup({ ...surroundings, catalog, refresh, remembers: true });
  return createDiscovery({ snapshot: catalog.snapshot, lookup, refresh, options });
}

async function runSearches(
  queries: readonly EvalQuery[],
  discovery: Discovery,
  onDone: () => void,
): Promise<EvalOutcome[]> {
  // The first search builds the index, which is no part of any query's time.
  await discovery.search({ query: queries[0]?.query ?? "" });
  const outcomes: EvalOutcome[] = [];
  for (const { query } of queries) {
    const started = performance.now();
    const found = await discovery.search({ query });
    const latencyMs = performance.now() - started;
    const tokens = estimateTokenCount(JSON.stringify(toSearchAnswer(found)));
    outcomes.push({ ids: found.hits.map(({ tool }) => tool.id), tokens, latencyMs });
    onDone();
  }
  return outcomes;
}

export function reportLines(report: EvalReport, { servers, tags }: EvalCatalog): Line[] {
  const { queries, refused, tokens, latencyMs, ...scores } = report;
  const row = (name: string, value: string): Line => line(2, `${name.padEnd(12)}${value}`);
  return blocks([
    [
      line(
        0,
        bold("Search evaluation"),
        `: ${count(queries, "query", "queries")} over ${count(tags.size, "tool")} on ${count(servers.length, "server")}`,
      ),
    ],
    [...Object.entries(scores).map(([name, value]) => row(name, value.toFixed(3))), row("refused", refused.toFixed(3))],
    [
      row("tokens", `median ${tokens.median}, p95 ${tokens.p95}`),
      row("latency", `median ${ms(latencyMs.median)}, p95 ${ms(latencyMs.p95)}, max ${ms(latencyMs.max)}`),
    ],
  ]);
}

function ms(value: number): string {
  return `${value.toFixed(2)} ms`;
}

function strangers(queries: readonly EvalQuery[], { tags }: EvalCatalog): Line[] {
  const unknown = new Set(
    queries.flatMap(({ relevant }) => relevant.map(({ id }) => id)).filter((id) => !tags.has(id)),
  );
  if (unknown.size === 0) return [];
  const [first] = unknown;
  const many = unknown.size > 1;
  const what = `${count(unknown.size, "relevant tool")} ${many ? "are" : "is"} not in the catalog`;
  return [line(0, WARNING, ` ${what}, ${first} for example: no search can find ${many ? "them" : "it"}.`)];
}
