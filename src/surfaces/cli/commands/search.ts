import type { Stages } from "../../../compose.js";
import type { DiscoveryEngine } from "../../../engine.js";
import { DiscoveryError } from "../../../errors.js";
import { toSearchAnswer } from "../../../metatools/discovery-profile.js";
import type { FoundTool, FoundTools } from "../../../metatools/found-tools.js";
import type { Match } from "../../../search/explain.js";
import { summaryOf } from "../../../metatools/metadata.js";
import type { Handler } from "../command.js";
import type { Context } from "../context.js";
import { reasonOf } from "../failure.js";
import { BLANK, blocks, bold, dim, line, type Line, WARNING } from "../lines.js";
import { LONGEST_START_MS, openCatalog, openWholeCatalog, withEngine } from "../session.js";
import { stillAskedLines } from "../still-asked-lines.js";

const NOTHING_FOUND = 2;

export const search: Handler = (input, context) =>
  withEngine(context, async (engine) => {
    const query = input.argument("query").trim();
    if (query === "") throw new DiscoveryError("INVALID_REQUEST", "The query is empty.", { hint: EMPTY_QUERY_HINT });
    const server = input.text("server");
    const stages =
      server === undefined ? await openWholeCatalog(engine, context) : await openServer(engine, server, context);
    const found = await stages.discovery.search({
      query,
      server,
      limit: input.number("limit"),
      explain: input.flag("explain"),
    });
    const failed = findNotSearched(stages, server);
    if (context.isJson) context.json({ ...toSearchAnswer(found), ...(failed.length > 0 ? { failed } : {}) });
    else {
      context.aside([headingOf(query, found), BLANK]);
      context.show(searchLines(found));
      const notes = failed.map(({ server: name, reason }) => line(0, WARNING, ` ${name} was not searched: ${reason}`));
      context.aside([...afterLines(found), ...stillAskedLines(found.pending), ...notes]);
    }
    return found.hits.length === 0 ? NOTHING_FOUND : 0;
  });

const EMPTY_QUERY_HINT = 'Say what you want to do: anygpt mcp search "create an issue".';

async function openServer(engine: DiscoveryEngine, server: string, context: Context): Promise<Stages> {
  const stages = await openCatalog(engine);
  await context.wait(stages.discovery.server(server, { waitMs: LONGEST_START_MS }), () => `Asking ${server}…`);
  return stages;
}

function headingOf(query: string, { hits }: FoundTools): Line {
  return line(0, `Search results for "${query}" (${hits.length} found):`);
}

export function searchLines({ hits }: Pick<FoundTools, "hits">): Line[] {
  return blocks(hits.map(hitLines));
}

/** How many more there are, or what to try where nothing fits; and what to do with a hit. */
function afterLines({ hits, more, suggestions }: FoundTools): Line[] {
  const [best] = hits;
  if (best === undefined) {
    const near = suggestions.length > 0 ? ` Known here: ${suggestions.join(", ")}.` : "";
    return [line(0, `No tool fits.${near} Try other words, or \`anygpt mcp list\`.`)];
  }
  const rest = more > 0 ? [line(0, `… and ${more} more. Narrow the query, or raise --limit.`)] : [];
  return [BLANK, ...rest, line(0, dim(`Show its arguments: anygpt mcp inspect ${best.tool.id}`))];
}

function hitLines({ tool, relevance, why = [] }: FoundTool, rank: number): Line[] {
  const number = `${rank + 1}. `;
  const inner = number.length;
  const summary = summaryOf(tool);
  return [
    line(0, number, bold(tool.id), ` (${Math.round(relevance * 100)}% match)`),
    ...(summary === "" ? [] : [line(inner, summary)]),
    ...(tool.tags.length === 0 ? [] : [line(inner, dim(`Tags: ${tool.tags.join(", ")}`))]),
    ...why.map((match) => line(inner, dim(toReason(match)))),
  ];
}

const KINDS: Readonly<Record<Match["kind"], string>> = {
  exact: "",
  form: "another form, ",
  same: "the same meaning, ",
  concept: "the same matter, ",
  typing: "a typing error, ",
  near: "",
};

/** `"removing" as "delete" (the same meaning, in name, first sentence)` */
function toReason({ word, found, kind, fields }: Match): string {
  const where = fields.map((field) => field.replace(/[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`)).join(", ");
  if (kind === "near") return `near in meaning: "${found}" (in ${where})`;
  return `"${word}"${word === found ? "" : ` as "${found}"`} (${KINDS[kind]}in ${where})`;
}

/** A server that a search could not look into. */
interface NotSearched {
  readonly server: string;
  readonly reason: string;
}

/** A search is only as good as what is known: servers that could not be asked are named. */
function findNotSearched({ snapshot }: Stages, only: string | undefined): NotSearched[] {
  return [...snapshot().servers.values()].flatMap(({ definition: { name }, failure, tools }) =>
    failure === undefined || tools.length > 0 || (only !== undefined && only !== name)
      ? []
      : [{ server: name, reason: reasonOf(failure) }],
  );
}
