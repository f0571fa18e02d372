import { identity } from "./merge.js";
import type { ServerEntry } from "./options.js";

/** The names, as `identity` gives them, of servers that the configuration has with `enabled: false` and not also without. */
export function switchedOffNames(servers: readonly ServerEntry[]): ReadonlySet<string> {
  const namesOf = (enabled: boolean): string[] =>
    servers.filter((entry) => entry.enabled === enabled).map(({ name }) => identity(name));
  const used = new Set(namesOf(true));
  return new Set(namesOf(false).filter((name) => !used.has(name)));
}
