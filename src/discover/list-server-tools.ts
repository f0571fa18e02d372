import type { ServerListing } from "../model/server.js";
import type { EnvNeed, FileConnection } from "../toolfiles/format/tool-file.js";
import type { Upstreams } from "../upstreams/types.js";
import { explainFailure } from "./explain-failure.js";
import type { DiscoveryTarget } from "./target.js";

/** The environment variables, as far as a discovery uses them. */
export interface KnownVariables {
  isSet(name: string): boolean;
  /** The text with its variables replaced; `onValue` receives each value. */
  resolve(text: string, onValue?: (value: string) => void): string;
}

export interface ListToolsParts {
  readonly upstreams: Pick<Upstreams, "list">;
  readonly variables: KnownVariables;
}

/** Requests the tool list, even if variables are missing: many servers send their tool list without credentials. */
export async function listServerTools(
  target: DiscoveryTarget,
  { upstreams, variables }: ListToolsParts,
  signal?: AbortSignal,
): Promise<ServerListing> {
  const missing = missingOf(target, variables);
  const connection = without(target.connection, missing);
  const resolved = (noteSecret?: (value: string) => void): FileConnection =>
    mapValues(connection, (text) => variables.resolve(text, noteSecret));
  try {
    return await upstreams.list({ name: target.name, connection: resolved }, signal);
  } catch (error) {
    throw explainFailure(error, target, missing);
  }
}

export function missingOf({ needs }: DiscoveryTarget, variables: Pick<KnownVariables, "isSet">): readonly EnvNeed[] {
  return needs.filter(({ name }) => !variables.isSet(name));
}

function without(connection: FileConnection, missing: readonly EnvNeed[]): FileConnection {
  const isWhole = (text: string): boolean => !missing.some(({ name }) => text.includes(`\${${name}}`));
  const kept = (texts: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(texts).filter(([, text]) => isWhole(text)));
  if (connection.kind === "stdio") return { ...connection, env: kept(connection.env) };
  return { ...connection, headers: kept(connection.headers) };
}

function mapValues(connection: FileConnection, convert: (text: string) => string): FileConnection {
  const mapped = (texts: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, convert(text)]));
  if (connection.kind === "stdio") return { ...connection, env: mapped(connection.env) };
  return { ...connection, headers: mapped(connection.headers) };
}
