// Resolves the name of a server to its connection: replaces variables, reads secrets and adds the inherited
// environment.
import type { Snapshot } from "../../catalog/snapshot.js";
import { type ReadReference, referencesOf, variablesOf } from "../../config/template.js";
import { type NoteValue, referencesIn, resolveConnection, type Variables } from "../../config/variables.js";
import { DiscoveryError } from "../../errors.js";
import { LOCAL_ACTOR } from "../../model/actor.js";
import type { ServerConnection, ServerDefinition, VariableNeed } from "../../model/server.js";
import { findSecrets } from "../../util/plain-secrets.js";
import type { Inheritance } from "./inherited-environment.js";
import type { SecretReader } from "../../secrets/create-secret-reader.js";
import { identityOf } from "../../upstreams/identity.js";
import type { UpstreamTarget } from "../../upstreams/types.js";

export { circumstancesOf } from "./circumstances.js";

/**
 * Returns how to connect to a server. For an actor other than the local user, the connection to a remote server is
 * separate and has its own session and credentials.
 */
export type ResolveConnection = (server: string, actorId?: string) => ConnectionTarget;

export interface ConnectionTarget extends UpstreamTarget {
  /** Returns a string that changes when the resolved connection changes. */
  readonly identity: () => string;
  /**
   * The connection with its variables replaced. References to secrets such as `${keychain:NAME}` are not resolved,
   * because that may prompt the user.
   */
  readonly withoutSecrets: () => ServerConnection;
}

export interface ConnectionResolverParts {
  readonly variables: Variables;
  /** Resolves the variables of servers that are defined in tool files. */
  readonly toolFileVariables: Variables;
  /**
   * Whether variables in command arguments are rejected: every user of this machine can read the arguments in the
   * process list.
   */
  readonly isStrict?: boolean;
  /** Adds the environment variables that server processes inherit. */
  readonly inheritance?: Inheritance;
  /** Resolves references such as `${keychain:NAME}`. */
  readonly secrets?: SecretReader;
}

export function createConnectionResolver(
  servers: () => Snapshot["servers"],
  parts: ConnectionResolverParts,
): ResolveConnection {
  return (name, actorId = LOCAL_ACTOR) => {
    const known = servers().get(name);
    const definition = known?.definition;
    if (definition === undefined) {
      throw new DiscoveryError("SERVER_NOT_FOUND", `The server "${name}" is no longer configured.`, {
        server: name,
        hint: { action: "list-servers" },
      });
    }
    const era = known?.record?.era;
    const variables = definition.isFixed === true ? parts.toolFileVariables : parts.variables;
    const references = referencesIn(definition.connection);
    const complete = (noteSecret: NoteValue | undefined, read: ReadReference): ServerConnection => {
      if (parts.isStrict === true) assertNoVariablesInArgs(definition);
      if (references.length > 0) assertUserConfiguration(definition, references);
      const connection = resolveNeeds(definition, variables, { onValue: noteSecret, read });
      const completed = parts.inheritance?.complete(name, connection) ?? connection;
      const inherited = parts.inheritance?.secretsIn(completed) ?? [];
      for (const secret of [...literalSecrets(connection, name), ...inherited]) {
        variables.note(secret);
        noteSecret?.(secret);
      }
      return completed;
    };
    const withoutSecrets = (): ServerConnection => complete(undefined, (reference) => `\${${reference}}`);
    return {
      name,
      withoutSecrets,
      identity: () => identityOf(withoutSecrets()),
      connection(noteSecret) {
        if (references.length === 0) return complete(noteSecret, unresolvable);
        // Resolve everything else first, so that other errors are reported before reading a secret prompts the user.
        withoutSecrets();
        return readAll(references, parts.secrets).then((values) => {
          for (const value of values.values()) {
            variables.note(value);
            noteSecret?.(value);
          }
          return complete(noteSecret, (reference) => values.get(reference) ?? unresolvable(reference));
        });
      },
      ...(era === undefined ? {} : { eraHint: era }),
      ...(actorId === LOCAL_ACTOR || !isRemote(definition) ? {} : { actor: actorId }),
    };
  };
}

async function readAll(references: readonly string[], secrets: SecretReader | undefined): Promise<Map<string, string>> {
  const values = new Map<string, string>();
  // Read the secrets one after the other, because each read may prompt the user.
  for (const reference of references)
    values.set(reference, (await secrets?.read(reference)) ?? unresolvable(reference));
  return values;
}

function unresolvable(reference: string): never {
  throw new DiscoveryError(
    "CONFIGURATION_ERROR",
    `\${${reference}} cannot be resolved: this engine was created without a secret reader.`,
  );
}

/**
 * Throws unless the server is defined in the user's own configuration. Resolving a secret reference runs a program and
 * passes the secret to the server, so only the user may write such a reference.
 */
function assertUserConfiguration({ name, origin, isOwn }: ServerDefinition, [first]: readonly string[]): void {
  if (isOwn === true) return;
  throw new DiscoveryError(
    "CONFIGURATION_ERROR",
    `\${${first}} is not read for ${name}: ${origin} is not your own configuration.`,
    {
      hint: "Move the server to ~/.anygpt/mcp-discovery.config.json or to a file that is named explicitly, or use a variable such as ${NAME}.",
      facts: { reference: `\${${first}}` },
      server: name,
    },
  );
}

/**
 * Whether a server is remote. Only remote servers have separate connections per actor; all actors share a local server
 * process.
 */
function isRemote({ connection }: ServerDefinition): boolean {
  return connection.kind === "http" || connection.kind === "sse";
}

/**
 * `onValue` is called with the value of each variable; `read` returns the secret for a reference such as
 * `${keychain:NAME}`.
 */
interface Values {
  readonly onValue: NoteValue | undefined;
  readonly read: ReadReference;
}

/**
 * Replaces the variables in a server's connection. If one is not set, the error contains its description from the
 * server's definition.
 */
function resolveNeeds(
  { name, connection, needs = [] }: ServerDefinition,
  variables: Variables,
  values: Values,
): ServerConnection {
  try {
    return assertSendable(resolveWithOptionalAuth(withoutUnset(connection, needs, variables), variables, values), name);
  } catch (error) {
    const missing = error instanceof DiscoveryError ? (error.facts["variables"] as readonly string[] | undefined) : [];
    const described = needs.filter((need) => missing?.includes(need.name));
    if (!(error instanceof DiscoveryError) || described.length === 0) throw error;
    const what = described.map((need) => `${need.name} (${need.description})`).join(" and ");
    throw new DiscoveryError("CONFIGURATION_ERROR", `${name} needs ${what}, which is not set.`, {
      hint: described.some((need) => variables.originOf(need.name).kind === "untrusted")
        ? error.nextSteps
        : described.map(
            (need) => ({ action: "set-variable", name: need.name, files: [".ai/.env", "~/.ai/.env"] }) as const,
          ),
      facts: error.facts,
      server: name,
    });
  }
}

/** Variables whose values are not secret. They are allowed in command arguments. */
const PUBLIC_VARIABLES = new Set(["HOME", "USER", "LOGNAME", "TMPDIR", "TEMP", "TMP", "USERPROFILE"]);

/**
 * Throws if the command arguments contain a variable or a secret reference: every user of the machine can read the
 * arguments of all processes.
 */
function assertNoVariablesInArgs({ name: server, connection }: ServerDefinition): void {
  if (connection.kind !== "stdio") return;
  const names = connection.args.flatMap(variablesOf).map(({ name }) => name);
  const references = connection.args.flatMap(referencesOf).map((reference) => `\${${reference}}`);
  const visible = [...new Set([...names, ...references])].filter((name) => !PUBLIC_VARIABLES.has(name));
  if (visible.length === 0) return;
  const what = `The arguments of ${server} contain ${visible.join(" and ")}. Every user of this machine can read them in the process list.`;
  throw new DiscoveryError("CONFIGURATION_ERROR", what, {
    hint: [
      { action: "edit-config", key: `servers.${server}.env`, value: "the variable" },
      "The preset `strict` allows no variables in `args`.",
    ],
    server,
  });
}

/**
 * Rejects header values with invalid characters. Errors of the HTTP client would contain the value, which may be a
 * secret.
 */
function assertSendable(connection: ServerConnection, server: string): ServerConnection {
  if (!("headers" in connection)) return connection;
  const [invalid] = Object.entries(connection.headers).find(([, value]) => /[^\t\x20-\x7e\x80-\xff]/.test(value)) ?? [];
  if (invalid === undefined) return connection;
  throw new DiscoveryError(
    "CONFIGURATION_ERROR",
    `The header ${invalid} of ${server} has a character that is not allowed in a header.`,
    {
      hint: [
        { action: "edit-config", key: `servers.${server}.headers`, change: "correct" },
        "Remove line breaks and other control characters from the value and from its variables.",
      ],
      server,
    },
  );
}

/** Removes headers and environment variables that contain an optional variable that is not set. */
function withoutUnset(
  connection: ServerConnection,
  needs: readonly VariableNeed[],
  variables: Variables,
): ServerConnection {
  const isSet = (variable: string): boolean => ["process", "file"].includes(variables.originOf(variable).kind);
  const unset = needs.filter((need) => need.isOptional === true && !isSet(need.name)).map((need) => need.name);
  if (unset.length === 0) return connection;
  const withoutUnsetValues = (texts: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(texts).filter(([, text]) => !unset.some((one) => text.includes(`\${${one}}`))));
  if (connection.kind === "stdio") return { ...connection, env: withoutUnsetValues(connection.env) };
  if (connection.kind === "http" || connection.kind === "sse")
    return { ...connection, headers: withoutUnsetValues(connection.headers) };
  return connection;
}

/**
 * Resolves a connection. For a REST API, the credentials may be unset: its tools come from the OpenAPI document, which
 * can be read without them.
 */
function resolveWithOptionalAuth(connection: ServerConnection, variables: Variables, values: Values): ServerConnection {
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

/**
 * Finds values in the connection that look like secrets: also the password in a URL, and the URL-decoded form of each
 * value.
 */
function literalSecrets(connection: ServerConnection, server: string): string[] {
  return findSecrets(connection, server).flatMap(({ value }) => {
    const password = /^[a-z][\w+.-]*:\/\/[^/\s:@]*:([^/\s@]+)@/i.exec(value)?.[1];
    return [value, ...(password === undefined ? [] : [password])].flatMap((text) => [text, urlDecoded(text)]);
  });
}

function urlDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
