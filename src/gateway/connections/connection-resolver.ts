// Resolves the name of a server to its connection: replaces variables, reads secrets and adds the inherited environment.
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

/** For an actor other than the local user, a remote server gets a separate connection with its own session and credentials. */
export type ResolveConnection = (server: string, actorId?: string) => ConnectionTarget;

export interface ConnectionTarget extends UpstreamTarget {
  /** Changes when the resolved connection changes. */
  readonly identity: () => string;
  /** The connection with its variables replaced, but without the values of secret references, so the user is not prompted. */
  readonly withoutSecrets: () => ServerConnection;
}

export interface ConnectionResolverParts {
  readonly variables: Variables;
  /** The variables of servers that tool files define. */
  readonly toolFileVariables: Variables;
  /** Rejects variables in command arguments, because every user of this machine can read them. */
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
      throw new DiscoveryError("SERVER_NOT_FOUND", `The server "${name}" is not configured any more.`, {
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
        // Reports all other errors first, because reading a secret may prompt the user.
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
  // One after the other: each read may prompt the user.
  for (const reference of references)
    values.set(reference, (await secrets?.read(reference)) ?? unresolvable(reference));
  return values;
}

function unresolvable(reference: string): never {
  throw new DiscoveryError(
    "CONFIGURATION_ERROR",
    `\${${reference}} cannot be resolved: this engine has no reader for secrets.`,
  );
}

/** A reference makes the gateway run a program and pass a secret of the user to a server, so only the user may write one. */
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

/** Only remote servers have separate connections per actor; all actors share a local server process. */
function isRemote({ connection }: ServerDefinition): boolean {
  return connection.kind === "http" || connection.kind === "sse";
}

/** `onValue` is called with the value of each variable; `read` returns the value of a reference. */
interface Values {
  readonly onValue: NoteValue | undefined;
  readonly read: ReadReference;
}

/** Replaces the variables. The error for a missing variable contains its description. */
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

/** Variables whose values are not secret. */
const PUBLIC_VARIABLES = new Set(["HOME", "USER", "LOGNAME", "TMPDIR", "TEMP", "TMP", "USERPROFILE"]);

/** Every user of the machine can list the arguments of all processes. */
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

/** Rejects invalid header values. Checked here, because later errors would contain the value, which may be a secret. */
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

/** Resolves a REST API also if its credentials are not set: its tools come from the document, which needs no credentials. */
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

/** Values in the connection that look like secrets. For a URL also its password, and each value also URL-decoded. */
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
