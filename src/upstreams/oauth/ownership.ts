import { DiscoveryError } from "../../errors.js";
import { localActor } from "../../model/actor.js";
import type { McpConnection } from "../../model/server.js";
import type { UpstreamsParts, UpstreamTarget } from "../types.js";
import type { SignIn } from "./sign-in.js";

/** Which actor owns a connection: once an actor has signed in over a connection, no other actor may use it. */
export interface Ownership {
  signIn(connection: McpConnection, target: UpstreamTarget): Promise<SignIn | undefined>;
  /**
   * Throws if another actor owns the connection. Call this before a connection is shared, and again after waiting for
   * it.
   */
  assertOwner(target: UpstreamTarget): void;
}

export function createOwnership(server: string, find: UpstreamsParts["signIn"]): Ownership {
  let owner: string | undefined;
  return {
    async signIn(connection, target) {
      if (connection.kind === "stdio") return undefined;
      const actor = actorOf(target);
      const signIn = await find?.({ server, connection, actor });
      if (signIn !== undefined) owner = actor;
      return signIn;
    },
    assertOwner(target) {
      if (owner === undefined || owner === actorOf(target)) return;
      throw new DiscoveryError("INTERNAL_ERROR", `The connection to ${server} belongs to another actor.`, { server });
    },
  };
}

function actorOf({ actor = localActor("library").id }: UpstreamTarget): string {
  return actor;
}
