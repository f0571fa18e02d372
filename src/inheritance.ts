// What programs that are started get of the gateway's own environment, and what they do not.
import type { Connection } from "./model/server.js";
import { CLIENTS } from "./sources/clients/table.js";
import type { Collected } from "./sources/collect.js";
import type { ClientId } from "./sources/options.js";
import { looksSecret } from "./sources/rewrite/secrets.js";
import { inheritedNames } from "./upstreams/process/inherited-names.js";

export interface InheritanceParts {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `upstreams.inheritEnv`. */
  readonly inheritEnv: readonly string[];
  readonly origins: Collected["origins"];
}

export interface Inheritance {
  /** The connection with what its program inherits, and what to look for should it not start. */
  complete(server: string, connection: Connection): Connection;
  /** Values that are handed on and look like secrets. */
  secretsIn(connection: Connection): readonly string[];
}

export function createInheritance({ env, inheritEnv: standard, origins }: InheritanceParts): Inheritance {
  return {
    complete(server, connection) {
      if (connection.kind !== "stdio") return connection;
      const { inheritEnv = standard } = connection;
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

/** The title of a program that gives its servers its whole environment. */
export function passingClient(client: string | undefined): string | undefined {
  const known = client === undefined ? undefined : CLIENTS[client as ClientId];
  return known?.passesEnvironment === true ? known.title : undefined;
}

function startHint(client: string): string {
  return (
    `${client} gives its servers its whole environment, the gateway does not: ` +
    "if it lacks a variable, name it in `inheritEnv` of the server or in `upstreams.inheritEnv`."
  );
}
