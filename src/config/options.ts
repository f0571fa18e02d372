import { z } from "zod";
import { adaptersOptions } from "../adapters/options.js";
import { auditOptions } from "../audit/options.js";
import { cacheOptions } from "../catalog/options.js";
import { executionOptions, resultOptions } from "../executor/options.js";
import { gatewayOptions, modeOptions, profileOptions } from "../metatools/options.js";
import { isJsonObject } from "../model/json.js";
import { findBadSelectors, policyOptions } from "../policy/options.js";
import { findBadPatterns, toolRulesOptions } from "../rules/options.js";
import { searchOptions } from "../search/options.js";
import { mcpServersOptions, serversOptions, sourcesOptions } from "../sources/options.js";
import { storeOptions } from "../store/options.js";
import { toolFilesOptions } from "../toolfiles/options.js";
import { httpOptions } from "../surfaces/http/options.js";
import { observabilityOptions } from "../tracing/options.js";
import { upstreamOptions } from "../upstreams/options.js";
import { type Checked, checkSchema, type SchemaViolation } from "../util/document/schema.js";

/** Schema of the whole configuration, composed of the sections of all components. */
export const configOptions = z
  .strictObject({
    $schema: z.string().optional().describe("URL of the JSON Schema, for editors. The gateway ignores it."),
    enabled: z.boolean().default(true).describe("If `false`, the gateway offers no servers and no tools."),
    servers: serversOptions,
    mcpServers: mcpServersOptions,
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
    results: resultOptions.prefault({}),
    updateNotice: z
      .boolean()
      .default(true)
      .describe(
        "Show in a terminal, at most once a day, that a newer version is available. The background gateway asks the npm registry for the newest version. The environment variable `ANYGPT_NO_UPDATE_NOTIFIER=1` also disables this check.",
      ),
  })
  .superRefine(({ servers, mcpServers = servers, adapters }, context) => {
    // An invalid section can be something else than an array here. Its error has already been reported.
    if (!Array.isArray(mcpServers) || !Array.isArray(adapters)) return;
    const names = new Set(mcpServers.map(({ name }) => name));
    for (const { name } of adapters.filter((one) => names.has(one.name))) {
      context.addIssue({ code: "custom", path: ["adapters", name], message: "has the same name as a server" });
    }
  })
  .describe("The servers, the rules that enable their tools, and the limits for calls.");

/** The validated configuration, with defaults and `mcpServers` renamed to `servers`. */
export type Config = Readonly<Omit<z.output<typeof configOptions>, "mcpServers">>;

/** Validates the gateway's section of a configuration file. Renames the key `mcpServers` to `servers`. */
export function checkConfig(section: unknown): Checked<Config> {
  const checked = checkSchema(configOptions, section);
  const bothKeys = findBothServerKeys(section);
  if (checked.kind === "violations")
    return { ...checked, violations: [...checked.violations.map(withNewName), ...bothKeys] };
  if (bothKeys.length > 0) return { kind: "violations", violations: bothKeys };
  const { mcpServers, servers, ...rest } = checked.value;
  return { kind: "ok", value: { ...rest, servers: mcpServers ?? servers } };
}

/** Keys of earlier versions and the keys that replace them. */
const RENAMED_KEYS: Readonly<Record<string, string>> = { "execution.keepResultsMs": "results.keepMs" };

function withNewName(violation: SchemaViolation): SchemaViolation {
  const newName = RENAMED_KEYS[violation.path.join(".")];
  return newName === undefined ? violation : { ...violation, reason: `was replaced by \`${newName}\`` };
}

function findBothServerKeys(section: unknown): SchemaViolation[] {
  if (!isJsonObject(section) || section["servers"] === undefined || section["mcpServers"] === undefined) return [];
  return [
    { path: ["mcpServers"], reason: "means the same as `servers`, which the configuration has too; keep one of them" },
  ];
}

const SERVER_KEYS = ["servers", "mcpServers", "sources", "adapters", "toolFiles"];

/** Whether a section does not define any servers. A key with the value null counts as missing. */
export function namesNoServers(section: unknown): boolean {
  const map = isJsonObject(section) ? section : {};
  return SERVER_KEYS.every((key) => map[key] === undefined || map[key] === null);
}

/** Finds patterns in tool rules and in the policy that do not compile. The schema does not check this. */
export async function findBadPatternsIn(value: unknown): Promise<readonly SchemaViolation[]> {
  const { toolRules, policy } = isJsonObject(value) ? value : {};
  const inRules = await findBadPatterns(toolRules);
  const inPolicy = await findBadSelectors(policy, findBadPatterns);
  return [
    ...inRules.map(({ path, reason }) => ({ path: ["toolRules", ...path], reason })),
    ...inPolicy.map(({ path, reason }) => ({ path: ["policy", ...path], reason })),
  ];
}
