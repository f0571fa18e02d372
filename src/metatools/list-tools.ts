import { z } from "zod";
import type { JsonObject } from "../model/json.js";
import type { Tool } from "../model/tool.js";
import type { Discovery } from "./discovery.js";
import { listCursor } from "./list-servers.js";
import { pageOf } from "./list-page.js";
import { defineMetaTool, type MetaTool } from "./meta-tool.js";
import { summaryOf } from "./metadata.js";
import { containsWords, toFilterWords } from "./tool-filter.js";

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

/** The options of a tool list, apart from the server. REST uses the same. */
export const toolListOptions = {
  query: z.string().min(1).max(2000).optional().describe("Only tools with these words"),
  limit: z.number().int().min(1).max(MAX_LIMIT).optional().describe(`Default ${DEFAULT_LIMIT}`),
  cursor: listCursor,
};

export function listTools({ discovery }: { readonly discovery: Discovery }): MetaTool {
  return defineMetaTool({
    name: "list_tools",
    description: "List the tools of one server.",
    input: z.strictObject({
      server: z.string().min(1),
      ...toolListOptions,
      includeDisabled: z.boolean().optional(),
    }),
    readOnly: true,
    async run({ server: name, query, limit = DEFAULT_LIMIT, cursor, includeDisabled = false }) {
      const { tools } = await discovery.server(name);
      const found = await filterTools({ server: name, tools, query, includeDisabled }, discovery);
      const list = [name, query, includeDisabled];
      const { items, members } = pageOf(found.tools, { cursor, limit, list, keyOf: (tool) => tool.name });
      return {
        kind: "data",
        data: {
          server: name,
          tools: items.map((tool) => toToolItem(tool, tools)),
          ...members,
          ...(found.disabled > 0 ? { disabled: found.disabled } : {}),
          ...(found.isClosest ? { note: CLOSEST_NOTE } : {}),
        },
      };
    },
  });
}

const CLOSEST_NOTE = "No tool has all these words; these are the closest.";

export interface ToolListRequest {
  readonly server: string;
  readonly tools: readonly Tool[];
  readonly query?: string | undefined;
  readonly includeDisabled: boolean;
}

export interface FilteredTools {
  readonly tools: readonly Tool[];
  /** The number of tools with the words of the query that are left out because they are disabled. */
  readonly disabled: number;
  /** Whether no tool has all words of the query, so that these are the results of a search. */
  readonly isClosest: boolean;
}

/**
 * Returns the tools of a server that contain all words of the query, first those with the words in the name. If there
 * is no such tool, returns what a search for the query finds on this server.
 */
export async function filterTools(
  filter: ToolListRequest,
  discovery: Pick<Discovery, "search">,
): Promise<FilteredTools> {
  const { server, tools, query, includeDisabled } = filter;
  const words = toFilterWords(query ?? "");
  const matching = query === undefined ? tools : containsWords(tools, words);
  const shown = matching.filter((tool) => includeDisabled || tool.enabled);
  const disabled = matching.length - shown.length;
  if (query === undefined || shown.length > 0) return { tools: shown, disabled, isClosest: false };
  const { hits, also } = await discovery.search({ query, server, includeDisabled });
  const closest = [...hits, ...also].map(({ tool }) => tool);
  return { tools: closest, disabled, isClosest: closest.length > 0 };
}

function toToolItem(tool: Tool, serverTools: readonly Tool[]): JsonObject {
  const { name, enabled, tags } = tool;
  const summary = summaryOf(tool, undefined, serverTools);
  return {
    name,
    ...(summary === "" ? {} : { summary }),
    ...(enabled ? {} : { enabled }),
    ...(tags.length > 0 ? { tags } : {}),
  };
}
