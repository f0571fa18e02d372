import type { Stages } from "../../../compose.js";
import type { DiscoveryEngine } from "../../../engine.js";
import { DiscoveryError } from "../../../errors.js";
import { toSearchAnswer } from "../../../metatools/discovery-profile.js";
import type { FoundTools } from "../../../metatools/discovery.js";
import { summaryOf } from "../../../metatools/metadata.js";
import type { Handler } from "../command.js";
import type { Context } from "../context.js";
import { blocks, bold, dim, line, type Line, WARNING } from "../lines.js";
import { openCatalog, openWholeCatalog, whileStarting, withEngine } from "../session.js";

const NOTHING_FOUND = 2;

export const search: Handler = (input, context) =>
  withEngine(context, async (engine) => {
    const query = input.argument("query").trim();
    if (query === "") throw new DiscoveryError("INVALID_REQUEST", "The query is empty.", { hint: EMPTY_QUERY_HINT });
    const server = input.text("server");
    const stages =
      server === undefined ? await openWholeCatalog(engine, context) : await openServer(engine, server, context);
    const found = await stages.discovery.search({ query, server, limit: input.number("limit") });
    if (context.isJson) context.json(toSearchAnswer(found));
    else {
      context.show(searchLines(query, found));
      context.note(notSearched(stages, found.pending));
    }
    return found.hits.length === 0 ? NOTHING_FOUND : 0;
  });

const EMPTY_QUERY_HINT = 'Say what you want to do: anygpt mcp search "create an issue".';

async function openServer(engine: DiscoveryEngine, server: string, context: Context): Promise<Stages> {
  const stages = await openCatalog(engine);
  await context.wait(
    whileStarting(() => stages.discovery.server(server)),
    () => `Asking ${server}…`,
  );
  return stages;
}

export function searchLines(query: string, { hits, more, suggestions }: FoundTools): Line[] {
  const heading = line(0, `Search results for "${query}" (${hits.length} found):`);
  const rest = more > 0 ? [line(0, `… and ${more} more. Narrow the query, or raise --limit.`)] : [];
  if (hits.length > 0) return blocks([[heading], ...hits.map(hitLines), rest]);
  const near = suggestions.length > 0 ? ` Near: ${suggestions.join(", ")}.` : "";
  return blocks([[heading], [line(0, `No tool fits.${near} Try other words, or \`anygpt mcp list\`.`)]]);
}

function hitLines({ tool, relevance }: FoundTools["hits"][number], rank: number): Line[] {
  const number = `${rank + 1}. `;
  const inner = number.length;
  const summary = summaryOf(tool);
  return [
    line(0, number, bold(tool.id), ` (${Math.round(relevance * 100)}% match)`),
    ...(summary === "" ? [] : [line(inner, summary)]),
    ...(tool.tags.length === 0 ? [] : [line(inner, dim(`Tags: ${tool.tags.join(", ")}`))]),
  ];
}

/** A search is only as good as what is known: servers that could not be asked are named. */
function notSearched({ snapshot }: Stages, pending: readonly string[]): Line[] {
  const failed = [...snapshot().servers.values()].filter(
    ({ failure, tools }) => failure !== undefined && tools.length === 0,
  );
  return [
    ...pending.map((name) => line(0, WARNING, ` ${name} has not answered yet, so its tools were not searched.`)),
    ...failed.map(({ definition, failure }) =>
      line(0, WARNING, ` ${definition.name} was not searched: ${failure?.message}`),
    ),
  ];
}
