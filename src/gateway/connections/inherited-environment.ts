// Determines which environment variables server processes inherit from the gateway.
import type { ServerConnection } from "../../model/server.js";
import { CLIENTS } from "../../sources/clients/table.js";
import type { Collected } from "../../sources/collect.js";
import type { ClientId } from "../../sources/options.js";
import { looksSecret } from "../../util/plain-secrets.js";
import { inheritedNames } from "../../upstreams/process/inherited-names.js";

export interface InheritanceParts {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The value of the option `upstreams.inheritEnv`: names of variables that all server processes inherit. */
  readonly inheritEnv: readonly string[];
  readonly origins: Collected["origins"];
}

export interface Inheritance {
  /**
   * Adds to a stdio connection the names of the variables that the process inherits, and a hint for the error message
   * if the server does not start.
   */
  complete(server: string, connection: ServerConnection): ServerConnection;
  /** Values of inherited variables that look like secrets. */
  secretsIn(connection: ServerConnection): readonly string[];
}

export function createInheritance({ env, inheritEnv: defaultNames, origins }: InheritanceParts): Inheritance {
  return {
    complete(server, connection) {
      if (connection.kind !== "stdio") return connection;
      const { inheritEnv = defaultNames } = connection;
      const client = inheritEnv.includes("*") ? undefined : passingClient(origins.get(server)?.client);
      return {
        ...connection,
        ...(inheritEnv.length === 0 ? {} : { inheritEnv }),
        ...(client === undefined ? {} : { startHint: startHint(client) }),
      };
    },
    secretsIn(connection) {
      if (connection.kind !== "stdio") return [];
      return inheritedNames(env, connection.inheritEnv ?? []).flatMap((name) => {
        const value = env[name] ?? "";
        return looksSecret(name, value) ? [value] : [];
      });
    },
  };
}

/**
 * Returns the title of the MCP client if that client passes its whole environment to its servers; otherwise undefined.
 */
export function passingClient(client: string | undefined): string | undefined {
  const known = client === undefined ? undefined : CLIENTS[client as ClientId];
  return known?.passesEnvironment === true ? known.title : undefined;
}

function startHint(client: string): string {
  return (
    `${client} passes its whole environment to its servers, but the gateway does not. ` +
    "If the server needs an environment variable, add the variable's name to `inheritEnv` of the server or to `upstreams.inheritEnv`."
  );
}
