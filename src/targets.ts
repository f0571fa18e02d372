// Names of servers come in, what to open a connection with goes out: as the configuration in force has it.
import { assertShown } from "./catalog/quarantine.js";
import type { Snapshot } from "./catalog/snapshot.js";
import { type ReadReference, referencesOf, variablesOf } from "./config/template.js";
import { type NoteValue, referencesIn, resolveConnection, type Variables } from "./config/variables.js";
import { DiscoveryError } from "./errors.js";
import { LOCAL_ACTOR } from "./model/actor.js";
import type { Connection, ServerDefinition, VariableNeed } from "./model/server.js";
import type { Tool } from "./model/tool.js";
import type { CompiledRules } from "./rules/compile.js";
import { decide } from "./rules/decide.js";
import { explain } from "./rules/explain.js";
import { findSecrets } from "./sources/rewrite/secrets.js";
import type { Inheritance } from "./inheritance.js";
import type { SecretReader } from "./secrets/create-secret-reader.js";
import { identityOf } from "./upstreams/identity.js";
import type { UpstreamTarget } from "./upstreams/types.js";

/** For an actor who is not the person at this machine a remote server has a connection of its own, with its own session and sign-in. */
export type FindTarget = (server: string, actorId?: string) => Target;

export interface Target extends UpstreamTarget {
  readonly identity: () => string;
  /** The connection with its variables replaced and its references to secrets as they are written: nothing is asked for them. */
  readonly written: () => Connection;
}

export interface TargetVariables {
  readonly variables: Variables;
  /** Those of servers that tool files describe. */
  readonly filed: Variables;
  /** Whether no variable may stand where every user of this machine can read it. */
  readonly isStrict?: boolean;
  /** What programs inherit of the environment, and what they may miss. */
  readonly inheritance?: Inheritance;
  /** Reads what references such as `${keychain:NAME}` stand for. */
  readonly secrets?: SecretReader;
}

export function createTargets(servers: () => Snapshot["servers"], given: TargetVariables): FindTarget {
  return (name, actorId = LOCAL_ACTOR) => {
    const known = servers().get(name);
    const definition = known?.definition;
    if (definition === undefined) {
      throw new DiscoveryError("SERVER_NOT_FOUND", `The server "${name}" is not configured any more.`, {
        server: name,
        hint: "list_mcp_servers names all servers.",
      });
    }
    const era = known?.record?.era;
    const variables = definition.isFixed === true ? given.filed : given.variables;
    const references = referencesIn(definition.connection);
    const complete = (noteSecret: NoteValue | undefined, read: ReadReference): Connection => {
      if (given.isStrict === true) assertUnseen(definition);
      if (references.length > 0) assertOwn(definition, references);
      const connection = resolveNeeds(definition, variables, { onValue: noteSecret, read });
      const completed = given.inheritance?.complete(name, connection) ?? connection;
      const inherited = given.inheritance?.secretsIn(completed) ?? [];
      for (const secret of [...writtenSecrets(connection, name), ...inherited]) {
        variables.note(secret);
        noteSecret?.(secret);
      }
      return completed;
    };
    const written = (): Connection => complete(undefined, (reference) => `\${${reference}}`);
    return {
      name,
      written,
      identity: () => identityOf(written()),
      connection(noteSecret) {
        if (references.length === 0) return complete(noteSecret, noValue);
        // What is wrong besides is told before anything is asked.
        written();
        return readAll(references, given.secrets).then((values) => {
          for (const value of values.values()) {
            variables.note(value);
            noteSecret?.(value);
          }
          return complete(noteSecret, (reference) => values.get(reference) ?? noValue(reference));
        });
      },
      ...(era === undefined ? {} : { eraHint: era }),
      ...(actorId === LOCAL_ACTOR || !isRemote(definition) ? {} : { actor: actorId }),
    };
  };
}

async function readAll(references: readonly string[], secrets: SecretReader | undefined): Promise<Map<string, string>> {
  const values = new Map<string, string>();
  // One after the other: each may ask the person something.
  for (const reference of references) values.set(reference, (await secrets?.read(reference)) ?? noValue(reference));
  return values;
}

function noValue(reference: string): never {
  throw new DiscoveryError("CONFIGURATION_ERROR", `\${${reference}} cannot be read here.`);
}

/** Whoever writes a reference makes the gateway run a program and hand a secret of the person to a server. */
function assertOwn({ name, origin, isOwn }: ServerDefinition, [first]: readonly string[]): void {
  if (isOwn === true) return;
  throw new DiscoveryError(
    "CONFIGURATION_ERROR",
    `\${${first}} is not read for ${name}: ${origin} is not your own configuration.`,
    {
      hint: "Move the server into ~/.anygpt/mcp-discovery.config.json or a file given by --config, or use a variable, as ${NAME}.",
      facts: { reference: `\${${first}}` },
      server: name,
    },
  );
}

/** A program that was started is one for all who use this gateway. */
function isRemote({ connection }: ServerDefinition): boolean {
  return connection.kind === "http" || connection.kind === "sse";
}

/** Told of every value of a variable, and knows those of references. */
interface Values {
  readonly onValue: NoteValue | undefined;
  readonly read: ReadReference;
}

/** Whoever has to set a variable is told what it is for. */
function resolveNeeds(
  { name, connection, needs = [] }: ServerDefinition,
  variables: Variables,
  values: Values,
): Connection {
  try {
    return assertSendable(resolveWhatCan(withoutUnset(connection, needs, variables), variables, values), name);
  } catch (error) {
    const missing = error instanceof DiscoveryError ? (error.facts["variables"] as readonly string[] | undefined) : [];
    const told = needs.filter((need) => missing?.includes(need.name));
    if (!(error instanceof DiscoveryError) || told.length === 0) throw error;
    const what = told.map((need) => `${need.name} (${need.description})`).join(" and ");
    throw new DiscoveryError("CONFIGURATION_ERROR", `${name} needs ${what}, which is not set.`, {
      hint: told.some((need) => variables.originOf(need.name).kind === "barred")
        ? error.hint
        : `Put ${told.map((need) => `${need.name}=…`).join(" and ")} into .ai/.env, or into ~/.ai/.env for all projects.`,
      facts: error.facts,
      server: name,
    });
  }
}

/** They say nothing that not everybody knows. */
const KNOWN_TO_ALL = new Set(["HOME", "USER", "LOGNAME", "TMPDIR", "TEMP", "TMP", "USERPROFILE"]);

/** Whoever lists processes reads the arguments of all of them. */
function assertUnseen({ name: server, connection }: ServerDefinition): void {
  if (connection.kind !== "stdio") return;
  const names = connection.args.flatMap(variablesOf).map(({ name }) => name);
  const references = connection.args.flatMap(referencesOf).map((reference) => `\${${reference}}`);
  const seen = [...new Set([...names, ...references])].filter((name) => !KNOWN_TO_ALL.has(name));
  if (seen.length === 0) return;
  const what = `The arguments of ${server} hold ${seen.join(" and ")}, which every user of this machine could read there.`;
  throw new DiscoveryError("CONFIGURATION_ERROR", what, {
    hint: "Give it to the server in `env`; policy.preset is `strict`, which allows no variable in `args`.",
    server,
  });
}

/** What no header can hold is found here, where nobody has to show it to say so. */
function assertSendable(connection: Connection, server: string): Connection {
  if (!("headers" in connection)) return connection;
  const [wrong] = Object.entries(connection.headers).find(([, value]) => /[^\t\x20-\x7e\x80-\xff]/.test(value)) ?? [];
  if (wrong === undefined) return connection;
  throw new DiscoveryError("CONFIGURATION_ERROR", `The header ${wrong} of ${server} holds what no header can hold.`, {
    hint: "Look for a line break or another invisible character in it, or in the variable that it is made of.",
    server,
  });
}

/** What can be done without is left out where it is not set. */
function withoutUnset(connection: Connection, needs: readonly VariableNeed[], variables: Variables): Connection {
  const isSet = (variable: string): boolean => ["process", "file"].includes(variables.originOf(variable).kind);
  const unset = needs.filter((need) => need.isOptional === true && !isSet(need.name)).map((need) => need.name);
  if (unset.length === 0) return connection;
  const kept = (texts: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(texts).filter(([, text]) => !unset.some((one) => text.includes(`\${${one}}`))));
  if (connection.kind === "stdio") return { ...connection, env: kept(connection.env) };
  if (connection.kind === "http" || connection.kind === "sse")
    return { ...connection, headers: kept(connection.headers) };
  return connection;
}

/** What a REST API offers is in its document, which nobody needs credentials for. */
function resolveWhatCan(connection: Connection, variables: Variables, values: Values): Connection {
  try {
    return resolveConnection(connection, variables, values);
  } catch (error) {
    if (connection.kind !== "rest" || connection.auth === undefined || !(error instanceof DiscoveryError)) throw error;
    const { auth: _auth, ...open } = connection;
    const resolved = resolveConnection(open, variables, values);
    const { variables: lacking } = error.facts as { readonly variables?: readonly string[] };
    return resolved.kind === "rest" ? { ...resolved, lacking: lacking ?? [] } : resolved;
  }
}

/** What looks like a secret though no variable holds it; of an address also its parts, as they are without escapes. */
function writtenSecrets(connection: Connection, server: string): string[] {
  return findSecrets(connection, server).flatMap(({ value }) => {
    const password = /^[a-z][\w+.-]*:\/\/[^/\s:@]*:([^/\s@]+)@/i.exec(value)?.[1];
    return [value, ...(password === undefined ? [] : [password])].flatMap((text) => [text, withoutEscapes(text)]);
  });
}

function withoutEscapes(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A rule that came while a call waited for its turn holds for that call too. */
export function assertEnabled(tool: Tool, rules: CompiledRules): void {
  const decision = decide(rules, tool);
  if (decision.enabled) return;
  throw new DiscoveryError("TOOL_DISABLED", `${tool.id} is disabled: ${explain(rules, decision)}.`, {
    hint: "The configuration changed while the call waited. Choose another tool.",
  });
}

/** What was permitted, and what a person agreed to, is the tool as it was then. */
export function assertUnchanged(tool: Tool, known: Tool | undefined): void {
  if (known === undefined || known === tool) return;
  assertShown(known);
  if (known.hash === tool.hash) return;
  throw new DiscoveryError("TOOL_VALIDATION_ERROR", `The definition of ${tool.id} changed while the call waited.`, {
    hint: "Read the tool's details again, and repeat the call if it still fits.",
  });
}
