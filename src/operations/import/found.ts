import { compileServer, envFileOf } from "../../sources/compile.js";
import { type Candidate, toCandidate } from "../../sources/candidate.js";
import type { ImportedServer } from "../../sources/imported.js";
import { identity, mergeServers, type Outcome } from "../../sources/merge.js";
import { isSwitch } from "../../sources/options.js";
import { previewImport, type PreviewedFile } from "../../sources/preview.js";
import type { System } from "../../sources/system.js";
import { createVariables, type Variables } from "../../config/variables.js";
import { isOwnFolder } from "../../config/locate.js";
import type { Place } from "../../place.js";
import { createSecretReader } from "../../secrets/create-secret-reader.js";
import { dirname } from "node:path";
import { alignWith } from "./align.js";
import { inItsFolder, reasonAgainstImport, reasonToStay } from "./staying.js";
import type { Target } from "../files/target.js";

/**
 * `known`: our configuration has it already. `untrusted`: it came with the project, and nobody has trusted that file.
 * `bound`: it is not for everywhere.
 */
export type Fate =
  | Outcome
  | { readonly kind: "known"; readonly name: string }
  | { readonly kind: "untrusted" }
  | { readonly kind: "bound"; readonly reason: string };

export interface FoundServer {
  readonly server: ImportedServer;
  readonly fate: Fate;
  /** Why it must not go from the client's file, though our configuration has it or could have it. */
  readonly stays?: string;
}

/** Everything that other programs have, held against what our configuration has already. */
export interface Found {
  readonly files: readonly PreviewedFile[];
  readonly servers: readonly FoundServer[];
  /** Those that are new, under the names that they get. */
  readonly added: readonly Candidate[];
  readonly variables: Variables;
  readonly notes: readonly string[];
}

export async function findServers(place: Place, system: System, target: Target): Promise<Found> {
  const isTrusted = (path: string, bytes: Uint8Array): boolean =>
    isOwnFolder(place) || place.trust.isTrusted(path, bytes);
  const variables = createVariables({ ...place, admits: isTrusted });
  const { files: all } = await previewImport({
    system,
    own: place.own(),
    isTrusted: ({ path, bytes }) => isTrusted(path, bytes),
  });
  const files = withoutTwins(all);
  const own = ownServers(target, place.home);
  const asFound = new Map<ImportedServer, Candidate>();
  for (const { content, isTrusted: isUsed } of files) {
    for (const server of content.kind === "read" && isUsed ? content.servers : []) {
      if (reasonAgainst(server, target) !== undefined) continue;
      asFound.set(server, inItsFolder(toCandidate(server), place.cwd));
    }
  }
  const { env, home, elapsed } = place;
  const secrets = createSecretReader({ env, cwd: home, platform: process.platform, elapsed });
  const { align, notes } = await alignWith(own, [...asFound.values()], { variables, secrets });
  const candidates = new Map([...asFound].map(([server, candidate]) => [server, align(candidate)]));
  const { servers, outcomes } = mergeServers([own, [...candidates.values()]], place.own());
  const ownNames = new Set(own.map(({ definition }) => definition.name));
  const found = files.flatMap(({ content }) => (content.kind === "read" ? content.servers : []));
  const byName = new Map(servers.map((one) => [one.definition.name, one]));
  // A gateway that is started elsewhere does not see the variables of this folder.
  const anywhere = createVariables({ ...place, cwd: place.home, admits: () => false });
  const offer = { config: target.config, variables: anywhere };
  const settled = (server: ImportedServer): FoundServer => {
    const against = reasonAgainst(server, target);
    if (against !== undefined) return { server, fate: { kind: "bound", reason: against }, stays: against };
    const fate = fateOf(candidates.get(server), outcomes, ownNames);
    const name = fate.kind === "duplicate" ? fate.duplicateOf : "name" in fate ? fate.name : undefined;
    const ours = name === undefined ? undefined : byName.get(name);
    const stays = ours === undefined ? undefined : reasonToStay(server, { ...offer, ours });
    return { server, fate, ...(stays === undefined ? {} : { stays }) };
  };
  return {
    files,
    servers: found.map(settled),
    added: servers.filter(({ imported }) => imported !== undefined),
    variables,
    notes,
  };
}

/** A server that the configuration only switches off has no entry to be compared with, and its name is taken. */
function reasonAgainst(server: ImportedServer, { config }: Target): string | undefined {
  const entry = config?.servers.find(({ name }) => identity(name) === identity(server.definition.name));
  return entry !== undefined && isSwitch(entry)
    ? "your configuration has `enabled: false` for it"
    : reasonAgainstImport(server);
}

/** In the home folder a person's own files look as if they had come with a project, too. */
function withoutTwins(files: readonly PreviewedFile[]): PreviewedFile[] {
  const own = new Set(files.filter(({ place }) => place.scope !== "project").map(({ place }) => place.path));
  return files.filter(({ place }) => place.scope !== "project" || !own.has(place.path));
}

function fateOf(
  candidate: Candidate | undefined,
  outcomes: ReadonlyMap<Candidate, Outcome>,
  ownNames: ReadonlySet<string>,
): Fate {
  const outcome = candidate === undefined ? undefined : outcomes.get(candidate);
  if (outcome === undefined) return { kind: "untrusted" };
  if (outcome.kind !== "duplicate" || !ownNames.has(outcome.duplicateOf)) return outcome;
  return { kind: "known", name: outcome.duplicateOf };
}

/** Those that are switched off are there as well: they are not imported a second time. */
function ownServers({ config, file }: Target, home: string): Candidate[] {
  const places = { home, baseDir: dirname(file), origin: file };
  const entries = (config?.servers ?? []).filter((entry) => !isSwitch(entry));
  return entries.map((entry) => ({
    definition: compileServer(entry, places),
    ...envFileOf(entry, places),
  }));
}
