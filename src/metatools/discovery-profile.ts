import { z } from "zod";
import type { PendingServer } from "../catalog/starts.js";
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
import { defineMetaTool, type MetaTool } from "./meta-tool.js";
import { type ServerSummary, summaryOf } from "./metadata.js";
import { describeDiscoveryStep } from "./next-steps.js";
import { NO_SERVER_NOTE, toSearchAnswer } from "./search-answer.js";
import { searchInput } from "./search-input.js";

export interface DiscoveryProfileParts {
  readonly discovery: Discovery;
  readonly upstreamState: (server: string) => UpstreamState;
  readonly execute: Execute;
}

/**
 * The five meta-tools of the profile `discovery`. Keep descriptions short: every client loads them into every
 * conversation.
 */
export function discoveryProfile(parts: DiscoveryProfileParts): readonly MetaTool[] {
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

/**
 * With more servers than this, the list omits descriptions and shortens failure reasons: an agent should search for
 * tools instead.
 */
const MANY_SERVERS = 60;
const MAX_SERVERS = 200;
const SHORT_REASON = 80;

function listMcpServers({ discovery, upstreamState }: DiscoveryProfileParts): MetaTool {
  return defineMetaTool({
    name: "list_mcp_servers",
    description: "List the MCP servers behind this gateway.",
    input: z.strictObject({}),
    readOnly: true,
    async run() {
      const starts = new Map(discovery.starts().map((start) => [start.name, start]));
      const summaries = discovery.servers().map((one) => {
        const { name } = one.definition;
        return describeServer(one, upstreamState(name), describeDiscoveryStep, starts.has(name));
      });
      const isLong = summaries.length > MANY_SERVERS;
      const more = summaries.length - MAX_SERVERS;
      return {
        kind: "data",
        data: {
          servers: summaries
            .slice(0, MAX_SERVERS)
            .map((summary) => toListedServer(summary, { isLong, start: starts.get(summary.name) })),
          ...(starts.size > 0 ? { retry_after_seconds: RETRY_AFTER_SECONDS } : {}),
          ...(more > 0 ? { more, note: describeDiscoveryStep({ action: "search" }) } : {}),
          ...(summaries.length === 0 ? { note: NO_SERVER_NOTE } : {}),
        },
      };
    },
  });
}

export interface ListedOptions {
  /** Whether the list of servers is long, so that descriptions are omitted and failure reasons are shortened. */
  readonly isLong: boolean;
  /** How far the start of the server is; undefined if its tools are known or the start failed. */
  readonly start: PendingServer | undefined;
}

/** A server as `list_mcp_servers` shows it. `enabledCount` is omitted if it equals `toolCount`. */
export function toListedServer(summary: ServerSummary, { isLong, start }: ListedOptions) {
  const { name, description, toolCount, enabledCount, status, known, reason } = summary;
  return {
    name,
    ...(isLong || description === "" ? {} : { description }),
    toolCount,
    ...(enabledCount === toolCount ? {} : { enabledCount }),
    status,
    // "disconnected" alone would look like a failure, but the gateway closes idle connections. The next call opens them
    // again.
    ...(status === "disconnected" && known && start === undefined ? { ready: true } : {}),
    ...(start !== undefined ? toStart(start) : known ? {} : { known: false }),
    ...(reason === undefined ? {} : { reason: isLong ? cutAtWord(reason, SHORT_REASON) : reason }),
  };
}

function toStart({ phase, forMs }: PendingServer): JsonObject {
  return { pending: true, phase, seconds: Math.floor(forMs / 1000) };
}

function searchTools({ discovery }: DiscoveryProfileParts): MetaTool {
  return defineMetaTool({
    name: "search_tools",
    description:
      "Find tools on all servers. Start here. Name verb, object and product; one query may name several steps.",
    input: searchInput,
    readOnly: true,
    async run({ query, server: only, limit }, context) {
      const found = await discovery.search({ query, server: only, limit, context });
      return { kind: "data", data: toSearchAnswer(found, describeDiscoveryStep) };
    },
  });
}

function listTools({ discovery }: DiscoveryProfileParts): MetaTool {
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

function getToolDetails({ discovery }: DiscoveryProfileParts): MetaTool {
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

/**
 * Converts a tool to the result of `get_tool_details`. `required` is only present if it is true, which saves tokens.
 */
export function toDetailsAnswer(tool: Tool): JsonObject {
  const details = describeTool(tool);
  const parameters = details.parameters.map(({ required, ...rest }) => (required ? { ...rest, required } : rest));
  return { ...details, parameters, ...(tool.enabled ? {} : { enabled: false }) };
}
