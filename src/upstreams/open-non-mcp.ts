// Opens sessions for connections that do not use MCP: the built-in tools, and REST APIs.
import { DiscoveryError } from "../errors.js";
import type { BuiltInConnection, RestConnection } from "../model/server.js";
import type { Secrets } from "../util/secrets.js";
import { openBuiltInSession } from "./built-in-session.js";
import type { RestMemory } from "./rest/open-rest-session.js";
import type { Schedule } from "./schedule.js";
import type { UpstreamSession } from "./session.js";
import type { UpstreamsParts } from "./types.js";

export interface NonMcpParts extends UpstreamsParts {
  readonly server: string;
  readonly schedule: Schedule;
}

export type OpenNonMcp = (connection: BuiltInConnection | RestConnection, secrets: Secrets) => Promise<UpstreamSession>;

/**
 * Creates the function that opens sessions without MCP. It keeps the state of a REST API (document, retry budget)
 * across sessions.
 */
export function createOpenNonMcp({ version = "0.0.0", ...parts }: NonMcpParts): OpenNonMcp {
  const { server, builtInTools, convertDocument: convert } = parts;
  let memory: RestMemory | undefined;
  return async (connection, secrets) => {
    if (connection.kind === "built-in") return openBuiltInSession(server, (await builtInTools?.()) ?? []);
    if (convert === undefined)
      throw new DiscoveryError(
        "CONFIGURATION_ERROR",
        `${server} is a REST API, but there is no converter for its document.`,
      );
    const { createRestMemory, openRestSession } = await import("./rest/open-rest-session.js");
    memory ??= createRestMemory();
    return await openRestSession(connection, { ...parts, version, secrets, convert, memory });
  };
}
