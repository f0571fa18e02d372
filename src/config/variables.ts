import { DiscoveryError } from "../errors.js";
import type { Connection, OAuthSettings, RestAuth, RestConnection } from "../model/server.js";
import type { Secrets } from "../util/secrets.js";
import { createEnvFiles, type EnvFileParts } from "./env-files.js";
import { expandTemplate, type ReadReference, referencesOf, variablesOf, type VariableUse } from "./template.js";

export interface VariablesParts extends EnvFileParts {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Told every value that leaves here. */
  readonly secrets?: Pick<Secrets, "note">;
}

export interface Variables {
  /**
   * The text with every `${VAR}` replaced, or CONFIGURATION_ERROR naming those that are not set. Each value that was
   * put in is told to `onValue`: whoever gets the text may have to hide it again. A reference such as `${keychain:NAME}`
   * is CONFIGURATION_ERROR unless `read` knows its value.
   */
  resolve(text: string, onValue?: NoteValue, read?: ReadReference): string;
  /** Tells of a value that no variable holds and that must not show up again all the same. */
  readonly note: NoteValue;
  /** Where the value of a variable would come from now. */
  originOf(name: string): VariableOrigin;
  /** What is wrong in the `.env` files, as they are now. */
  notices(): readonly string[];
  /** The `.env` files that are looked into, whether they exist or not. */
  readonly files: readonly string[];
}

/** `barred`: only a file sets it that nobody trusts. */
export type VariableOrigin =
  | { readonly kind: "process" }
  | { readonly kind: "file"; readonly file: string }
  | { readonly kind: "barred"; readonly file: string }
  | { readonly kind: "none" };

export type NoteValue = (value: string) => void;

/** Variables of the process and of the `.env` files, looked up at the moment of use and never kept in a result. */
export function createVariables({ env, secrets, ...parts }: VariablesParts): Variables {
  const files = createEnvFiles(parts);
  const note: NoteValue = (value) => secrets?.note(value);
  const lookup = (name: string): string | undefined => env[name] ?? files.find(name)?.value;

  function originOf(name: string): VariableOrigin {
    if (env[name] !== undefined) return { kind: "process" };
    const file = files.find(name)?.file;
    if (file !== undefined) return { kind: "file", file };
    const barred = files.findBarred(name);
    return barred === undefined ? { kind: "none" } : { kind: "barred", file: barred };
  }

  function resolve(text: string, onValue?: NoteValue, read: ReadReference = notHere): string {
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

/** The connection with every variable in it replaced; one error names all that are not set. */
export function resolveConnection(
  connection: Connection,
  variables: Pick<Variables, "resolve" | "originOf">,
  { onValue, read }: { readonly onValue?: NoteValue | undefined; readonly read?: ReadReference | undefined } = {},
): Connection {
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

/** All variables that a connection refers to, in the order in which it does; one with a default wherever it stands has one. */
export function variablesIn(connection: Connection): VariableUse[] {
  const uses = new Map<string, boolean>();
  mapTexts(connection, (text) => {
    for (const { name, hasDefault } of variablesOf(text)) uses.set(name, hasDefault && uses.get(name) !== false);
    return text;
  });
  return [...uses].map(([name, hasDefault]) => ({ name, hasDefault }));
}

/** All references to secrets in a connection, each once, as they stand between the braces. */
export function referencesIn(connection: Connection): string[] {
  const found = new Set<string>();
  mapTexts(connection, (text) => {
    for (const reference of referencesOf(text)) found.add(reference);
    return text;
  });
  return [...found];
}

function mapTexts(connection: Connection, convert: (text: string) => string): Connection {
  if (connection.kind === "built-in") return connection;
  if (connection.kind === "rest") return mapRest(connection, convert);
  if (connection.kind !== "stdio") {
    const { url, headers, oauth } = connection;
    const told = oauth === undefined ? {} : { oauth: mapSignIn(oauth, convert) };
    return { ...connection, url: convert(url), headers: mapValues(headers, convert), ...told };
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

/** What kind it is, and where a key belongs, is no place for variables. */
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

function unresolved(names: readonly string[], originOf: Variables["originOf"]): DiscoveryError {
  const what = names.length === 1 ? `The variable ${names[0]} is` : `The variables ${names.join(", ")} are`;
  const barred = names.map(originOf).find((origin) => origin.kind === "barred");
  const set = `Set ${names.length === 1 ? "it" : "them"} in the environment, or in .env.local, .env, .ai/.env or ~/.ai/.env.`;
  const trust = `${barred?.file} is not used, because nobody has trusted it: look at it and run \`anygpt mcp config trust\`.`;
  return new DiscoveryError("CONFIGURATION_ERROR", `${what} not set.`, {
    hint: barred === undefined ? set : trust,
    facts: { variables: names },
  });
}

function notHere(reference: string): never {
  throw new DiscoveryError("CONFIGURATION_ERROR", `\${${reference}} may not stand here.`, {
    hint: "Secrets are read for servers and adapters of your own configuration. Use a variable, as ${NAME}, here.",
    facts: { reference: `\${${reference}}` },
  });
}

function malformed(beginning: string): DiscoveryError {
  return new DiscoveryError("CONFIGURATION_ERROR", `"${beginning}" does not begin a variable.`, {
    hint: "Write ${NAME}, ${NAME:-default} or a reference such as ${keychain:NAME}, or $${ for a literal ${.",
    facts: { beginning },
  });
}
