import { toShortSignature } from "../catalog/signature.js";
import { describePending, type PendingServer } from "../catalog/starts.js";
import type { DescribeStep } from "../model/next-steps.js";
import { RETRY_AFTER_SECONDS } from "../model/start.js";
import type { Tool } from "../model/tool.js";
import type { FoundTool, FoundTools } from "./found-tools.js";
import { SIGNED_HITS, summaryOf } from "./metadata.js";
import { addServerNote } from "./suggest-installable.js";

/**
 * How many hits get a long summary. Agents usually use one of the first hits; the short summaries of the other hits
 * only have to distinguish them.
 */
const LIKELY_HITS = 2;
const SHORT_SUMMARY = 60;
const CLOSEST_SUMMARY = 40;

/**
 * Converts search results to the format that MCP, REST, `--json` of the CLI and the benchmark of result sizes use.
 * `describe` renders the next steps in the note.
 */
export function toSearchAnswer(found: FoundTools, describe: DescribeStep) {
  const { fit, hits, also, pending, installable = [] } = found;
  const isPending = pending.length > 0;
  const note = toNote(found, describe);
  return {
    fit,
    results: hits.map(fit === "none" ? toClosest : toResult),
    ...(also.length > 0 ? { also: groupByServer(also.map(({ tool }) => tool)) } : {}),
    ...(note === "" ? {} : { note }),
    ...(installable[0] === undefined ? {} : { installable: addServerNote(installable[0]) }),
    ...(isPending ? { pending: pending.map(({ name }) => name), retry_after_seconds: RETRY_AFTER_SECONDS } : {}),
  };
}

function toResult({ tool, serverTools, relevance, step, why }: FoundTool, rank: number) {
  return {
    server: tool.server,
    tool: tool.name,
    ...(step === undefined ? {} : { step }),
    summary: summaryOf(tool, rank < LIKELY_HITS ? undefined : SHORT_SUMMARY, serverTools),
    relevance: Math.round(relevance * 100) / 100,
    ...(tool.tags.length > 0 ? { tags: tool.tags } : {}),
    ...(rank < SIGNED_HITS ? shortSignature(tool) : {}),
    ...(why === undefined ? {} : { why }),
  };
}

/** A hit of a search that no tool fits: the caller only has to see what there is. */
function toClosest({ tool, serverTools, why }: FoundTool) {
  return {
    server: tool.server,
    tool: tool.name,
    summary: summaryOf(tool, CLOSEST_SUMMARY, serverTools),
    ...(why === undefined ? {} : { why }),
  };
}

/** The names of the tools by server, in their order: it takes fewer tokens than one id for each tool. */
export function groupByServer(tools: readonly Tool[]): Record<string, string[]> {
  const byServer: Record<string, string[]> = {};
  for (const { server, name } of tools) (byServer[server] ??= []).push(name);
  return byServer;
}

function toNote(found: FoundTools, describe: DescribeStep): string {
  const { fit, hits, pending, missing } = found;
  const absent = missing.length === 0 ? "" : `Nothing here is ${missing.join(" or ")}.`;
  if (pending.length > 0) return `${absent} ${searchAgainNote(fit !== "none", pending)}`.trim();
  if (hits.length === 0) return describeNothing(found, describe);
  if (fit !== "none") return absent;
  return `${absent} No tool fits well; these are the closest.${notSearched(found)} Search with other words.`.trim();
}

/** A note for search results while servers are starting: the wanted tool may belong to one of these servers. */
function searchAgainNote(fits: boolean, pending: readonly PendingServer[]): string {
  return `${describePending(pending)} Search again in ${RETRY_AFTER_SECONDS} s${fits ? " if nothing here fits" : ""}.`;
}

function shortSignature(found: Tool): { signature?: string } {
  const signature = toShortSignature(found.definition);
  return signature === undefined ? {} : { signature };
}

const MAX_FAILED = 10;
export const NO_SERVER_NOTE =
  "No server is configured. The user can find one with `anygpt mcp find WORDS` and add it with `anygpt mcp add`.";

function notSearched({ failed }: FoundTools): string {
  if (failed.length === 0) return "";
  const names = failed.slice(0, MAX_FAILED).map(({ definition }) => definition.name);
  return ` The search did not include these servers, because they failed to start: ${names.join(", ")}.`;
}

function describeNothing(found: FoundTools, describe: DescribeStep): string {
  if (!found.hasServers) return `No tool fits: ${NO_SERVER_NOTE}`;
  return `No tool fits.${notSearched(found)} Search with other words. ${describe({ action: "list-servers" })}`;
}
