// The operations of the REST API. They only translate requests and results; the engine makes all decisions.
import { z } from "zod";
import { toDetailsAnswer, toFullAnswer } from "../../metatools/details-answer.js";
import { listCursor, toServerListAnswer } from "../../metatools/list-servers.js";
import { toolListOptions } from "../../metatools/list-tools.js";
import { toSearchAnswer } from "../../metatools/search-answer.js";
import { metaToolData } from "../../metatools/meta-tool.js";
import { searchInput } from "../../metatools/search-input.js";
import { toAnswer } from "./answer.js";
import { executeRoute } from "./execute-route.js";
import { adapterName, tool } from "./names.js";
import { describeRestStep } from "./next-steps.js";
import { defineRoute, type Route } from "./route.js";

const NO_PARAMETERS = { path: {}, query: {}, header: {} } as const;

const listedServer = z.looseObject({
  name: z.string(),
  description: z.string().optional(),
  toolCount: z.int().optional().describe("The number of the adapter's tools; omitted while they are not known."),
  enabledCount: z.int().optional().describe("The number of tools that can be called; omitted if all can."),
  status: z
    .enum(["pending", "error"])
    .optional()
    .describe(
      "Omitted if the adapter can be used. `pending`: its tools are not known yet. `error`: it cannot be used; see `reason`.",
    ),
  phase: z.enum(["queued", "installing", "starting"]).optional().describe("How far the start of a pending adapter is."),
  seconds: z.int().optional().describe("Seconds since the gateway began to start the pending adapter."),
  reason: z.string().optional().describe("Why the adapter cannot be used."),
});

const cursor = listCursor.describe("`next_cursor` of the previous page.");
const pageMembers = {
  total: z.int().optional().describe("The number of items on all pages; omitted if there is one page."),
  next_cursor: z.string().optional().describe("The cursor of the next page; omitted on the last page."),
};

/** Declares the list of servers. It has two paths, because one profile calls them servers and the other adapters. */
const listAdapters = (at: string, operationId: string): Route =>
  defineRoute({
    ...NO_PARAMETERS,
    method: "GET",
    at,
    operationId,
    summary: "List the APIs and MCP servers behind this gateway.",
    query: { cursor },
    answers: z.object({
      servers: z.array(listedServer),
      ...pageMembers,
      retry_after_seconds: z
        .int()
        .optional()
        .describe("How many seconds to wait before the next request, while adapters are pending."),
      note: z.string().optional(),
    }),
    async run({ cursor: at }, { stages }) {
      const { discovery, upstreams } = await stages();
      const upstreamState = (name: string) => upstreams.state(name);
      return toAnswer(toServerListAnswer({ discovery, upstreamState, describe: describeRestStep }, at));
    },
  });

const listTools = defineRoute({
  ...NO_PARAMETERS,
  method: "GET",
  at: "/api/adapters/{adapter}/tools",
  operationId: "listTools",
  summary: "List the tools of one adapter.",
  path: { adapter: adapterName },
  query: { ...toolListOptions, cursor, all: z.boolean().optional().describe("Also list disabled tools.") },
  answers: z.object({
    server: z.string(),
    tools: z.array(
      z.looseObject({
        name: z.string(),
        summary: z.string().optional(),
        enabled: z.literal(false).optional().describe("Only present if the tool is disabled."),
        tags: z.array(z.string()).optional(),
      }),
    ),
    ...pageMembers,
    disabled: z.int().optional().describe("The number of disabled tools that are not listed."),
    note: z.string().optional(),
  }),
  async run({ adapter: server, all = false, ...options }, { stages, context }) {
    const { metaTools } = await stages();
    const args = { server, includeDisabled: all, ...options };
    return toAnswer(await metaToolData(metaTools, "list_tools", args, context));
  },
});

const describeTool = defineRoute({
  ...NO_PARAMETERS,
  method: "GET",
  at: "/api/adapters/{adapter}/tools/{tool}",
  operationId: "describeTool",
  summary: "Describe a tool and its arguments.",
  path: { adapter: adapterName, tool },
  query: { full: z.boolean().optional().describe("Return complete texts, and the schema instead of `parameters`.") },
  answers: z.looseObject({
    server: z.string(),
    tool: z.string(),
    description: z.string().optional(),
    parameters: z.array(z.looseObject({ name: z.string(), type: z.string() })).optional(),
    cut: z.string().optional().describe("Present if descriptions are shortened."),
    risk: z.enum(["low", "medium", "high", "destructive"]),
    inputSchema: z.looseObject({}).describe("JSON Schema of the arguments."),
    outputSchema: z.looseObject({}).optional().describe("JSON Schema of the result, if the tool declares one."),
  }),
  async run({ adapter: server, tool: name, full = false }, { stages }) {
    const { discovery, policy } = await stages();
    const found = await discovery.tool(server, name);
    const { inputSchema, outputSchema } = found.definition;
    // The response always contains the complete schema, so that nothing is omitted.
    const { omitted: _omitted, ...details } = full ? toFullAnswer(found) : toDetailsAnswer(found, "Add ?full=true.");
    const risk = policy.ruling(found).risk.risk;
    return toAnswer({ ...details, risk, inputSchema, ...(outputSchema === undefined ? {} : { outputSchema }) });
  },
});

const searchTools = defineRoute({
  ...NO_PARAMETERS,
  method: "GET",
  at: "/api/search",
  operationId: "searchTools",
  summary: "Find tools on all adapters by what they do.",
  query: { q: searchInput.shape.query, server: searchInput.shape.server, limit: searchInput.shape.limit },
  answers: z.object({
    fit: z
      .enum(["good", "unsure", "none"])
      .describe("How well the results fit the query. If it is `none`, they are only the closest tools."),
    results: z.array(
      z.looseObject({
        server: z.string(),
        tool: z.string(),
        step: z.int().optional().describe("The step of the query for which this tool is the best."),
        summary: z.string(),
        relevance: z.number().min(0).max(1).optional().describe("Omitted if no tool fits."),
        tags: z.array(z.string()).optional(),
        signature: z.string().optional().describe("The parameters, for the first three hits if they are short."),
      }),
    ),
    also: z
      .record(z.string(), z.array(z.string()))
      .optional()
      .describe("Further tools that may still be right, by server."),
    note: z.string().optional(),
    pending: z
      .array(z.string())
      .optional()
      .describe("Adapters that are still starting. Their tools were not searched."),
    retry_after_seconds: z
      .int()
      .optional()
      .describe("How many seconds to wait before searching again, while adapters are pending."),
  }),
  async run({ q: query, server, limit }, { stages, context }) {
    const { discovery } = await stages();
    return toAnswer(toSearchAnswer(await discovery.search({ query, server, limit, context }), describeRestStep));
  },
});

const status = (word: string) => z.object({ status: z.literal(word) });

const health = defineRoute({
  ...NO_PARAMETERS,
  method: "GET",
  at: "/healthz",
  operationId: "health",
  summary: "Check that the gateway is running.",
  isOpen: true,
  answers: status("ok"),
  run: () => Promise.resolve(toAnswer({ status: "ok" })),
});

const readiness = defineRoute({
  ...NO_PARAMETERS,
  method: "GET",
  at: "/readyz",
  operationId: "readiness",
  summary: "Check that the gateway is ready: its configuration and catalog are loaded.",
  isOpen: true,
  answers: status("ready"),
  async run(_given, { stages }) {
    const isReady = await stages().then(
      () => true,
      () => false,
    );
    return { ...toAnswer({ status: isReady ? "ready" : "not ready" }), status: isReady ? 200 : 503 };
  },
});

export const ROUTES: readonly Route[] = [
  listAdapters("/api/servers", "listServers"),
  listAdapters("/api/adapters", "listAdapters"),
  listTools,
  describeTool,
  executeRoute,
  searchTools,
  health,
  readiness,
];
