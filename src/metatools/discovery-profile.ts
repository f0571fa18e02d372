import { z } from "zod";
import type { Execute } from "../executor/execute.js";
import type { UpstreamState } from "../upstreams/types.js";
import { toDetailsAnswer, toFullAnswer } from "./details-answer.js";
import type { Discovery } from "./discovery.js";
import { executeTool } from "./execute-tool.js";
import { listMcpServers } from "./list-servers.js";
import { listTools } from "./list-tools.js";
import { defineMetaTool, type MetaTool } from "./meta-tool.js";
import { describeDiscoveryStep } from "./next-steps.js";
import { toSearchAnswer } from "./search-answer.js";
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

function getToolDetails({ discovery }: DiscoveryProfileParts): MetaTool {
  return defineMetaTool({
    name: "get_tool_details",
    description: "Get a tool's description and parameters.",
    input: z.strictObject({
      server: z.string().min(1),
      tool: z.string().min(1),
      full: z.boolean().optional().describe("Whole texts and raw schema"),
    }),
    readOnly: true,
    async run({ server, tool: name, full = false }) {
      const tool = await discovery.tool(server, name);
      return { kind: "data", data: full ? toFullAnswer(tool) : toDetailsAnswer(tool) };
    },
  });
}
