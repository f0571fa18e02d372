export type Surface = "mcp" | "http" | "cli" | "library";

/** The caller: a user, a client with a token, or an embedding program. */
export interface Actor {
  readonly id: string;
  readonly surface: Surface;
  /** Scopes of the caller. Without it, `policy.localScopes` apply. */
  readonly scopes?: readonly string[];
  /** The name of the view (`policy.views`) that limits which servers and tools the caller sees. Without it, all. */
  readonly view?: string;
}

/** The id of the local user. */
export const LOCAL_ACTOR = "local";

/** The local user. Stdio, HTTP with the token of this machine, the command line and embedding programs all act for this user. */
export function localActor(surface: Surface): Actor {
  return { id: LOCAL_ACTOR, surface };
}
