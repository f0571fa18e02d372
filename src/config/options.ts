import { z } from "zod";
import { auditOptions } from "../audit/options.js";
import { cacheOptions } from "../catalog/options.js";
import { executionOptions } from "../executor/options.js";
import { toolRulesOptions } from "../rules/options.js";
import { searchOptions } from "../search/options.js";
import { serversOptions, sourcesOptions } from "../sources/options.js";
import { upstreamOptions } from "../upstreams/options.js";

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
    audit: auditOptions.prefault({}),
    upstreams: upstreamOptions.prefault({}),
    execution: executionOptions.prefault({}),
  })
  .describe("Which servers there are, which of their tools exist, and within what limits they are used.");

/** The configuration as the stages read it: checked, defaults filled in, frozen. */
export type Config = Readonly<z.output<typeof configOptions>>;
