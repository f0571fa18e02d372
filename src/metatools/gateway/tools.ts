import { z } from "zod";
import type { CatalogServer } from "../../catalog/snapshot.js";
import type { JsonObject } from "../../model/json.js";
import type { Tool } from "../../model/tool.js";
import { categoryOf } from "../../registry/operation.js";
import { toKey } from "../../search/tokenize.js";
import { defineMetaTool, type MetaTool } from "../meta-tool.js";
import { summaryOf } from "../metadata.js";
import { countCategories, enabledOf } from "./adapters.js";
import type { GatewayTable } from "./parts.js";

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 50;

export function gatewayTools(table: GatewayTable): MetaTool {
  return defineMetaTool({
    name: table.nameOf("tools"),
    description: "List the tools of one adapter.",
    input: z.strictObject({
      adapter: z.string().min(1),
      category: z.string().min(1).optional(),
      search: z.string().min(1).max(2000).optional(),
      limit: z.int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT),
      offset: z.int().min(0).default(0),
    }),
    readOnly: true,
    async run({ adapter, category, search, limit, offset }) {
      const server = await table.discovery.server(adapter);
      const all = enabledOf(server);
      const filter = (tool: Tool): boolean =>
        category === undefined || toKey(categoryOf(tool, server.definition.facts) ?? "") === toKey(category);
      const matching =
        search === undefined ? all.filter(filter) : await searchIn({ server, query: search, filter }, table);
      const shown = matching.slice(offset, offset + limit);
      const categories = Object.keys(countCategories(server));
      const isFiltered = search !== undefined || category !== undefined;
      return {
        kind: "data",
        data: {
          adapter,
          total_tools: all.length,
          ...(isFiltered ? { matching: matching.length } : {}),
          ...(shown.length === all.length ? {} : { returned: shown.length, offset }),
          ...(categories.length > 0 ? { categories } : {}),
          tools: shown.map((tool) => toListed(tool, server, table)),
          next_step: toNextStep(matching.length - offset - shown.length, offset + shown.length, table),
        },
      };
    },
  });
}

interface AdapterSearch {
  readonly server: CatalogServer;
  readonly query: string;
  readonly filter: (tool: Tool) => boolean;
}

/** Searches the tools of one adapter. Returns all tools that may fit, so that the caller can apply offset and limit. */
async function searchIn(
  { server, query, filter }: AdapterSearch,
  { discovery }: GatewayTable,
): Promise<readonly Tool[]> {
  const { fit, hits, also } = await discovery.search({
    query,
    filter: (tool) => tool.server === server.definition.name && filter(tool),
    limit: Math.max(1, server.tools.length),
  });
  return fit === "none" ? [] : [...hits, ...also].map(({ tool }) => tool);
}

function toNextStep(remaining: number, next: number, { nameOf }: GatewayTable): string {
  const more = remaining > 0 ? ` ${remaining} more tools follow from offset ${next}.` : "";
  return `${nameOf("intent")} with a tool_id describes its parameters.${more}`;
}

function toListed(tool: Tool, server: CatalogServer, { operations }: GatewayTable): JsonObject {
  const { category, method, risk_level, required_params, optional_params } = operations.of(tool, server);
  return {
    tool_id: tool.id,
    description: summaryOf(tool),
    ...(category === undefined ? {} : { category }),
    ...(method === undefined ? {} : { method }),
    // A risk that is not low is the exception that a caller has to know.
    ...(risk_level === "low" ? {} : { risk_level }),
    ...(required_params.length > 0 ? { required_params } : {}),
    ...(optional_params.length > 0 ? { optional_param_count: optional_params.length } : {}),
  };
}

/** Converts a tool name to a title: `initialize-transaction` → `Initialize Transaction`. */
export function toTitle(name: string): string {
  const words = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").split(/[\s_.-]+/);
  return words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join(" ");
}
