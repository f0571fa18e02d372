import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Variables, variablesIn } from "../../config/variables.js";
import type { Config } from "../../config/options.js";
import type { ServerConnection } from "../../model/server.js";
import type { ServerCandidate } from "../../sources/candidate.js";
import type { ImportedServer } from "../../sources/imported.js";
import { type FilterRule, toToolRules } from "../../sources/tool-rules.js";

/** Why a server cannot be in the user's configuration, which applies to all folders. */
export function reasonAgainstImport(server: ImportedServer): string | undefined {
  const { origin, workspace, disabled, isGateway, definition } = server;
  if (isGateway || disabled !== undefined) return undefined;
  if (origin.scope === "local") return "it belongs to this project only";
  return origin.scope === "user" && (workspace !== undefined || wordsOf(definition.connection).some(isRelative))
    ? "it depends on the folder that the MCP client has open"
    : undefined;
}

/**
 * An MCP client starts the servers of a project in the project's folder, so the imported entry needs that folder as
 * `cwd`.
 */
export function withProjectFolder(candidate: ServerCandidate, folder: string): ServerCandidate {
  const { definition, imported } = candidate;
  const { connection } = definition;
  if (imported?.origin.scope !== "project" || connection.kind !== "stdio" || connection.cwd !== undefined) {
    return candidate;
  }
  if (!wordsOf(connection).some((word) => isRelativeTo(folder, word))) return candidate;
  return { ...candidate, definition: { ...definition, connection: { ...connection, cwd: folder } } };
}

/** Words that may be paths relative to the folder in which the server starts. */
function wordsOf(connection: ServerConnection): string[] {
  if (connection.kind !== "stdio" || connection.cwd !== undefined) return [];
  const { command, args, env } = connection;
  return [command, ...args, ...Object.values(env)].map((word) => word.replace(/^--?[\w-]+=/, ""));
}

function isRelative(path: string): boolean {
  return /^\.{1,2}(?:[\\/]|$)/.test(path);
}

const MAX_PATH_LENGTH = 1_024;

function isRelativeTo(folder: string, path: string): boolean {
  if (isRelative(path)) return true;
  const mayBePath = path !== "" && path.length <= MAX_PATH_LENGTH && !/^[-/~\\\0]/.test(path) && !path.includes("${");
  return mayBePath && existsSync(join(folder, path));
}

export interface Offer {
  /** The server's entry in the configuration, existing or planned. */
  readonly ours: ServerCandidate;
  readonly config: Config | undefined;
  /** The variables that are available in every folder. */
  readonly variables: Variables;
}

/** Why the gateway would not offer a server in the same way as the client, although the configuration has it. */
export function reasonToStay({ tools }: ImportedServer, offer: Offer): string | undefined {
  const { ours, config, variables } = offer;
  const { name, connection } = ours.definition;
  if (config?.enabled === false) return "your configuration is disabled";
  const entry = ours.imported === undefined ? config?.servers.find((one) => one.name === name) : undefined;
  if (entry?.enabled === false) return `${name} is disabled in your configuration`;
  const unset = variablesIn(connection).filter(({ name: variable, hasDefault }) => {
    const { kind } = variables.originOf(variable);
    return !hasDefault && kind !== "process" && kind !== "file";
  });
  if (unset.length > 0) {
    const names = unset.map((one) => one.name).join(", ");
    return `${names} ${unset.length === 1 ? "is" : "are"} not set for the gateway (in the environment or in ~/.ai/.env)`;
  }
  const isHidden = ours.imported !== undefined || tools === undefined || areCovered(name, tools, config);
  return isHidden ? undefined : `your toolRules do not disable the tools of ${name} that the client disables`;
}

function areCovered(name: string, tools: NonNullable<ImportedServer["tools"]>, config: Config | undefined): boolean {
  const ours = (config?.toolRules ?? []).filter(({ server, enabled }) => server === name && enabled === false);
  return toToolRules(name, tools).every((wanted) => isCovered(wanted, ours));
}

function isCovered({ pattern }: FilterRule, ours: readonly { readonly pattern: readonly string[] }[]): boolean {
  const isAllBut = pattern[0] === "*";
  if (isAllBut)
    return ours.some((rule) => rule.pattern[0] === "*" && rule.pattern.every((one) => pattern.includes(one)));
  return pattern.every((one) =>
    ours.some((rule) => rule.pattern.includes(one) || (rule.pattern[0] === "*" && !rule.pattern.includes(`!${one}`))),
  );
}
