export type Surface = "mcp" | "http" | "cli" | "library";

/** The caller: a user, a client with a token, or an embedding program. */
export interface Actor {
  readonly id: string;
  readonly surface: Surface;
  /** The caller's scopes. If undefined, the option `policy.localScopes` applies. */
  readonly scopes?: readonly string[];
  /**
   * The name of the view (`policy.views`) that limits which servers and tools the caller sees. If undefined, the caller
   * sees all.
   */
  readonly view?: string;
}

/** The id of the local user. */
export const LOCAL_ACTOR = "local";

/**
 * The actor for the local user: for callers over stdio, over HTTP with the token of this machine, on the command line,
 * and in programs that embed the gateway.
 */
export function localActor(surface: Surface): Actor {
  return { id: LOCAL_ACTOR, surface };
}
