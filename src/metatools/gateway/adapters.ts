import { z } from "zod";
import type { CatalogServer } from "../../catalog/snapshot.js";
import type { PendingServer } from "../../catalog/starts.js";
import type { JsonObject } from "../../model/json.js";
import type { Tool } from "../../model/tool.js";
import { categoryOf } from "../../registry/operation.js";
import { toKey } from "../../search/tokenize.js";
import { describeServer } from "../describe-server.js";
import { defineMetaTool, type MetaTool } from "../meta-tool.js";
import { describeAuthentication, describeStatus, titleOf } from "./adapter-facts.js";
import type { GatewayTable } from "./parts.js";
import { isSameCountry } from "./countries-and-currencies.js";

const text = z.string().min(1);
const filters = z.strictObject({
  category: text.optional().describe("payments, infrastructure, analytics, storage, communication, … or all"),
  capability: text.optional(),
  country: text.optional(),
});

/**
 * With more adapters than this, the list has only a brief description of each. An agent can request the details of one
 * adapter, or search by task.
 */
const MANY_ADAPTERS = 30;
const MAX_ADAPTERS = 200;
const MAX_OPERATIONS = 2;
const MAX_CATEGORIES = 6;

export function gatewayAdapters(table: GatewayTable): MetaTool {
  return defineMetaTool({
    name: table.nameOf("adapters"),
    description: "List service adapters and their capabilities.",
    input: filters,
    readOnly: true,
    async run(given) {
      const servers = table.discovery.servers();
      const found = servers.filter((server) => matchesFilters(server, given));
      const starts = new Map(table.discovery.starts().map((start) => [start.name, start]));
      const describe = found.length > MANY_ADAPTERS ? describeBriefly : describeAdapter;
      const more = found.length - MAX_ADAPTERS;
      return {
        kind: "data",
        data: {
          total: found.length,
          ...(Object.keys(given).length > 0 ? { filters_applied: given } : {}),
          adapters: found
            .slice(0, MAX_ADAPTERS)
            .map((server) => describe(server, table, starts.get(server.definition.name))),
          ...(more > 0 ? { more } : {}),
          next_step: toNextStep(found.length, servers.length, table),
        },
      };
    },
  });
}

function toNextStep(found: number, all: number, { nameOf }: GatewayTable): string {
  if (all === 0) return "No adapter is configured. The operator of the gateway can add one to its configuration.";
  if (found === 0)
    return `No adapter matches. Call ${nameOf("adapters")} without filters: not every adapter declares the properties that the filters use.`;
  return `Use ${nameOf("intent")} with your task, or ${nameOf("tools")} to explore an adapter.`;
}

function matchesFilters(server: CatalogServer, given: z.output<typeof filters>): boolean {
  const { facts } = server.definition;
  const { category, capability, country } = given;
  const isListed = (wanted: string, words: readonly string[]): boolean =>
    words.some((word) => toKey(word) === toKey(wanted));
  if (category !== undefined && category !== "all") {
    const known = [facts?.category ?? "", ...Object.keys(countCategories(server))];
    if (!isListed(category, known)) return false;
  }
  if (capability !== undefined && !isListed(capability, facts?.capabilities ?? [])) return false;
  return country === undefined || (facts?.countries ?? []).some((listed) => isSameCountry(country, listed));
}

function describeBriefly(
  server: CatalogServer,
  { upstreamState, describeStep }: GatewayTable,
  start: PendingServer | undefined,
): JsonObject {
  const { name, facts } = server.definition;
  return {
    id: name,
    ...toName(server),
    ...(facts?.category === undefined ? {} : { category: facts.category }),
    tool_count: enabledOf(server).length,
    ...describeStatus(server, upstreamState(name), start, describeStep),
  };
}

/** Describes an adapter. Members without content are omitted. */
function describeAdapter(server: CatalogServer, table: GatewayTable, start: PendingServer | undefined): JsonObject {
  const { name, facts, connection } = server.definition;
  const state = table.upstreamState(name);
  const tools = enabledOf(server);
  const { description } = describeServer(server, state, table.describeStep);
  const title = toName(server);
  const categories = Object.entries(countCategories(server)).slice(0, MAX_CATEGORIES);
  const operations = tools.slice(0, MAX_OPERATIONS).map(({ id }) => id);
  const { type: auth } = describeAuthentication(connection);
  return {
    id: name,
    ...title,
    ...(description === "" || description === title.name ? {} : { description }),
    ...(facts?.category === undefined ? {} : { category: facts.category }),
    ...unlessEmpty("capabilities", facts?.capabilities),
    ...unlessEmpty("supported_countries", facts?.countries),
    ...unlessEmpty("supported_currencies", facts?.currencies),
    tool_count: tools.length,
    ...(categories.length > 0 ? { tool_categories: Object.fromEntries(categories) } : {}),
    ...(auth === "none" ? {} : { auth_type: auth }),
    ...describeStatus(server, state, start, table.describeStep),
    ...(connection.kind === "rest" ? unlessEmpty("common_operations", operations) : {}),
  };
}

/** The title of an adapter, if it has one that is not its id. */
function toName(server: CatalogServer): { readonly name?: string } {
  const title = titleOf(server);
  return title === server.definition.name ? {} : { name: title };
}

function unlessEmpty(name: string, list: readonly string[] = []): JsonObject {
  return list.length > 0 ? { [name]: list } : {};
}

export function enabledOf({ tools }: CatalogServer): Tool[] {
  return tools.filter((tool) => tool.enabled);
}

/** Counts the tools in each category, largest category first. */
export function countCategories(server: CatalogServer): Record<string, number> {
  const counts = new Map<string, number>();
  for (const tool of enabledOf(server)) {
    const category = categoryOf(tool, server.definition.facts);
    if (category !== undefined) counts.set(category, (counts.get(category) ?? 0) + 1);
  }
  return Object.fromEntries([...counts].sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1)));
}
