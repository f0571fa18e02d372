import { z } from "zod";
import { toSignature } from "../catalog/signature.js";
import type { CatalogServer } from "../catalog/snapshot.js";
import { describePending, type PendingServer } from "../catalog/starts.js";
import type { Execute } from "../executor/execute.js";
import type { JsonObject } from "../model/json.js";
import { RETRY_AFTER_SECONDS } from "../model/start.js";
import type { Tool } from "../model/tool.js";
import type { UpstreamState } from "../upstreams/types.js";
import { cutAtWord } from "../util/text.js";
import { describeServer } from "./describe-server.js";
import { describeTool } from "./describe-tool.js";
import type { Discovery } from "./discovery.js";
import { executeTool } from "./execute-tool.js";
import type { FoundTools } from "./found-tools.js";
import { defineMetaTool, type MetaTool } from "./meta-tool.js";
import { type ServerSummary, summaryOf } from "./metadata.js";
import { addServerNote } from "./suggest-installable.js";
import { searchInput } from "./search-input.js";

export interface ProfileParts {
  readonly discovery: Discovery;
  readonly upstreamState: (server: string) => UpstreamState;
  readonly execute: Execute;
}

/** The five meta-tools of the profile `discovery`. Every word here is paid for by every agent in every conversation. */
export function discoveryProfile(parts: ProfileParts): readonly MetaTool[] {
  return [
    listMcpServers(parts),
    searchTools(parts),
    listTools(parts),
    getToolDetails(parts),
    executeTool(parts.execute),
  ];
}

const server = z.string().min(1);
const tool = z.string().min(1);

/** From here on descriptions are left out and reasons cut short: an agent searches, it does not read hundreds of lines. */
const MANY_SERVERS = 60;
const MOST_SERVERS = 200;
const SHORT_REASON = 80;

function listMcpServers({ discovery, upstreamState }: ProfileParts): MetaTool {
  return defineMetaTool({
    name: "list_mcp_servers",
    description: "List the MCP servers behind this gateway.",
    input: z.strictObject({}),
    readOnly: true,
    async run() {
      const starts = new Map(discovery.starts().map((start) => [start.name, start]));
      const summaries = discovery.servers().map((one) => describeServer(one, upstreamState(one.definition.name)));
      const isLong = summaries.length > MANY_SERVERS;
      const more = summaries.length - MOST_SERVERS;
      return {
        kind: "data",
        data: {
          servers: summaries
            .slice(0, MOST_SERVERS)
            .map((summary) => toListedServer(summary, { isLong, start: starts.get(summary.name) })),
          ...(starts.size > 0 ? { retry_after_seconds: RETRY_AFTER_SECONDS } : {}),
          ...(more > 0 ? { more, note: "search_tools searches all of them." } : {}),
          ...(summaries.length === 0
            ? { note: "No server is configured. A person can add some to the gateway's config." }
            : {}),
        },
      };
    },
  });
}

export interface ListedOptions {
  /** The list is long, so that each server has few words. */
  readonly isLong: boolean;
  /** Of a server that has not answered yet. */
  readonly start: PendingServer | undefined;
}

/** One server as the list shows it. `enabledCount` is left out where it is the same as `toolCount`. */
export function toListedServer(summary: ServerSummary, { isLong, start }: ListedOptions) {
  const { name, description, toolCount, enabledCount, status, known, reason } = summary;
  return {
    name,
    ...(isLong || description === "" ? {} : { description }),
    toolCount,
    ...(enabledCount === toolCount ? {} : { enabledCount }),
    status,
    ...(start !== undefined ? toStart(start) : known ? {} : { known: false }),
    ...(reason === undefined ? {} : { reason: isLong ? cutAtWord(reason, SHORT_REASON) : reason }),
  };
}

function toStart({ phase, forMs }: PendingServer): JsonObject {
  return { pending: true, phase, seconds: Math.floor(forMs / 1000) };
}

function searchTools({ discovery }: ProfileParts): MetaTool {
  return defineMetaTool({
    name: "search_tools",
    description: "Find tools on all servers by what they do. Start here.",
    input: searchInput,
    readOnly: true,
    async run({ query, server: only, limit }, { meta }) {
      const found = await discovery.search({ query, server: only, limit, meta });
      return { kind: "data", data: toSearchAnswer(found) };
    },
  });
}

const LONGEST_SIGNATURE = 160;
/** The first hits are usually taken; the others are only to be told from each other. */
const LIKELY = 2;
const SHORT_SUMMARY = 60;

/** Shared by the MCP answer, the command line's `--json` and the evaluation of its size. */
export function toSearchAnswer({ hits, more, suggestions, pending, failed, installable = [] }: FoundTools) {
  const isPending = pending.length > 0;
  return {
    results: hits.map(({ tool: found, relevance, why }, rank) => ({
      server: found.server,
      tool: found.name,
      summary: summaryOf(found, rank < LIKELY ? undefined : SHORT_SUMMARY),
      relevance: Math.round(relevance * 100) / 100,
      ...(found.tags.length > 0 ? { tags: found.tags } : {}),
      ...(rank === 0 ? shortSignature(found) : {}),
      ...(why === undefined ? {} : { why }),
    })),
    ...(more > 0 ? { more } : {}),
    ...(isPending ? { note: askAgain(hits.length > 0, pending) } : {}),
    ...(hits.length === 0 && !isPending ? { note: nothingFits(suggestions, failed) } : {}),
    ...(installable[0] === undefined ? {} : { installable: addServerNote(installable[0]) }),
    ...(isPending ? { pending: pending.map(({ name }) => name), retry_after_seconds: RETRY_AFTER_SECONDS } : {}),
  };
}

/** The tool that is looked for may be one of a server that has not answered yet. */
function askAgain(hasHits: boolean, pending: readonly PendingServer[]): string {
  return `${describePending(pending)} Search again in ${RETRY_AFTER_SECONDS} s${hasHits ? " if nothing here fits" : ""}.`;
}

function shortSignature(found: Tool): { signature?: string } {
  const signature = toSignature(found.definition);
  return signature.length <= LONGEST_SIGNATURE ? { signature } : {};
}

const MOST_FAILED = 10;

function nothingFits(suggestions: readonly string[], failed: readonly CatalogServer[]): string {
  const near = suggestions.length > 0 ? ` Known here: ${suggestions.join(", ")}.` : "";
  const names = failed.slice(0, MOST_FAILED).map(({ definition }) => definition.name);
  const lost = failed.length > 0 ? ` Not searched, because they failed to start: ${names.join(", ")}.` : "";
  return `No tool fits.${near}${lost} Try other words, or list_mcp_servers.`;
}

function listTools({ discovery }: ProfileParts): MetaTool {
  return defineMetaTool({
    name: "list_tools",
    description: "List all tools of one server.",
    input: z.strictObject({ server, includeDisabled: z.boolean().optional() }),
    readOnly: true,
    async run({ server: name, includeDisabled = false }) {
      const { tools } = await discovery.server(name);
      const shown = tools.filter((one) => includeDisabled || one.enabled);
      const disabled = tools.length - shown.length;
      return {
        kind: "data",
        data: { server: name, tools: shown.map(toListedTool), ...(disabled > 0 ? { disabled } : {}) },
      };
    },
  });
}

function toListedTool(one: Tool) {
  const { name, enabled, tags } = one;
  return { name, summary: summaryOf(one), enabled, ...(tags.length > 0 ? { tags } : {}) };
}

function getToolDetails({ discovery }: ProfileParts): MetaTool {
  return defineMetaTool({
    name: "get_tool_details",
    description: "Get a tool's description and parameters.",
    input: z.strictObject({ server, tool }),
    readOnly: true,
    async run({ server: serverName, tool: toolName }) {
      return { kind: "data", data: toDetailsAnswer(await discovery.tool(serverName, toolName)) };
    },
  });
}

/** What is not said to be required is not: the word is spared for every optional parameter. */
export function toDetailsAnswer(tool: Tool): JsonObject {
  const details = describeTool(tool);
  const parameters = details.parameters.map(({ required, ...rest }) => (required ? { ...rest, required } : rest));
  return { ...details, parameters, ...(tool.enabled ? {} : { enabled: false }) };
}
