// Comes in: what other programs have and what the person asked for; goes out: every file that would be written, with its bytes.
// Writes nothing.
import { parseConfig } from "../../config/load.js";
import { DiscoveryError } from "../../errors.js";
import type { Place } from "../../place.js";
import type { Candidate } from "../../sources/candidate.js";
import type { ClientId } from "../../sources/options.js";
import { toConfigEntry } from "../../sources/rewrite/config-entry.js";
import { type Additions, extendConfig, toSnippet } from "../../sources/rewrite/extend-config.js";
import { findSecrets } from "../../sources/rewrite/secrets.js";
import type { System } from "../../sources/system.js";
import { toToolRules } from "../../sources/tool-rules.js";
import { type ClientRewrite, planRewrites } from "./client-rewrites.js";
import { type Found, findServers } from "./found.js";
import type { Keychain } from "../../secrets/keychain.js";
import { planKeychain } from "./keychain-secrets.js";
import { type MovedSecrets, moveSecrets } from "./secret-variables.js";
import type { Target } from "../files/target.js";
import type { Write } from "../files/write.js";

export interface PlannedSecret {
  readonly server: string;
  readonly where: string;
}

export interface Plan {
  readonly target: Target;
  readonly found: Found;
  /** Servers that come into our configuration, by the names that they get there. */
  readonly added: readonly string[];
  readonly rewrites: readonly ClientRewrite[];
  /** In the order in which they must be made: no server leaves a client's file before our configuration has it. */
  readonly writes: readonly Write[];
  /** Secrets that will stand in our configuration as they are. */
  readonly copiedSecrets: readonly PlannedSecret[];
  /** Variables that come into `~/.ai/.env`. */
  readonly movedSecrets: readonly string[];
  /** Entries that come into the keychain: names and values. */
  readonly keychainEntries: ReadonlyMap<string, string>;
  /** Variables that a printed snippet needs and that are nowhere yet. */
  readonly unsetSecrets: readonly string[];
  /** For a configuration that is a program: what the person has to add to it. */
  readonly snippet?: string;
  readonly notes: readonly string[];
}

export interface PlanParts {
  readonly place: Place;
  readonly system: System;
  readonly target: Target;
  /** The clients whose files are to be rewritten. */
  readonly clients: readonly ClientId[];
  /** Where secrets in clear go: `keep` leaves them in clear. */
  readonly secrets: SecretsPlace;
  /** Opened only where secrets go into it. */
  readonly keychain: () => Keychain;
}

export type SecretsPlace = "keychain" | "env" | "keep";

export async function planImport({ place, system, target, clients, secrets, keychain }: PlanParts): Promise<Plan> {
  const found = await findServers(place, system, target);
  const isPrinted = target.format === "program" && found.added.length > 0;
  const stored = secrets === "keychain" ? await planKeychain(found.added, keychain()) : undefined;
  const remaining = stored?.servers ?? found.added;
  const toVariables = secrets === "env" || isPrinted;
  const moved = toVariables ? await moveSecrets(remaining, found.variables, place.home) : undefined;
  const servers = moved?.servers ?? remaining;
  const keychainEntries = stored?.added ?? new Map<string, string>();
  const additions = toAdditions(servers);
  const added = servers.map(({ definition }) => definition.name);
  const config =
    added.length === 0 || isPrinted
      ? []
      : [{ ...(await configWrite(target, additions)), ...keychainOf(keychainEntries) }];
  const variables = moved !== undefined && secrets === "env" ? variablesWrite(moved) : [];
  // Nothing may leave a client's file before the person has added it to the program.
  const rewrites = isPrinted ? [] : await planRewrites(found, { clients, system, target });
  return {
    target,
    found,
    added,
    rewrites,
    writes: [...variables, ...config, ...rewrites.flatMap(({ write }) => write ?? [])],
    copiedSecrets: secretsIn(servers),
    movedSecrets: secrets === "env" ? (moved?.names ?? []) : [],
    keychainEntries,
    unsetSecrets: secrets === "env" ? [] : (moved?.names ?? []),
    ...(isPrinted ? { snippet: toSnippet(additions) } : {}),
    notes: [...(added.length === 0 ? [] : target.notes), ...found.notes],
  };
}

function keychainOf(entries: ReadonlyMap<string, string>): Pick<Write, "keychain"> {
  return entries.size === 0 ? {} : { keychain: [...entries.keys()] };
}

function variablesWrite({ file, before, after, names }: MovedSecrets): Write[] {
  if (names.length === 0) return [];
  const what = `gets ${names.join(", ")}`;
  return [{ role: "variables", path: file, before, after, sections: [], mode: 0o600, what }];
}

export function toAdditions(servers: readonly Candidate[]): Additions {
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

export function secretsIn(servers: readonly Candidate[]): PlannedSecret[] {
  return servers.flatMap(({ definition: { name, connection } }) =>
    findSecrets(connection, name).map(({ where }) => ({ server: name, where })),
  );
}

/** The configuration with the new servers in it, checked as the gateway will check it. */
async function configWrite(target: Target, additions: Additions): Promise<Write> {
  const { file, bytes, isShared } = target;
  const format = target.format === "yaml" ? "yaml" : "json";
  const extended = await extendConfig({ bytes, format, isShared }, additions);
  if (extended.kind === "refused") {
    throw new DiscoveryError("CONFIGURATION_ERROR", `${file} ${extended.reason}, so nothing was added to it.`, {
      hint: "Write its servers on lines of their own, or name another file with --config.",
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
    // Other programs' files hold secrets, so this one may.
    mode: 0o600,
    what: `gets ${count}: ${names.join(", ")}`,
  };
}
