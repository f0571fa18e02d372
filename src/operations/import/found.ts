import { compileServer, envFileOf } from "../../sources/compile.js";
import { type ServerCandidate, toCandidate } from "../../sources/candidate.js";
import type { ImportedServer } from "../../sources/imported.js";
import { identity, mergeServers, type MergeOutcome } from "../../sources/merge.js";
import { type ClientId, isDisablingEntry } from "../../sources/options.js";
import { previewImport, type PreviewedFile } from "../../sources/preview.js";
import type { System } from "../../sources/system.js";
import { createVariables, type Variables } from "../../config/variables.js";
import { isOwnFolder } from "../../config/locate.js";
import type { RuntimeEnvironment } from "../../gateway/runtime-environment.js";
import { createSecretReader } from "../../secrets/create-secret-reader.js";
import { dirname } from "node:path";
import { alignWith } from "./align.js";
import { withProjectFolder, reasonAgainstImport, reasonToStay } from "./staying.js";
import type { EditTarget } from "../files/target.js";

/**
 * The outcome of an import for one server. `known`: the configuration already has it. `untrusted`: its file belongs to
 * a project that is not trusted. `bound`: it works only in its project or client.
 */
export type ImportOutcome =
  | MergeOutcome
  | { readonly kind: "known"; readonly name: string }
  | { readonly kind: "untrusted" }
  | { readonly kind: "bound"; readonly reason: string };

export interface ImportCandidate {
  readonly server: ImportedServer;
  readonly outcome: ImportOutcome;
  /** Why the server must stay in the client's file although the configuration has it or could have it. */
  readonly stays?: string;
}

/** The servers of the MCP clients, compared with those of the configuration. */
export interface FoundClientServers {
  readonly files: readonly PreviewedFile[];
  readonly servers: readonly ImportCandidate[];
  /** The new servers, under their new names. */
  readonly added: readonly ServerCandidate[];
  readonly variables: Variables;
  readonly notes: readonly string[];
}

/** Reads the files of `clients`, or of all clients if the list is empty. */
export async function findClientServers(
  runtime: RuntimeEnvironment,
  system: System,
  target: EditTarget,
  clients: readonly ClientId[] = [],
): Promise<FoundClientServers> {
  const isTrusted = (path: string, bytes: Uint8Array): boolean =>
    isOwnFolder(runtime) || runtime.trust.isTrusted(path, bytes);
  const variables = createVariables({ ...runtime, admits: isTrusted });
  const { files: all } = await previewImport({
    system,
    own: runtime.own(),
    isTrusted: ({ path, bytes }) => isTrusted(path, bytes),
  });
  const files = withoutDuplicates(all).filter((file) => clients.length === 0 || clients.includes(file.location.client));
  const own = configuredCandidates(target, runtime.home);
  const unaligned = new Map<ImportedServer, ServerCandidate>();
  for (const { content, isTrusted: isUsed } of files) {
    for (const server of content.kind === "read" && isUsed ? content.servers : []) {
      if (reasonAgainst(server, target) !== undefined) continue;
      unaligned.set(server, withProjectFolder(toCandidate(server), runtime.cwd));
    }
  }
  const { env, home, elapsed } = runtime;
  const secrets = createSecretReader({ env, cwd: home, platform: process.platform, elapsed });
  const { align, notes } = await alignWith(own, [...unaligned.values()], { variables, secrets });
  const candidates = new Map([...unaligned].map(([server, candidate]) => [server, align(candidate)]));
  const { servers, outcomes } = mergeServers([own, [...candidates.values()]], runtime.own());
  const ownNames = new Set(own.map(({ definition }) => definition.name));
  const found = files.flatMap(({ content }) => (content.kind === "read" ? content.servers : []));
  const byName = new Map(servers.map((one) => [one.definition.name, one]));
  // A gateway that starts in another folder does not read the variable files of this folder.
  const anywhere = createVariables({ ...runtime, cwd: runtime.home, admits: () => false });
  const offer = { config: target.config, variables: anywhere };
  const toOutcome = (server: ImportedServer): ImportCandidate => {
    const reason = reasonAgainst(server, target);
    if (reason !== undefined) return { server, outcome: { kind: "bound", reason }, stays: reason };
    const outcome = outcomeOf(candidates.get(server), outcomes, ownNames);
    const name = outcome.kind === "duplicate" ? outcome.duplicateOf : "name" in outcome ? outcome.name : undefined;
    const ours = name === undefined ? undefined : byName.get(name);
    const stays = ours === undefined ? undefined : reasonToStay(server, { ...offer, ours });
    return { server, outcome, ...(stays === undefined ? {} : { stays }) };
  };
  return {
    files,
    servers: found.map(toOutcome),
    added: servers.filter(({ imported }) => imported !== undefined),
    variables,
    notes,
  };
}

/**
 * Why a server is not imported. One reason is an entry of the configuration that only disables the server of this name.
 */
function reasonAgainst(server: ImportedServer, { config }: EditTarget): string | undefined {
  const entry = config?.servers.find(({ name }) => identity(name) === identity(server.definition.name));
  return entry !== undefined && isDisablingEntry(entry)
    ? "your configuration has `enabled: false` for it"
    : reasonAgainstImport(server);
}

/**
 * If the working folder is the home folder, the user's own files are found as project files too. Drops these
 * duplicates.
 */
function withoutDuplicates(files: readonly PreviewedFile[]): PreviewedFile[] {
  const own = new Set(
    files.filter(({ location }) => location.scope !== "project").map(({ location }) => location.path),
  );
  return files.filter(({ location }) => location.scope !== "project" || !own.has(location.path));
}

function outcomeOf(
  candidate: ServerCandidate | undefined,
  outcomes: ReadonlyMap<ServerCandidate, MergeOutcome>,
  ownNames: ReadonlySet<string>,
): ImportOutcome {
  const outcome = candidate === undefined ? undefined : outcomes.get(candidate);
  if (outcome === undefined) return { kind: "untrusted" };
  if (outcome.kind !== "duplicate" || !ownNames.has(outcome.duplicateOf)) return outcome;
  return { kind: "known", name: outcome.duplicateOf };
}

/** The configured servers, including disabled ones, so that they are not imported a second time. */
function configuredCandidates({ config, file }: EditTarget, home: string): ServerCandidate[] {
  const paths = { home, baseDir: dirname(file), origin: file };
  const entries = (config?.servers ?? []).filter((entry) => !isDisablingEntry(entry));
  return entries.map((entry) => ({
    definition: compileServer(entry, paths),
    ...envFileOf(entry, paths),
  }));
}
