// Determines which environment variables server processes inherit from the gateway.
import type { ServerConnection } from "../../model/server.js";
import { CLIENTS } from "../../sources/clients/table.js";
import type { Collected } from "../../sources/collect.js";
import type { ClientId } from "../../sources/options.js";
import { looksSecret } from "../../util/plain-secrets.js";
import { inheritedNames } from "../../upstreams/process/inherited-names.js";

export interface InheritanceParts {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `upstreams.inheritEnv`. */
  readonly inheritEnv: readonly string[];
  readonly origins: Collected["origins"];
}

export interface Inheritance {
  /** Adds the names of inherited variables, and a hint for the error if the server does not start. */
  complete(server: string, connection: ServerConnection): ServerConnection;
  /** Inherited values that look like secrets. */
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

/** The title of the client if it passes its whole environment to its servers. */
export function passingClient(client: string | undefined): string | undefined {
  const known = client === undefined ? undefined : CLIENTS[client as ClientId];
  return known?.passesEnvironment === true ? known.title : undefined;
}

function startHint(client: string): string {
  return (
    `${client} passes its whole environment to its servers, but the gateway does not. ` +
    "If the server needs a variable, add its name to `inheritEnv` of the server or to `upstreams.inheritEnv`."
  );
}
