// What can be asked over HTTP, each thing declared once. It translates: every decision is the engine's.
import { z } from "zod";
import { describeServer } from "../../metatools/describe-server.js";
import { toDetailsAnswer, toListedServer, toSearchAnswer } from "../../metatools/discovery-profile.js";
import { searchInput } from "../../metatools/search-input.js";
import type { JsonObject } from "../../model/json.js";
import { traceMeta } from "../../tracing/trace-context.js";
import { toAnswer } from "./answer.js";
import { executeTool } from "./execute-route.js";
import { adapter, tool } from "./names.js";
import { inWordsOfRest } from "./problem.js";
import { defineRoute, type Route, type RouteRequest } from "./route.js";

const NOTHING = { path: {}, query: {}, header: {} } as const;

const listedServer = z.looseObject({
  name: z.string(),
  description: z.string().optional(),
  toolCount: z.int().describe("All tools that it offers."),
  enabledCount: z.int().optional().describe("How many of them can be called; left out when all can."),
  status: z.enum(["connected", "disconnected", "error"]),
  pending: z.literal(true).optional().describe("It is being asked for its tools for the first time."),
  phase: z.enum(["queued", "installing", "starting"]).optional().describe("How far a pending adapter is."),
  seconds: z.int().optional().describe("How long a pending adapter has been in it."),
  known: z.literal(false).optional().describe("Its tools are not known."),
  reason: z.string().optional().describe("Why it could not be reached."),
});

/** The same list under both names: to one profile they are servers, to the other adapters. */
const listAdapters = (at: string, operationId: string): Route =>
  defineRoute({
    ...NOTHING,
    method: "GET",
    at,
    operationId,
    summary: "List the APIs and MCP servers behind this gateway.",
    answers: z.object({ servers: z.array(listedServer) }),
    async run(_given, { stages }) {
      const { discovery, upstreams } = await stages();
      const starts = new Map(discovery.starts().map((start) => [start.name, start]));
      const servers = discovery.servers().map((one) => {
        const { name } = one.definition;
        const summary = describeServer(one, upstreams.state(name));
        return toListedServer(summary, { isLong: false, start: starts.get(name) });
      });
      return toAnswer({ servers });
    },
  });

const listTools = defineRoute({
  ...NOTHING,
  method: "GET",
  at: "/api/adapters/{adapter}/tools",
  operationId: "listTools",
  summary: "List the tools of one adapter.",
  path: { adapter },
  query: { all: z.boolean().optional().describe("Disabled tools too.") },
  answers: z.object({
    server: z.string(),
    tools: z.array(
      z.looseObject({
        name: z.string(),
        summary: z.string(),
        enabled: z.boolean(),
        tags: z.array(z.string()).optional(),
      }),
    ),
    disabled: z.int().optional().describe("How many are not shown."),
  }),
  async run({ adapter: server, all = false }, request) {
    return toAnswer(await ask("list_tools", { server, includeDisabled: all }, request));
  },
});

const describeTool = defineRoute({
  ...NOTHING,
  method: "GET",
  at: "/api/adapters/{adapter}/tools/{tool}",
  operationId: "describeTool",
  summary: "Describe a tool and its arguments.",
  path: { adapter, tool },
  answers: z.looseObject({
    server: z.string(),
    tool: z.string(),
    description: z.string(),
    parameters: z.array(z.looseObject({ name: z.string(), type: z.string() })),
    risk: z.enum(["low", "medium", "high", "destructive"]),
    inputSchema: z.looseObject({}).describe("JSON Schema of the arguments."),
    outputSchema: z.looseObject({}).optional().describe("JSON Schema of the result, where the tool states it."),
  }),
  async run({ adapter: server, tool: name }, { stages }) {
    const { discovery, policy } = await stages();
    const found = await discovery.tool(server, name);
    const { inputSchema, outputSchema } = found.definition;
    // The whole schema stands beside it, so there is no need to point to where it can be read.
    const { full: _elsewhere, omitted: _cut, ...details } = toDetailsAnswer(found);
    const risk = policy.ruling(found).risk.risk;
    return toAnswer({ ...details, risk, inputSchema, ...(outputSchema === undefined ? {} : { outputSchema }) });
  },
});

const searchTools = defineRoute({
  ...NOTHING,
  method: "GET",
  at: "/api/search",
  operationId: "searchTools",
  summary: "Find tools on all adapters by what they do.",
  query: { q: searchInput.shape.query, server: searchInput.shape.server, limit: searchInput.shape.limit },
  answers: z.object({
    results: z.array(
      z.looseObject({
        server: z.string(),
        tool: z.string(),
        summary: z.string(),
        relevance: z.number().min(0).max(1),
        tags: z.array(z.string()).optional(),
        signature: z.string().optional(),
      }),
    ),
    more: z.int().optional().describe("How many more fit."),
    note: z.string().optional(),
    pending: z.array(z.string()).optional().describe("Adapters that have not answered yet."),
    retry_after_seconds: z.int().optional().describe("When to search again, while adapters are pending."),
  }),
  async run({ q: query, server, limit }, { stages, incoming }) {
    const { discovery } = await stages();
    const meta = traceMeta(incoming.headers);
    const { note, ...found } = toSearchAnswer(await discovery.search({ query, server, limit, meta }));
    return toAnswer({ ...found, ...(note === undefined ? {} : { note: inWordsOfRest(note) }) });
  },
});

const status = (word: string) => z.object({ status: z.literal(word) });

const health = defineRoute({
  ...NOTHING,
  method: "GET",
  at: "/healthz",
  operationId: "health",
  summary: "Whether the gateway answers at all.",
  isOpen: true,
  answers: status("ok"),
  run: () => Promise.resolve(toAnswer({ status: "ok" })),
});

const readiness = defineRoute({
  ...NOTHING,
  method: "GET",
  at: "/readyz",
  operationId: "readiness",
  summary: "Whether the gateway takes calls: its configuration and its catalog are read.",
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
  executeTool,
  searchTools,
  health,
  readiness,
];

/** What an agent gets from the meta-tool of that name. */
async function ask(name: string, args: JsonObject, { stages, actor, signal }: RouteRequest): Promise<JsonObject> {
  const { metaTools } = await stages();
  const metaTool = metaTools.find((one) => one.name === name);
  if (metaTool === undefined) throw new TypeError(`There is no meta-tool ${name}.`);
  const answer = await metaTool.run(args, { actor, signal });
  return answer.kind === "data" ? answer.data : { ...answer.result };
}
