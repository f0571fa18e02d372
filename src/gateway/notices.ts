// Messages for the user or an agent that are not errors.
import { describeUntrusted, type LoadedConfig } from "../config/load.js";
import { variablesIn, type Variables } from "../config/variables.js";
import type { DiscoveryError } from "../errors.js";
import type { ServerDefinition } from "../model/server.js";
import type { Collected } from "../sources/collect.js";
import { describeProblem } from "../util/document/problem.js";

export function noticesOf(loaded: LoadedConfig, collected: Collected, variables: Variables): readonly string[] {
  return [
    ...untrustedFiles(loaded, collected).map(describeUntrusted),
    ...loaded.notices,
    ...importNotes(loaded, collected),
    ...collected.notices,
    ...collected.problems.map(describeProblem),
    ...variables.notices(),
    ...untrustedNotices(collected.servers, variables),
  ];
}

/** Notes that are shown with the list of servers and say why servers may be missing. */
export function notesFor(loaded: LoadedConfig, collected: Collected, failure: DiscoveryError | undefined): string[] {
  const files = untrustedFiles(loaded, collected);
  const broken = collected.sources.flatMap(({ status, path }) => (status === "broken" ? [path] : []));
  return [
    ...(loaded.origin === "nested" ? loaded.notices : []),
    ...importNotes(loaded, collected),
    ...(broken.length === 0 ? [] : [`These files could not be read: ${broken.join(", ")}.`]),
    ...(files.length === 0
      ? []
      : [
          `These files are not used until the user reviews and trusts them with \`anygpt mcp config trust\`: ${files.join(", ")}.`,
        ]),
    ...(failure === undefined
      ? []
      : [`The changed configuration is invalid, so the previous one stays active. ${failure.message}`]),
  ];
}

/**
 * The project files that are not used because the user has not trusted them. Includes configuration files of MCP
 * clients.
 */
export function untrustedFiles(loaded: LoadedConfig, { untrusted }: Collected): readonly string[] {
  return [...loaded.untrusted, ...untrusted.map(({ file }) => file)];
}

/** Returns a note that says where the servers come from, if the configuration names neither servers nor sources. */
export function importNotes(loaded: LoadedConfig, { sources, servers: all }: Collected): string[] {
  if (!loaded.isImplicit) return [];
  const { file } = loaded;
  const why =
    file === undefined ? "Without a configuration file" : `Because ${file} names neither \`servers\` nor \`sources\``;
  const used = sources.filter(({ servers }) => servers > 0);
  // All servers come from tool files, which need no configuration, so there is nothing to explain.
  if (used.length === 0 && all.length > 0) return [];
  if (used.length === 0) {
    const without =
      file === undefined ? "There is no configuration file" : `${file} names neither \`servers\` nor \`sources\``;
    return [`${without}, and no MCP servers were found in the configurations of other programs.`];
  }
  const servers = used.reduce((sum, source) => sum + source.servers, 0);
  const programs = [...new Set(used.map(({ type }) => type))].join(", ");
  const skipped = sources.flatMap((source) => source.skipped ?? []);
  const duplicates = skipped.filter(({ kind }) => kind === "duplicate").length;
  const omitted = [
    ...(duplicates === 0 ? [] : [`${duplicates} duplicate${duplicates === 1 ? "" : "s"}`]),
    ...(skipped.some(({ kind }) => kind === "gateway") ? ["this gateway itself"] : []),
  ];
  const omittedText = omitted.length === 0 ? "" : `; omitted: ${omitted.join(", ")}`;
  const what = servers === 1 ? "1 server" : `${servers} servers`;
  const clients = new Set(used.map(({ type }) => type));
  const from = clients.size === 1 ? programs : `${clients.size} clients (${programs})`;
  return [
    `${why}, ${what} from ${from} ${servers === 1 ? "is" : "are"} used${omittedText}. \`anygpt mcp config sources\` shows more.`,
  ];
}

/** Returns a notice for each untrusted file that sets variables which servers need. */
function untrustedNotices(servers: readonly ServerDefinition[], variables: Variables): string[] {
  const untrusted = new Map<string, Set<string>>();
  for (const { name } of servers.flatMap(({ connection }) => variablesIn(connection))) {
    const origin = variables.originOf(name);
    if (origin.kind === "untrusted") untrusted.set(origin.file, (untrusted.get(origin.file) ?? new Set()).add(name));
  }
  return [...untrusted].map(
    ([file, names]) =>
      `${file} sets ${[...names].join(", ")}, but is not used, because it is not trusted yet. Review it, then run \`anygpt mcp config trust\`.`,
  );
}
