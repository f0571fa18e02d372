import { z } from "zod";
import { auditOptions } from "../audit/options.js";
import { cacheOptions } from "../catalog/options.js";
import { executionOptions } from "../executor/options.js";
import { isJsonObject } from "../model/json.js";
import { findBadPatterns, toolRulesOptions } from "../rules/options.js";
import { searchOptions } from "../search/options.js";
import { serversOptions, sourcesOptions } from "../sources/options.js";
import { upstreamOptions } from "../upstreams/options.js";
import type { Violation } from "../util/document/schema.js";

/** The whole configuration: every stage's own section, composed. */
export const configOptions = z
  .strictObject({
    $schema: z.string().optional().describe("Address of the JSON Schema, for editors. Not used otherwise."),
    enabled: z.boolean().default(true).describe("`false` offers no servers and no tools."),
    servers: serversOptions,
    sources: sourcesOptions,
    toolRules: toolRulesOptions,
    search: searchOptions,
    cache: cacheOptions.prefault({}),
    audit: auditOptions
      .refine(({ file }) => file?.includes("${") !== true, {
        path: ["file"],
        error: "variables are not replaced here; write the path out",
      })
      .prefault({}),
    upstreams: upstreamOptions.prefault({}),
    execution: executionOptions.prefault({}),
  })
  .describe("Which servers there are, which of their tools exist, and within what limits they are used.");

/** The configuration as the stages read it: checked, defaults filled in, frozen. */
export type Config = Readonly<z.output<typeof configOptions>>;

/** What is wrong beyond the schema: patterns of rules that do not compile. */
export async function findHiddenFaults(value: unknown): Promise<readonly Violation[]> {
  const bad = await findBadPatterns(isJsonObject(value) ? value["toolRules"] : undefined);
  return bad.map(({ path, reason }) => ({ path: ["toolRules", ...path], reason }));
}
