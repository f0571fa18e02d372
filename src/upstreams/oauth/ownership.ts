import { DiscoveryError } from "../../errors.js";
import { localActor } from "../../model/actor.js";
import type { McpConnection } from "../../model/server.js";
import type { UpstreamsParts, UpstreamTarget } from "../types.js";
import type { SignIn } from "./sign-in.js";

/** Whose a connection is: once somebody has signed in over it, it serves nobody else. */
export interface Ownership {
  signIn(connection: McpConnection, target: UpstreamTarget): Promise<SignIn | undefined>;
  /** To be asked before a connection is shared, and again when it was waited for. */
  assertMine(target: UpstreamTarget): void;
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
    assertMine(target) {
      if (owner === undefined || owner === actorOf(target)) return;
      throw new DiscoveryError("INTERNAL_ERROR", `The connection to ${server} belongs to another actor.`, { server });
    },
  };
}

function actorOf({ actor = localActor("library").id }: UpstreamTarget): string {
  return actor;
}
