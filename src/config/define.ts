import type { DiscoveryConfig } from "./discovery-config.js";

/** A configuration file that the gateway shares with other programs. The gateway reads only the section `discovery`. */
export interface SharedConfig {
  readonly discovery: DiscoveryConfig;
  readonly [section: string]: unknown;
}

/**
 * Returns its argument unchanged. Use it in a TypeScript or JavaScript configuration file, so that the editor completes
 * keys, shows their documentation and reports unknown ones.
 */
export function defineConfig(value: DiscoveryConfig): DiscoveryConfig;
export function defineConfig(value: SharedConfig): SharedConfig;
export function defineConfig(value: DiscoveryConfig | SharedConfig): DiscoveryConfig | SharedConfig {
  return value;
}

/** The same function as `defineConfig`, under the name that `anygpt.config.ts` uses. */
export const config: typeof defineConfig = defineConfig;
