import type { Stages } from "../../../compose.js";
import { DiscoveryError } from "../../../errors.js";
import type { RestConnection, ServerDefinition } from "../../../model/server.js";
import { nearestWord } from "../../../util/edit-distance.js";

export interface Adapter extends ServerDefinition {
  readonly connection: RestConnection;
}

export function adaptersOf({ collected }: Pick<Stages, "collected">): Adapter[] {
  return collected.servers.filter((server): server is Adapter => server.connection.kind === "rest");
}

export function findAdapter(name: string, stages: Pick<Stages, "collected">): Adapter {
  const adapters = adaptersOf(stages);
  const found = adapters.find((adapter) => adapter.name === name);
  if (found !== undefined) return found;
  const names = adapters.map((adapter) => adapter.name);
  const nearest = nearestWord(name, names);
  const others = names.length === 0 ? "`anygpt mcp adapter add` adds one." : `There are ${names.join(", ")}.`;
  throw new DiscoveryError("SERVER_NOT_FOUND", `No adapter is named "${name}".`, {
    server: name,
    hint: nearest === undefined ? others : `Did you mean ${nearest}?`,
  });
}

/** With the variables filled in that tell where its document and its API are; the rest is not needed to read it. */
export function toReadable(connection: RestConnection, resolve: (text: string) => string): RestConnection {
  const { document, baseUrl } = connection;
  return {
    ...connection,
    document: resolve(document),
    ...(baseUrl === undefined ? {} : { baseUrl: resolve(baseUrl) }),
  };
}
