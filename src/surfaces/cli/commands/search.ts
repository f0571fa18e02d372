import type { Stages } from "../../../compose.js";
import type { DiscoveryEngine } from "../../../engine.js";
import { DiscoveryError } from "../../../errors.js";
import { toSearchAnswer } from "../../../metatools/discovery-profile.js";
import { addServerNote } from "../../../metatools/suggest-installable.js";
import type { FoundTool, FoundTools } from "../../../metatools/found-tools.js";
import type { Match } from "../../../search/explain.js";
import { summaryOf } from "../../../metatools/metadata.js";
import { catalogNotes, missingData } from "../catalog-notes.js";
import type { Handler } from "../command.js";
import type { Context } from "../context.js";
import { BLANK, blocks, bold, dim, line, type Line } from "../lines.js";
import { askingText, LONGEST_START_MS, openCatalog, openWholeCatalog, withEngine } from "../session.js";

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
      // The command has waited already.
      waitMs: 0,
    });
    if (context.isJson) context.json({ ...toSearchAnswer(found), ...missingData(found) });
    else {
      if (found.hits.length > 0) context.aside([headingOf(query, found), BLANK]);
      context.show(searchLines(found));
      context.aside([...afterLines(found), ...catalogNotes(found)]);
    }
    return found.hits.length === 0 ? NOTHING_FOUND : 0;
  });

const EMPTY_QUERY_HINT = 'Say what you want to do: anygpt mcp search "create an issue".';

async function openServer(engine: DiscoveryEngine, server: string, context: Context): Promise<Stages> {
  const stages = await openCatalog(engine);
  await context.wait(stages.discovery.server(server, { waitMs: LONGEST_START_MS }), () => askingText(server, stages));
  return stages;
}

function headingOf(query: string, { hits }: FoundTools): Line {
  return line(0, `Search results for "${query}" (${hits.length} found):`);
}

export function searchLines({ hits }: Pick<FoundTools, "hits">): Line[] {
  return blocks(hits.map(hitLines));
}

/** How many more there are, or what to try where nothing fits; and what to do with a hit. */
function afterLines({ hits, more, suggestions, pending, installable = [] }: FoundTools): Line[] {
  const [best] = hits;
  if (best === undefined && pending.length > 0) return [line(0, "No tool of the servers that have answered fits.")];
  if (best === undefined) {
    const near = suggestions.length > 0 ? ` Known here: ${suggestions.join(", ")}.` : "";
    const add = installable[0] === undefined ? [] : [line(0, addServerNote(installable[0]))];
    return [line(0, `No tool fits.${near} Try other words, or \`anygpt mcp list\`.`), ...add];
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
