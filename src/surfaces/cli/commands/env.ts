import type { Stages } from "../../../compose.js";
import { referencesIn, type VariableOrigin, variablesIn } from "../../../config/variables.js";
import { passingClient } from "../../../inheritance.js";
import { variablesOf } from "../../../config/template.js";
import { DiscoveryError, ERRORS } from "../../../errors.js";
import type { Handler } from "../command.js";
import { BAD, blocks, bold, count, dim, GOOD, line, type Line, WARNING } from "../lines.js";
import { withEngine } from "../session.js";

export const env: Handler = (input, context) =>
  withEngine(context, async (engine) => {
    const stages = await engine.stages();
    const variables = await findNeeded(stages);
    const notices = stages.variables.notices();
    const secrets = findReferences(stages);
    const environment = findInheritance(stages);
    if (context.isJson) context.json({ variables, secrets, environment, files: stages.variables.files, notices });
    else {
      context.show(blocks([variableLines(variables), secretLines(secrets), environmentLines(environment)]));
      context.note(notices.map((notice) => line(0, WARNING, ` ${notice}`)));
    }
    const isComplete = variables.every(({ status }) => status !== "missing");
    return isComplete || !input.flag("check") ? 0 : ERRORS.CONFIGURATION_ERROR.exit;
  });

/** One variable that the configuration refers to. Its value is nobody's business here. */
export interface NeededVariable {
  readonly name: string;
  /** `default`: it is not set, and does not need to be. */
  readonly status: "set" | "default" | "missing";
  /** `environment`, or the file that sets it; null when nothing does. */
  readonly from: string | null;
  /** A file that sets it and is not used, because nobody has trusted it. */
  readonly untrusted?: string;
  readonly hasDefault: boolean;
  /** What is known of it. */
  readonly description?: string;
  /** The servers, and the sources with their type, that need it. */
  readonly neededBy: readonly string[];
}

interface Use {
  readonly description?: string | undefined;
  readonly hasDefault: boolean;
  readonly isMissing: boolean;
  readonly user: string;
}

async function findNeeded(stages: Stages): Promise<NeededVariable[]> {
  const uses = new Map<string, Use[]>();
  const add = (name: string, use: Use): void => void uses.set(name, [...(uses.get(name) ?? []), use]);
  for (const { name: server, connection, needs = [] } of stages.collected.servers) {
    const missing = await missingOf(server, stages);
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

/** A variable inside a default is needed only where the one before it is not set: whoever resolves it all knows. */
async function missingOf(server: string, { target }: Stages): Promise<ReadonlySet<unknown>> {
  try {
    target(server).written();
    return new Set();
  } catch (error) {
    const names = error instanceof DiscoveryError ? error.facts["variables"] : undefined;
    return new Set(Array.isArray(names) ? (names as unknown[]) : []);
  }
}

/** What only tool files may use is set for them. */
function originOf(name: string, { variables, filed }: Stages): VariableOrigin {
  const origin = variables.originOf(name);
  return isSet(origin) ? origin : filed.originOf(name);
}

function isSet({ kind }: VariableOrigin): boolean {
  return kind === "process" || kind === "file";
}

function toNeeded(name: string, uses: readonly Use[], origin: VariableOrigin): NeededVariable {
  const isMissing = uses.some((use) => use.isMissing);
  const description = uses.find((use) => use.description !== undefined)?.description;
  return {
    name,
    status: isSet(origin) ? "set" : isMissing ? "missing" : "default",
    from: origin.kind === "process" ? "environment" : origin.kind === "file" ? origin.file : null,
    ...(origin.kind === "barred" ? { untrusted: origin.file } : {}),
    hasDefault: uses.every(({ hasDefault }) => hasDefault),
    ...(description === undefined ? {} : { description }),
    neededBy: [...new Set(uses.map(({ user }) => user))],
  };
}

/** A reference to where a secret is kept. It is not read for this. */
interface NeededSecret {
  readonly reference: string;
  readonly neededBy: readonly string[];
}

function findReferences({ collected }: Stages): NeededSecret[] {
  const users = new Map<string, string[]>();
  for (const { name, connection } of collected.servers) {
    for (const text of referencesIn(connection)) users.set(text, [...(users.get(text) ?? []), name]);
  }
  return [...users].map(([text, neededBy]) => ({ reference: `\${${text}}`, neededBy }));
}

function secretLines(secrets: readonly NeededSecret[]): Line[] {
  if (secrets.length === 0) return [];
  return [
    line(0, bold(`Secrets kept elsewhere (${secrets.length})`), ":"),
    ...secrets.map(({ reference, neededBy }) =>
      line(2, dim("-"), " ", bold(reference), ` (needed by ${neededBy.join(", ")})`),
    ),
  ];
}

/** What the programs of servers get of this environment beside the safe set. */
interface GivenEnvironment {
  readonly inherited: readonly { readonly server: string; readonly inheritEnv: readonly string[] }[];
  /** Programs that give these servers their whole environment, which the gateway does not. */
  readonly withheld: readonly { readonly client: string; readonly servers: readonly string[] }[];
}

function findInheritance({ collected, config }: Stages): GivenEnvironment {
  const inherited: { server: string; inheritEnv: readonly string[] }[] = [];
  const withheld = new Map<string, string[]>();
  for (const { name, connection } of collected.servers) {
    if (connection.kind !== "stdio") continue;
    const { inheritEnv = config.upstreams.inheritEnv } = connection;
    if (inheritEnv.length > 0) inherited.push({ server: name, inheritEnv });
    const client = passingClient(collected.origins.get(name)?.client);
    if (client !== undefined && !inheritEnv.includes("*"))
      withheld.set(client, [...(withheld.get(client) ?? []), name]);
  }
  return { inherited, withheld: [...withheld].map(([client, servers]) => ({ client, servers })) };
}

function environmentLines({ inherited, withheld }: GivenEnvironment): Line[] {
  return [
    ...inherited.map(({ server, inheritEnv }) => line(0, bold(server), ` inherits ${inheritEnv.join(", ")}.`)),
    ...withheld.map(({ client, servers }) =>
      line(
        0,
        `${client} gives ${servers.join(", ")} its whole environment; the gateway gives them what their \`env\` names. ` +
          "If one lacks a variable, name it in `inheritEnv` of the server or in `upstreams.inheritEnv`.",
      ),
    ),
  ];
}

const MARKS = { set: GOOD, default: dim("-"), missing: BAD } as const;

function variableLines(variables: readonly NeededVariable[]): Line[] {
  if (variables.length === 0) return [line(0, "No server needs a variable.")];
  const missing = variables.filter(({ status }) => status === "missing").length;
  return blocks([
    [line(0, bold(`Environment variables (${variables.length})`), ":")],
    variables.flatMap((one) => [
      line(2, MARKS[one.status], " ", bold(one.name), `: ${describe(one)}`),
      ...(one.description === undefined || one.status === "set" ? [] : [line(6, one.description)]),
    ]),
    missing === 0 ? [] : [line(0, `${count(missing, "variable")} missing: the servers that need it cannot be used.`)],
  ]);
}

function describe({ status, from, untrusted, neededBy }: NeededVariable): string {
  const where = {
    set: `from ${from === "environment" ? "the environment" : from}`,
    default: "not set, has a default",
    missing: "not set",
  };
  const barred =
    untrusted === undefined ? "" : `, but ${untrusted} would set it; run \`anygpt mcp config trust\` to use it`;
  return `${where[status]}${barred} (needed by ${neededBy.join(", ")})`;
}
