// Types of the configuration as a user writes it. The build writes the same types out without zod, which programs that
// use the library do not have installed (scripts/package/config-types.mjs).
import type { z } from "zod";
import type { configOptions } from "./options.js";

export type DiscoveryConfig = z.input<typeof configOptions>;
export type MCPServerConfig = Exclude<NonNullable<DiscoveryConfig["servers"]>, readonly unknown[]>[string];
export type ConfigSource = Exclude<NonNullable<DiscoveryConfig["sources"]>, string>[number];
export type ToolRule = NonNullable<DiscoveryConfig["toolRules"]>[number];
export type CacheConfig = NonNullable<DiscoveryConfig["cache"]>;
