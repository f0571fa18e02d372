import { invalidRequest } from "../../../util/invalid-request.js";
import { toSearchAnswer } from "../../../metatools/search-answer.js";
import { addServerNote } from "../../../metatools/suggest-installable.js";
import type { FoundTool, FoundTools } from "../../../metatools/found-tools.js";
import type { Match } from "../../../search/explain.js";
import { summaryOf } from "../../../metatools/metadata.js";
import { toMissingJson } from "../../../operations/servers/missing-servers.js";
import { catalogNotes } from "../catalog-notes.js";
import { describeCliStep } from "../next-steps.js";
import { BLANK, blocks, bold, dim, line, type Line } from "../../../terminal/lines.js";
import { engineCommand, openServer, openWholeCatalog } from "../session.js";

const NOTHING_FOUND = 2;

export const search = engineCommand(async (engine, input, context) => {
  const query = input.argument("query").trim();
  if (query === "") throw invalidRequest("The query is empty.", { action: "search", query: "create an issue" });
  const server = input.text("server");
  const stages =
    server === undefined ? await openWholeCatalog(engine, context) : (await openServer(engine, server, context)).stages;
  const found = await stages.discovery.search({
    query,
    server,
    limit: input.number("limit"),
    explain: input.flag("explain"),
    // Opening the catalog above has already waited for the servers.
    waitMs: 0,
  });
  if (context.isJson)
    context.json({ ...toSearchAnswer(found, describeCliStep), ...toMissingJson(found, describeCliStep) });
  else {
    if (found.hits.length > 0) context.aside([...headingLines(query, found), BLANK]);
    context.show(searchLines(found));
    context.aside([...afterLines(found), ...catalogNotes(found)]);
  }
  return found.fit === "none" || found.hits.length === 0 ? NOTHING_FOUND : 0;
});

const OTHER_WORDS =
  "Try other words, list the servers with `anygpt mcp list`, or find servers to add with `anygpt mcp find`.";
const NO_SERVER =
  "No tool matches, because no server is configured. `anygpt mcp find WORDS` finds public servers, `anygpt mcp add` adds one.";

function headingLines(query: string, { fit, hits, missing }: FoundTools): Line[] {
  const absent = missing.length === 0 ? [] : [line(0, `Nothing here is ${missing.join(" or ")}.`)];
  if (fit === "none") return [...absent, line(0, `No tool fits "${query}" well. These are the closest:`)];
  return [...absent, line(0, `Search results for "${query}" (${hits.length} found):`)];
}

export function searchLines({ hits }: Pick<FoundTools, "hits">): Line[] {
  return blocks(hits.map(hitLines));
}

/** Further tools, or advice if nothing fits; and the command to inspect the best result. */
function afterLines(found: FoundTools): Line[] {
  const { fit, hits, also, pending, installable = [], hasServers } = found;
  const [best] = hits;
  if (best === undefined && pending.length > 0) return ["No tool matches on the servers that have answered so far."];
  const add = installable[0] === undefined ? [] : [line(0, addServerNote(installable[0]))];
  if (best === undefined) return [line(0, hasServers ? `No tool matches. ${OTHER_WORDS}` : NO_SERVER), ...add];
  if (fit === "none") return [BLANK, line(0, OTHER_WORDS), ...add];
  const rest = also.length > 0 ? [line(0, `Less likely: ${also.map(({ tool }) => tool.id).join(", ")}`)] : [];
  return [BLANK, ...rest, line(0, dim(`Show the arguments of the first tool: anygpt mcp inspect ${best.tool.id}`))];
}

function hitLines({ tool, serverTools, relevance, step, why = [] }: FoundTool, rank: number): Line[] {
  const number = `${rank + 1}. `;
  const inner = number.length;
  const summary = summaryOf(tool, undefined, serverTools);
  return [
    line(
      0,
      number,
      bold(tool.id),
      ` (${step === undefined ? "" : `step ${step}, `}${Math.round(relevance * 100)}% match)`,
    ),
    ...(summary === "" ? [] : [line(inner, summary)]),
    ...(tool.tags.length === 0 ? [] : [line(inner, dim(`Tags: ${tool.tags.join(", ")}`))]),
    ...why.map((match) => line(inner, dim(toReason(match)))),
  ];
}

const KINDS: Readonly<Record<Match["kind"], string>> = {
  exact: "",
  form: "another form, ",
  same: "a synonym, ",
  concept: "a related concept, ",
  typing: "a spelling correction, ",
  near: "",
};

/** Why a tool matches, for example `"removing" as "delete" (a synonym, in name, first sentence)`. */
function toReason({ word, found, kind, fields }: Match): string {
  const where = fields.map((field) => field.replace(/[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`)).join(", ");
  if (kind === "near") return `similar meaning: "${found}" (in ${where})`;
  return `"${word}"${word === found ? "" : ` as "${found}"`} (${KINDS[kind]}in ${where})`;
}
