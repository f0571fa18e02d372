import type { Stages } from "../../gateway/stages.js";
import { DiscoveryError } from "../../errors.js";
import type { Hint } from "../../model/next-steps.js";
import type { RestConnection, ServerDefinition } from "../../model/server.js";
import { nearestWord } from "../../util/edit-distance.js";

export interface Adapter extends ServerDefinition {
  readonly connection: RestConnection;
}

export function adaptersOf({ configuredServers }: Pick<Stages, "configuredServers">): Adapter[] {
  return configuredServers.servers.filter((server): server is Adapter => server.connection.kind === "rest");
}

export function findAdapter(name: string, stages: Pick<Stages, "configuredServers">): Adapter {
  const adapters = adaptersOf(stages);
  const found = adapters.find((adapter) => adapter.name === name);
  if (found !== undefined) return found;
  const names = adapters.map((adapter) => adapter.name);
  const nearest = nearestWord(name, names);
  const others: Hint =
    names.length === 0
      ? { action: "run-command", command: "anygpt mcp adapter add --help", purpose: "see how to add an adapter" }
      : `The adapters are: ${names.join(", ")}.`;
  throw new DiscoveryError("SERVER_NOT_FOUND", `No adapter is named "${name}".`, {
    server: name,
    hint: nearest === undefined ? others : `Did you mean ${nearest}?`,
  });
}

/** Resolves the variables in the document path and the base URL. Reading the API document needs no other variables. */
export function toReadable(connection: RestConnection, resolve: (text: string) => string): RestConnection {
  const { document, baseUrl } = connection;
  return {
    ...connection,
    document: resolve(document),
    ...(baseUrl === undefined ? {} : { baseUrl: resolve(baseUrl) }),
  };
}
