import { z } from "zod";
import { adaptersOptions } from "../adapters/options.js";
import { auditOptions } from "../audit/options.js";
import { cacheOptions } from "../catalog/options.js";
import { executionOptions } from "../executor/options.js";
import { gatewayOptions, modeOptions, profileOptions } from "../metatools/options.js";
import { isJsonObject } from "../model/json.js";
import { findBadSelectors, policyOptions } from "../policy/options.js";
import { findBadPatterns, toolRulesOptions } from "../rules/options.js";
import { searchOptions } from "../search/options.js";
import { serversOptions, sourcesOptions } from "../sources/options.js";
import { storeOptions } from "../store/options.js";
import { toolFilesOptions } from "../toolfiles/options.js";
import { httpOptions } from "../surfaces/http/options.js";
import { observabilityOptions } from "../tracing/options.js";
import { upstreamOptions } from "../upstreams/options.js";
import type { Violation } from "../util/document/schema.js";

/** The whole configuration: every stage's own section, composed. */
export const configOptions = z
  .strictObject({
    $schema: z.string().optional().describe("Address of the JSON Schema, for editors. Not used otherwise."),
    enabled: z.boolean().default(true).describe("`false` offers no servers and no tools."),
    servers: serversOptions,
    sources: sourcesOptions,
    adapters: adaptersOptions,
    toolFiles: toolFilesOptions.prefault({}),
    toolRules: toolRulesOptions,
    policy: policyOptions.prefault({}),
    search: searchOptions,
    cache: cacheOptions.prefault({}),
    audit: auditOptions.prefault({}),
    store: storeOptions,
    profile: profileOptions,
    mode: modeOptions,
    gateway: gatewayOptions,
    http: httpOptions.prefault({}),
    observability: observabilityOptions.prefault({}),
    upstreams: upstreamOptions.prefault({}),
    execution: executionOptions.prefault({}),
  })
  .superRefine(({ servers, adapters }, context) => {
    // What is wrong in itself was not read, and is told already.
    if (!Array.isArray(servers) || !Array.isArray(adapters)) return;
    const names = new Set(servers.map(({ name }) => name));
    for (const { name } of adapters.filter((one) => names.has(one.name))) {
      context.addIssue({ code: "custom", path: ["adapters", name], message: "has the name of a server" });
    }
  })
  .describe("Which servers there are, which of their tools exist, and within what limits they are used.");

/** The configuration as the stages read it: checked, defaults filled in, frozen. */
export type Config = Readonly<z.output<typeof configOptions>>;

/** What is wrong beyond the schema: patterns of rules and of the policy that do not compile. */
export async function findHiddenFaults(value: unknown): Promise<readonly Violation[]> {
  const { toolRules, policy } = isJsonObject(value) ? value : {};
  const inRules = await findBadPatterns(toolRules);
  const inPolicy = await findBadSelectors(policy, findBadPatterns);
  return [
    ...inRules.map(({ path, reason }) => ({ path: ["toolRules", ...path], reason })),
    ...inPolicy.map(({ path, reason }) => ({ path: ["policy", ...path], reason })),
  ];
}
