// What a person or an agent should know though nothing has failed.
import { describeUntrusted, type LoadedConfig } from "./config/load.js";
import { variablesIn, type Variables } from "./config/variables.js";
import type { DiscoveryError } from "./errors.js";
import type { ServerDefinition } from "./model/server.js";
import type { Collected } from "./sources/collect.js";
import { describeProblem } from "./util/document/problem.js";

export function noticesOf(loaded: LoadedConfig, collected: Collected, variables: Variables): readonly string[] {
  return [
    ...loaded.untrusted.map(describeUntrusted),
    ...loaded.notices,
    ...collected.notices,
    ...collected.problems.map(describeProblem),
    ...variables.notices(),
    ...barredNotices(collected.servers, variables),
  ];
}

/** What whoever asks for the list of servers should know of those that are missing from it. */
export function notesFor(loaded: LoadedConfig, { sources }: Collected, failure: DiscoveryError | undefined): string[] {
  const files = [...loaded.untrusted, ...sources.flatMap(({ status, path }) => (status === "untrusted" ? [path] : []))];
  return [
    ...(files.length === 0
      ? []
      : [`Not used until a person trusts it with \`anygpt mcp config trust\`: ${files.join(", ")}.`]),
    ...(failure === undefined
      ? []
      : [`The configuration was changed but is wrong; the one before is in force. ${failure.message}`]),
  ];
}

/** Variables that servers need and that only files set which nobody has trusted. */
function barredNotices(servers: readonly ServerDefinition[], variables: Variables): string[] {
  const barred = new Map<string, Set<string>>();
  for (const { name } of servers.flatMap(({ connection }) => variablesIn(connection))) {
    const origin = variables.originOf(name);
    if (origin.kind === "barred") barred.set(origin.file, (barred.get(origin.file) ?? new Set()).add(name));
  }
  return [...barred].map(
    ([file, names]) =>
      `${file} sets ${[...names].join(", ")}, but is not used, because nobody has trusted it: look at it, then run \`anygpt mcp config trust\`.`,
  );
}
