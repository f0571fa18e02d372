import { identity } from "./merge.js";
import type { ServerEntry } from "./options.js";

/**
 * The names (as `identity` returns them) of servers that have `enabled: false` and no enabled entry of the same name.
 */
export function switchedOffNames(servers: readonly ServerEntry[]): ReadonlySet<string> {
  const namesOf = (enabled: boolean): string[] =>
    servers.filter((entry) => entry.enabled === enabled).map(({ name }) => identity(name));
  const used = new Set(namesOf(true));
  return new Set(namesOf(false).filter((name) => !used.has(name)));
}

/** The disabled entries that `anygpt mcp enable` can enable again. */
export function switchedOffEntries(servers: readonly ServerEntry[]): ServerEntry[] {
  const names = switchedOffNames(servers);
  return servers.filter(
    ({ name }, index) =>
      names.has(identity(name)) && servers.findIndex((one) => identity(one.name) === identity(name)) === index,
  );
}
