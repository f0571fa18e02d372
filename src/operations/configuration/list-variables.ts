import { variablesOf } from "../../config/template.js";
import { referencesIn, type VariableOrigin, variablesIn } from "../../config/variables.js";
import type { DiscoveryEngine } from "../../engine.js";
import { DiscoveryError } from "../../errors.js";
import { passingClient } from "../../gateway/connections/inherited-environment.js";
import type { Stages } from "../../gateway/stages.js";

/** The variables and secrets that the configured servers need. Contains no values. */
export interface NeededEnvironment {
  readonly variables: readonly ReferencedVariable[];
  readonly secrets: readonly NeededSecret[];
  readonly environment: GivenEnvironment;
  /** The variable files that the gateway reads. */
  readonly files: readonly string[];
  readonly notices: readonly string[];
}

/** Lists the variables and secrets that the servers need, and where each variable comes from. Reads no secret. */
export async function listVariables(engine: DiscoveryEngine): Promise<NeededEnvironment> {
  const stages = await engine.stages();
  return {
    variables: findNeeded(stages),
    secrets: findReferences(stages),
    environment: findInheritance(stages),
    files: stages.variables.files,
    notices: stages.variables.notices(),
  };
}

/** One variable that the configuration refers to, without its value. */
export interface ReferencedVariable {
  readonly name: string;
  /** `default`: the variable is not set and not needed, for example because its reference has a default value. */
  readonly status: "set" | "default" | "missing";
  /** `environment`, or the path of the file that sets the variable. Null if it is not set. */
  readonly from: string | null;
  /** A file that sets the variable but is ignored, because the user has not trusted it. */
  readonly untrusted?: string;
  readonly hasDefault: boolean;
  /** The description of the variable in a tool file. */
  readonly description?: string;
  /** The names of servers, and `source TYPE` for a source whose path contains the variable. */
  readonly neededBy: readonly string[];
}

interface Use {
  readonly description?: string | undefined;
  readonly hasDefault: boolean;
  readonly isMissing: boolean;
  readonly user: string;
}

function findNeeded(stages: Stages): ReferencedVariable[] {
  const uses = new Map<string, Use[]>();
  const add = (name: string, use: Use): void => void uses.set(name, [...(uses.get(name) ?? []), use]);
  for (const { name: server, connection, needs = [] } of stages.configuredServers.servers) {
    const missing = missingOf(server, stages);
    for (const { name, hasDefault } of variablesIn(connection)) {
      const description = needs.find((need) => need.name === name)?.description;
      add(name, { hasDefault, isMissing: missing.has(name), user: server, description });
    }
  }
  for (const { type, path } of stages.config.sources === "all" ? [] : stages.config.sources) {
    for (const { name, hasDefault } of variablesOf(path ?? "")) {
      const isMissing = !hasDefault && !isSet(stages.variables.originOf(name));
      add(name, { hasDefault, isMissing, user: `source ${type}` });
    }
  }
  return [...uses]
    .map(([name, all]) => toNeeded(name, all, originOf(name, stages)))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * The unset variables that a server needs. Found by resolving the connection, because `${A:-${B}}` needs B only if A is
 * not set.
 */
function missingOf(server: string, { resolveConnection }: Stages): ReadonlySet<unknown> {
  try {
    resolveConnection(server).withoutSecrets();
    return new Set();
  } catch (error) {
    const names = error instanceof DiscoveryError ? error.facts["variables"] : undefined;
    return new Set(Array.isArray(names) ? (names as unknown[]) : []);
  }
}

/** Where a variable is set. A variable that is set only for tool files counts as set. */
function originOf(name: string, { variables, toolFileVariables }: Stages): VariableOrigin {
  const origin = variables.originOf(name);
  return isSet(origin) ? origin : toolFileVariables.originOf(name);
}

function isSet({ kind }: VariableOrigin): boolean {
  return kind === "process" || kind === "file";
}

function toNeeded(name: string, uses: readonly Use[], origin: VariableOrigin): ReferencedVariable {
  const isMissing = uses.some((use) => use.isMissing);
  const description = uses.find((use) => use.description !== undefined)?.description;
  return {
    name,
    status: isSet(origin) ? "set" : isMissing ? "missing" : "default",
    from: origin.kind === "process" ? "environment" : origin.kind === "file" ? origin.file : null,
    ...(origin.kind === "untrusted" ? { untrusted: origin.file } : {}),
    hasDefault: uses.every(({ hasDefault }) => hasDefault),
    ...(description === undefined ? {} : { description }),
    neededBy: [...new Set(uses.map(({ user }) => user))],
  };
}

/** A reference to a secret in the configuration. The secret is not read. */
export interface NeededSecret {
  readonly reference: string;
  readonly neededBy: readonly string[];
}

function findReferences({ configuredServers }: Stages): NeededSecret[] {
  const users = new Map<string, string[]>();
  for (const { name, connection } of configuredServers.servers) {
    for (const text of referencesIn(connection)) users.set(text, [...(users.get(text) ?? []), name]);
  }
  return [...users].map(([text, neededBy]) => ({ reference: `\${${text}}`, neededBy }));
}

/** The environment variables that server processes inherit in addition to the built-in list of safe variables. */
export interface GivenEnvironment {
  readonly inherited: readonly { readonly server: string; readonly inheritEnv: readonly string[] }[];
  /** MCP clients that pass their whole environment to these servers. The gateway does not. */
  readonly withheld: readonly { readonly client: string; readonly servers: readonly string[] }[];
}

function findInheritance({ configuredServers, config }: Stages): GivenEnvironment {
  const inherited: { server: string; inheritEnv: readonly string[] }[] = [];
  const withheld = new Map<string, string[]>();
  for (const { name, connection } of configuredServers.servers) {
    if (connection.kind !== "stdio") continue;
    const { inheritEnv = config.upstreams.inheritEnv } = connection;
    if (inheritEnv.length > 0) inherited.push({ server: name, inheritEnv });
    const client = passingClient(configuredServers.origins.get(name)?.client);
    if (client !== undefined && !inheritEnv.includes("*"))
      withheld.set(client, [...(withheld.get(client) ?? []), name]);
  }
  return { inherited, withheld: [...withheld].map(([client, servers]) => ({ client, servers })) };
}
