import { DiscoveryError } from "../errors.js";
import type { ServerConnection, OAuthSettings, RestAuth, RestConnection } from "../model/server.js";
import type { Secrets } from "../util/secrets.js";
import { createEnvFiles, type EnvFileParts } from "./env-files.js";
import { expandTemplate, type ReadReference, referencesOf, variablesOf, type VariableUse } from "./template.js";

export interface VariablesParts extends EnvFileParts {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Receives every variable value that is used, so that logs can mask it. */
  readonly secrets?: Pick<Secrets, "note">;
}

export interface Variables {
  /**
   * Replaces every `${VAR}`. Throws CONFIGURATION_ERROR that names the variables that are not set. Each inserted value
   * is passed to `onValue`, so that the caller can mask it. A reference such as `${keychain:NAME}` throws
   * CONFIGURATION_ERROR unless `read` is passed.
   */
  resolve(text: string, onValue?: NoteValue, read?: ReadReference): string;
  /** Marks a value that does not come from a variable as secret. */
  readonly note: NoteValue;
  /** Where the variable is currently set. */
  originOf(name: string): VariableOrigin;
  /** Warnings about the current content of the `.env` files. */
  notices(): readonly string[];
  /** The paths of the `.env` files, whether the files exist or not. */
  readonly files: readonly string[];
}

/** `untrusted`: the variable is set only in a file that the user has not trusted. */
export type VariableOrigin =
  | { readonly kind: "process" }
  | { readonly kind: "file"; readonly file: string }
  | { readonly kind: "untrusted"; readonly file: string }
  | { readonly kind: "none" };

export type NoteValue = (value: string) => void;

/** Variables of the process and of the `.env` files, looked up at each use. */
export function createVariables({ env, secrets, ...parts }: VariablesParts): Variables {
  const files = createEnvFiles(parts);
  const note: NoteValue = (value) => secrets?.note(value);
  const lookup = (name: string): string | undefined => env[name] ?? files.find(name)?.value;

  function originOf(name: string): VariableOrigin {
    if (env[name] !== undefined) return { kind: "process" };
    const file = files.find(name)?.file;
    if (file !== undefined) return { kind: "file", file };
    const untrusted = files.findUntrusted(name);
    return untrusted === undefined ? { kind: "none" } : { kind: "untrusted", file: untrusted };
  }

  function resolve(text: string, onValue?: NoteValue, read: ReadReference = rejectReference): string {
    const known = (name: string): string | undefined => {
      const value = lookup(name);
      if (value !== undefined) note(value);
      if (value !== undefined) onValue?.(value);
      return value;
    };
    const expanded = expandTemplate(text, known, read);
    if (expanded.malformed !== undefined) throw malformed(expanded.malformed);
    if (expanded.missing.length > 0) throw unresolved(expanded.missing, originOf);
    return expanded.text;
  }

  return { resolve, note, originOf, notices: () => files.notices(), files: files.files };
}

/**
 * Replaces every variable in a server's connection settings. Throws one error that names all variables that are not
 * set.
 */
export function resolveConnection(
  connection: ServerConnection,
  variables: Pick<Variables, "resolve" | "originOf">,
  { onValue, read }: { readonly onValue?: NoteValue | undefined; readonly read?: ReadReference | undefined } = {},
): ServerConnection {
  const missing = new Set<string>();

  function text(template: string): string {
    try {
      return variables.resolve(template, onValue, read);
    } catch (error) {
      const names = error instanceof DiscoveryError ? error.facts["variables"] : undefined;
      if (!Array.isArray(names)) throw error;
      for (const name of names) missing.add(String(name));
      return "";
    }
  }

  const resolved = mapTexts(connection, text);
  if (missing.size > 0) throw unresolved([...missing], variables.originOf);
  return resolved;
}

/**
 * All variables in a connection, in order. `hasDefault` is true only if every occurrence of the variable has a default.
 */
export function variablesIn(connection: ServerConnection): VariableUse[] {
  const uses = new Map<string, boolean>();
  mapTexts(connection, (text) => {
    for (const { name, hasDefault } of variablesOf(text)) uses.set(name, hasDefault && uses.get(name) !== false);
    return text;
  });
  return [...uses].map(([name, hasDefault]) => ({ name, hasDefault }));
}

/** All references to secrets in a connection, each once (the text between the braces). */
export function referencesIn(connection: ServerConnection): string[] {
  const found = new Set<string>();
  mapTexts(connection, (text) => {
    for (const reference of referencesOf(text)) found.add(reference);
    return text;
  });
  return [...found];
}

function mapTexts(connection: ServerConnection, convert: (text: string) => string): ServerConnection {
  if (connection.kind === "built-in") return connection;
  if (connection.kind === "rest") return mapRest(connection, convert);
  if (connection.kind !== "stdio") {
    const { url, headers, oauth } = connection;
    const signIn = oauth === undefined ? {} : { oauth: mapSignIn(oauth, convert) };
    return { ...connection, url: convert(url), headers: mapValues(headers, convert), ...signIn };
  }
  return {
    ...connection,
    command: convert(connection.command),
    args: connection.args.map(convert),
    env: mapValues(connection.env, convert),
    ...(connection.cwd === undefined ? {} : { cwd: convert(connection.cwd) }),
  };
}

function mapSignIn({ scopes, ...texts }: OAuthSettings, convert: (text: string) => string): OAuthSettings {
  return { ...mapValues(texts, convert), ...(scopes === undefined ? {} : { scopes: scopes.map(convert) }) };
}

function mapRest(connection: RestConnection, convert: (text: string) => string): RestConnection {
  const { document, baseUrl, headers, auth } = connection;
  return {
    ...connection,
    document: convert(document),
    ...(baseUrl === undefined ? {} : { baseUrl: convert(baseUrl) }),
    headers: mapValues(headers, convert),
    ...(auth === undefined ? {} : { auth: mapAuth(auth, convert) }),
  };
}

/**
 * Applies `convert` to the strings that may contain variables, but not to the kind of authentication or the location of
 * an API key.
 */
function mapAuth(auth: RestAuth, convert: (text: string) => string): RestAuth {
  switch (auth.kind) {
    case "bearer":
      return { ...auth, token: convert(auth.token) };
    case "basic":
      return { ...auth, username: convert(auth.username), password: convert(auth.password) };
    case "api-key":
      return { ...auth, value: convert(auth.value) };
    case "client-credentials":
      return {
        ...auth,
        tokenUrl: convert(auth.tokenUrl),
        clientId: convert(auth.clientId),
        clientSecret: convert(auth.clientSecret),
      };
  }
}

function mapValues(record: Readonly<Record<string, string>>, convert: (text: string) => string) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, convert(value)]));
}

const ENV_FILES = [".env.local", ".env", ".ai/.env", "~/.ai/.env"];

function unresolved(names: readonly string[], originOf: Variables["originOf"]): DiscoveryError {
  const what = names.length === 1 ? `The variable ${names[0]} is` : `The variables ${names.join(", ")} are`;
  const untrusted = names.map(originOf).find((origin) => origin.kind === "untrusted");
  const set = names.map((name) => ({ action: "set-variable", name, files: ENV_FILES }) as const);
  const trust = [
    `${untrusted?.file} is ignored because it is not trusted yet. Review it first.`,
    { action: "run-command", command: "anygpt mcp config trust", purpose: "trust it" },
  ] as const;
  return new DiscoveryError("CONFIGURATION_ERROR", `${what} not set.`, {
    hint: untrusted === undefined ? set : trust,
    facts: { variables: names },
  });
}

function rejectReference(reference: string): never {
  throw new DiscoveryError("CONFIGURATION_ERROR", `\${${reference}} is not allowed here.`, {
    hint: "Secret references work only in servers and adapters of the user's own configuration. Use a variable here, such as ${NAME}.",
    facts: { reference: `\${${reference}}` },
  });
}

function malformed(beginning: string): DiscoveryError {
  return new DiscoveryError("CONFIGURATION_ERROR", `"${beginning}" is not a valid variable.`, {
    hint: "Write ${NAME}, ${NAME:-default} or a reference such as ${keychain:NAME}, or $${ for a literal ${.",
    facts: { beginning },
  });
}
