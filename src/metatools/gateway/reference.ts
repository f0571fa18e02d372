import { z } from "zod";
import type { CatalogServer } from "../../catalog/snapshot.js";
import { DiscoveryError } from "../../errors.js";
import type { JsonObject } from "../../model/json.js";
import type { Tool } from "../../model/tool.js";
import { nearestNames } from "../../search/nearest.js";
import { describeServer } from "../describe-server.js";
import { defineMetaTool, type MetaTool } from "../meta-tool.js";
import { summaryOf } from "../metadata.js";
import { type Authentication, describeAuthentication, titleOf } from "./adapter-facts.js";
import { enabledOf } from "./adapters.js";
import { CONCEPT_NAMES, describeConcept } from "./concepts.js";
import { splitId } from "./registry-comparison.js";
import { toErrorMap } from "./error-map.js";
import type { GatewayTable } from "./parts.js";
import { toConstraints } from "./ready.js";
import { toTitle } from "./tools.js";

const SECTIONS = ["overview", "authentication", "examples", "errors", "webhooks", "best_practices", "all"] as const;
type Section = (typeof SECTIONS)[number];

export function gatewayReference(table: GatewayTable): MetaTool {
  return defineMetaTool({
    name: table.nameOf("reference"),
    description: "Get authentication, errors, examples and safe usage of an adapter, tool or concept.",
    input: z.strictObject({
      topic: z.string().min(1).describe("Adapter, tool_id or concept such as idempotency"),
      section: z.enum(SECTIONS).optional(),
    }),
    readOnly: true,
    async run({ topic, section = "all" }) {
      return { kind: "data", data: await describeTopic(topic.trim(), section, table) };
    },
  });
}

/**
 * Describes an adapter, a tool or a concept. If an adapter and a concept have the same name, the adapter is described,
 * because an operator configured it.
 */
async function describeTopic(topic: string, section: Section, table: GatewayTable): Promise<JsonObject> {
  const { servers, tools } = table.snapshot();
  const adapter = servers.get(topic);
  if (adapter !== undefined) return describeAdapter(adapter, section, table);
  const concept = describeConcept(topic, { policy: table.policy.options, nameOf: table.nameOf });
  const known = tools.get(topic);
  if (known === undefined && concept !== undefined) {
    const next_step = `Use ${table.nameOf("intent")} with your task.`;
    return { topic: concept.name, type: "concept", ...concept.content, next_step };
  }
  if (known === undefined && !topic.includes(":")) throw unknownTopic(topic, table);
  const { server, name } = splitId(topic, servers);
  const tool = await table.discovery.tool(server, name);
  if (!tool.enabled) throw unknownTopic(topic, table);
  return describeOperation(tool, section, table);
}

function unknownTopic(topic: string, { discovery, nameOf }: GatewayTable): DiscoveryError {
  const names = discovery.servers().map(({ definition }) => definition.name);
  const near = nearestNames(topic, [...names, ...CONCEPT_NAMES]);
  const guess = near.length > 0 ? `Did you mean ${near.join(" or ")}? ` : "";
  return new DiscoveryError("INVALID_REQUEST", `No adapter, tool or concept is named "${topic}".`, {
    hint: `${guess}Pass the name of an adapter (${nameOf("adapters")} lists all adapters), a tool_id, or one of these concepts: ${CONCEPT_NAMES.join(", ")}.`,
    facts: { nearest: near },
  });
}

/** Returns the requested section. "all" omits webhooks, because the gateway does not support them. */
function pick(section: Section, sections: Readonly<Partial<Record<Section, JsonObject>>>): JsonObject {
  if (section === "all") {
    const { webhooks: _webhooks, ...rest } = sections;
    return Object.assign({}, ...Object.values(rest)) as JsonObject;
  }
  return sections[section] ?? {};
}

const MAX_EXAMPLES = 2;

function describeAdapter(server: CatalogServer, section: Section, table: GatewayTable): JsonObject {
  const { name, facts, connection } = server.definition;
  const { documentation } = facts ?? {};
  const authentication = describeAuthentication(connection);
  const tools = enabledOf(server);
  const shown = tools.filter(({ operation }) => operation?.example !== undefined);
  const examples = [...new Set([...shown, ...tools])].slice(0, MAX_EXAMPLES);
  const { description } = describeServer(server, table.upstreamState(name), table.describeStep);
  return {
    topic: name,
    type: "adapter",
    ...pick(section, {
      overview: { overview: { name: titleOf(server), description, ...linkTo(documentation) } },
      authentication: { authentication: toShown(authentication) },
      examples: { examples: examples.map((tool) => toExample(tool, server, table)) },
      errors: { common_errors: toErrorMap({}, authentication.variables) },
      webhooks: aboutWebhooks(documentation),
      best_practices: { best_practices: toSafeUse(tools, server, table) },
    }),
    next_step: `Use ${table.nameOf("intent")} with your task and adapter "${name}".`,
  };
}

function describeOperation(tool: Tool, section: Section, table: GatewayTable): JsonObject {
  const server = table.snapshot().servers.get(tool.server);
  const operation = table.operations.of(tool, server);
  const { method, path } = operation;
  const documentation = tool.operation?.documentation ?? server?.definition.facts?.documentation;
  const authentication: Authentication =
    server === undefined ? { type: "none", variables: [] } : describeAuthentication(server.definition.connection);
  return {
    topic: tool.id,
    type: "tool",
    ...pick(section, {
      overview: {
        overview: {
          name: tool.definition.title ?? toTitle(tool.name),
          description: summaryOf(tool),
          ...(method === undefined ? {} : { method, path }),
          ...(tool.operation?.deprecated === true ? { deprecated: true } : {}),
          ...linkTo(documentation),
          constraints: toConstraints(tool, operation, table.policy),
        },
      },
      authentication: { authentication: toShown(authentication) },
      examples: { examples: [toExample(tool, server, table)] },
      errors: { common_errors: toErrorMap(tool.operation?.errors ?? {}, authentication.variables) },
      webhooks: aboutWebhooks(documentation),
      best_practices: { best_practices: toSafeUse([tool], server, table) },
    }),
    next_step: `Use ${table.nameOf("intent")} with query "${tool.id}" to get the tool's parameters, then ${table.nameOf("execute")} to run the tool.`,
  };
}

function toShown({ type, header, variables }: Authentication): JsonObject {
  return {
    type,
    ...(header === undefined ? {} : { header }),
    ...(variables.length === 0 ? {} : { env_var: variables.join(", ") }),
  };
}

function linkTo(documentation: string | undefined): { documentation?: string } {
  return documentation === undefined ? {} : { documentation };
}

function aboutWebhooks(documentation: string | undefined): JsonObject {
  const where = documentation === undefined ? "the documentation of the API" : documentation;
  return { webhooks: `The gateway does not receive webhooks. To use them, see ${where}.` };
}

function toExample(tool: Tool, server: CatalogServer | undefined, { operations }: GatewayTable): JsonObject {
  return {
    title: tool.definition.title ?? toTitle(tool.name),
    tool_id: tool.id,
    request: operations.of(tool, server).example_request,
  };
}

/** Returns advice on how to use the tools safely under the current policy. */
function toSafeUse(tools: readonly Tool[], server: CatalogServer | undefined, table: GatewayTable): string[] {
  const operations = tools.map((tool) => table.operations.of(tool, server));
  const keyed = operations.filter((one) => one.idempotency_required).length;
  const confirmed = operations.filter((one) => one.confirmation_required).length;
  const which = (count: number): string => (tools.length === 1 ? "It" : `${count} of ${tools.length} tools`);
  const verb = (count: number): string => (tools.length === 1 || count === 1 ? "needs" : "need");
  return [
    keyed === 0
      ? undefined
      : `${which(keyed)} ${verb(keyed)} options.idempotency_key; reuse the same key when you repeat a call.`,
    confirmed === 0 ? undefined : `${which(confirmed)} ${verb(confirmed)} a confirmation by the user.`,
    "options.dry_run reports what a call would do without sending it.",
  ].filter((line) => line !== undefined);
}
