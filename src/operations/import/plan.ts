// Plans an import: every file to write, with its content. Writes nothing.
import { passingClient } from "../../gateway/connections/inherited-environment.js";
import { parseConfig } from "../../config/load.js";
import { DiscoveryError } from "../../errors.js";
import type { RuntimeEnvironment } from "../../gateway/runtime-environment.js";
import type { ServerCandidate } from "../../sources/candidate.js";
import type { ClientId } from "../../sources/options.js";
import { toConfigEntry } from "../../sources/rewrite/config-entry.js";
import { type Additions, extendConfig, toSnippet } from "../../sources/rewrite/extend-config.js";
import { findSecrets } from "../../util/plain-secrets.js";
import type { System } from "../../sources/system.js";
import { toToolRules } from "../../sources/tool-rules.js";
import { type ClientRewrite, planRewrites } from "./client-rewrites.js";
import { type FoundClientServers, findClientServers } from "./found.js";
import type { Keychain } from "../../secrets/keychain.js";
import { planKeychain } from "./keychain-secrets.js";
import { type MovedSecrets, moveSecrets } from "./secret-variables.js";
import { findStart, type ProgramCopy } from "./program-copy.js";
import type { EditTarget } from "../files/target.js";
import type { Write } from "../files/write.js";

/** A secret of an imported server, and where it will be stored. */
export interface PlannedSecret {
  readonly server: string;
  readonly where: string;
}

export interface ImportPlan {
  readonly target: EditTarget;
  readonly found: FoundClientServers;
  /** Servers to add to the configuration, by their new names. */
  readonly added: readonly string[];
  readonly rewrites: readonly ClientRewrite[];
  /**
   * The files to write, in this order: the configuration contains a server before it is removed from a client's file.
   */
  readonly writes: readonly Write[];
  /** The copy of this program that the clients' files will refer to. It is made before they are written. */
  readonly copy?: ProgramCopy;
  /** Secrets that the configuration will contain in clear text. */
  readonly copiedSecrets: readonly PlannedSecret[];
  /** Variables to add to `~/.ai/.env`. */
  readonly movedSecrets: readonly string[];
  /** Entries to add to the keychain: names and values. */
  readonly keychainEntries: ReadonlyMap<string, string>;
  /** Variables that the printed snippet uses and that are not set anywhere. */
  readonly unsetSecrets: readonly string[];
  /** The text that the user must add to a configuration that is a JavaScript or TypeScript module. */
  readonly snippet?: string;
  readonly notes: readonly string[];
}

export interface ImportPlanParts {
  readonly runtime: RuntimeEnvironment;
  readonly system: System;
  readonly target: EditTarget;
  /** The clients whose files are rewritten. */
  readonly clients: readonly ClientId[];
  /** Where clear-text secrets are written. `keep`: to the configuration, in clear text. */
  readonly secrets: SecretsPlace;
  /** Opens the keychain. Called only if secrets are written to it. */
  readonly keychain: () => Keychain;
}

/** Where `importServers` stores secrets. */
export type SecretsPlace = "keychain" | "env" | "keep";

export async function planImport({
  runtime,
  system,
  target,
  clients,
  secrets,
  keychain,
}: ImportPlanParts): Promise<ImportPlan> {
  const found = await findClientServers(runtime, system, target, clients);
  const isPrinted = target.format === "program" && found.added.length > 0;
  const stored = secrets === "keychain" ? await planKeychain(found.added, keychain()) : undefined;
  const remaining = stored?.servers ?? found.added;
  const toVariables = secrets === "env" || isPrinted;
  const moved = toVariables ? await moveSecrets(remaining, found.variables, runtime.home) : undefined;
  const servers = moved?.servers ?? remaining;
  const keychainEntries = stored?.added ?? new Map<string, string>();
  const additions = toAdditions(servers);
  const added = servers.map(({ definition }) => definition.name);
  const config =
    added.length === 0 || isPrinted
      ? []
      : [{ ...(await configWrite(target, additions)), ...keychainOf(keychainEntries) }];
  const variables = moved !== undefined && secrets === "env" ? variablesWrite(moved) : [];
  // If the configuration is a module, servers must remain in the client's file until the user has added them to the
  // module.
  const { start, copy } = findStart(runtime.own(), runtime.stateFolder);
  const rewrites = isPrinted ? [] : await planRewrites(found, { clients, system, target, start });
  return {
    target,
    found,
    added,
    rewrites,
    writes: [...variables, ...config, ...rewrites.flatMap(({ write }) => write ?? [])],
    ...copyFor(rewrites, copy),
    copiedSecrets: importedSecrets(servers),
    movedSecrets: secrets === "env" ? (moved?.names ?? []) : [],
    keychainEntries,
    unsetSecrets: secrets === "env" ? [] : (moved?.names ?? []),
    ...(isPrinted ? { snippet: toSnippet(additions) } : {}),
    notes: [...(added.length === 0 ? [] : target.notes), ...found.notes, ...environmentNotes(servers)],
  };
}

/** The copy, if a client's file gets an entry that starts it. */
export function copyFor(
  rewrites: readonly ClientRewrite[],
  copy: ProgramCopy | undefined,
): { readonly copy?: ProgramCopy } {
  return copy === undefined || rewrites.every(({ write }) => write === undefined) ? {} : { copy };
}

/** Names the servers that their MCP client started with its whole environment, which the gateway does not do. */
export function environmentNotes(servers: readonly ServerCandidate[]): string[] {
  const names = new Map<string, string[]>();
  for (const { definition, imported } of servers) {
    const { connection, name } = definition;
    const client = passingClient(imported?.origin.client);
    if (connection.kind !== "stdio" || connection.inheritEnv !== undefined || client === undefined) continue;
    names.set(client, [...(names.get(client) ?? []), name]);
  }
  return [...names].map(
    ([client, named]) =>
      `${client} passes its whole environment to ${named.join(", ")}; the gateway passes only the variables in \`env\`. ` +
      "If a server needs another variable, add its name to `inheritEnv` of the server.",
  );
}

function keychainOf(entries: ReadonlyMap<string, string>): Pick<Write, "keychain"> {
  return entries.size === 0 ? {} : { keychain: [...entries.keys()] };
}

function variablesWrite({ file, before, after, names }: MovedSecrets): Write[] {
  if (names.length === 0) return [];
  const what = `gets ${names.join(", ")}`;
  return [{ role: "variables", path: file, before, after, sections: [], mode: 0o600, what }];
}

export function toAdditions(servers: readonly ServerCandidate[]): Additions {
  return {
    servers: servers.map(({ definition, envFile }) => ({
      name: definition.name,
      entry: toConfigEntry(definition, envFile),
    })),
    toolRules: servers.flatMap(({ definition, tools }) =>
      tools === undefined ? [] : toToolRules(definition.name, tools),
    ),
  };
}

export function importedSecrets(servers: readonly ServerCandidate[]): PlannedSecret[] {
  return servers.flatMap(({ definition: { name, connection } }) =>
    findSecrets(connection, name).map(({ where }) => ({ server: name, where })),
  );
}

/** Plans the configuration file with the new servers. Throws if the result is not a valid configuration. */
async function configWrite(target: EditTarget, additions: Additions): Promise<Write> {
  const { file, bytes, isShared } = target;
  const format = target.format === "yaml" ? "yaml" : "json";
  const extended = await extendConfig({ bytes, format, isShared }, additions);
  if (extended.kind === "refused") {
    throw new DiscoveryError("CONFIGURATION_ERROR", `${file} ${extended.reason}, so nothing was added to it.`, {
      hint: "Write each server on a separate line, or name another file with --config.",
    });
  }
  parseConfig(extended.value, file);
  const names = additions.servers.map(({ name }) => name);
  const count = `${names.length} server${names.length === 1 ? "" : "s"}`;
  return {
    role: "config",
    path: file,
    before: bytes,
    after: extended.bytes,
    sections: [],
    // The file may contain secrets that were copied from the clients' files.
    mode: 0o600,
    what: `gets ${count}: ${names.join(", ")}`,
  };
}
