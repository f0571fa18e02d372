// Types of the configuration as a user writes it. For the package, scripts/package/config-types.mjs generates the same
// types without zod, because programs that use the library may not have zod installed.
import type { z } from "zod";
import type { configOptions } from "./options.js";

export type DiscoveryConfig = z.input<typeof configOptions>;
export type MCPServerConfig = Exclude<NonNullable<DiscoveryConfig["servers"]>, readonly unknown[]>[string];
export type ConfigSource = Exclude<NonNullable<DiscoveryConfig["sources"]>, string>[number];
export type ToolRule = NonNullable<DiscoveryConfig["toolRules"]>[number];
export type CacheConfig = NonNullable<DiscoveryConfig["cache"]>;
