import { DiscoveryError } from "../errors.js";
import type { Connection } from "../model/server.js";
import { createEnvFiles, type EnvFileParts } from "./env-files.js";
import { expandTemplate, namesIn } from "./template.js";

export interface VariablesParts extends EnvFileParts {
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface Variables {
  /**
   * The text with every `${VAR}` replaced, or CONFIGURATION_ERROR naming those that are not set. Each value that was
   * put in is told to `onValue`: whoever gets the text may have to hide it again.
   */
  resolve(text: string, onValue?: NoteValue): string;
  /** What is wrong in the `.env` files, as they are now. */
  notices(): readonly string[];
}

export type NoteValue = (value: string) => void;

/** Variables of the process and of the `.env` files, looked up at the moment of use and never kept in a result. */
export function createVariables({ cwd, home, env }: VariablesParts): Variables {
  const files = createEnvFiles({ cwd, home });
  const lookup = (name: string): string | undefined => env[name] ?? files.get(name);

  function resolve(text: string, onValue?: NoteValue): string {
    const expanded = expandTemplate(text, (name) => {
      const value = lookup(name);
      if (value !== undefined) onValue?.(value);
      return value;
    });
    if (expanded.malformed !== undefined) throw malformed(expanded.malformed);
    if (expanded.missing.length > 0) throw unresolved(expanded.missing);
    return expanded.text;
  }

  return { resolve, notices: () => files.notices() };
}

/** The connection with every variable in it replaced; one error names all that are not set. */
export function resolveConnection(
  connection: Connection,
  variables: Pick<Variables, "resolve">,
  onValue?: NoteValue,
): Connection {
  const missing = new Set<string>();

  function text(template: string): string {
    try {
      return variables.resolve(template, onValue);
    } catch (error) {
      const names = error instanceof DiscoveryError ? error.facts["variables"] : undefined;
      if (!Array.isArray(names)) throw error;
      for (const name of names) missing.add(String(name));
      return "";
    }
  }

  const resolved = mapTexts(connection, text);
  if (missing.size > 0) throw unresolved([...missing]);
  return resolved;
}

/** The names of all variables that a connection refers to, with a default or without. */
export function variablesIn(connection: Connection): string[] {
  const names = new Set<string>();
  mapTexts(connection, (text) => {
    for (const name of namesIn(text)) names.add(name);
    return text;
  });
  return [...names];
}

function mapTexts(connection: Connection, convert: (text: string) => string): Connection {
  if (connection.kind !== "stdio") {
    return { kind: connection.kind, url: convert(connection.url), headers: mapValues(connection.headers, convert) };
  }
  return {
    kind: "stdio",
    command: convert(connection.command),
    args: connection.args.map(convert),
    env: mapValues(connection.env, convert),
    ...(connection.cwd === undefined ? {} : { cwd: convert(connection.cwd) }),
  };
}

function mapValues(record: Readonly<Record<string, string>>, convert: (text: string) => string) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, convert(value)]));
}

function unresolved(names: readonly string[]): DiscoveryError {
  const what = names.length === 1 ? `The variable ${names[0]} is` : `The variables ${names.join(", ")} are`;
  return new DiscoveryError("CONFIGURATION_ERROR", `${what} not set.`, {
    hint: `Set ${names.length === 1 ? "it" : "them"} in the environment, or in .env.local, .env, .ai/.env or ~/.ai/.env.`,
    facts: { variables: names },
  });
}

function malformed(beginning: string): DiscoveryError {
  return new DiscoveryError("CONFIGURATION_ERROR", `"${beginning}" does not begin a variable.`, {
    hint: "Write ${NAME} or ${NAME:-default}, or $${ for a literal ${.",
    facts: { beginning },
  });
}
