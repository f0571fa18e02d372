export type Surface = "mcp" | "http" | "cli" | "library";

/** Who is calling. */
export interface Actor {
  readonly id: string;
  readonly surface: Surface;
  /** What they may do. Without it they may do what the policy lets the person at this machine do. */
  readonly scopes?: readonly string[];
  /** Which servers and tools there are for them; without it all. */
  readonly view?: string;
}

/** The id of the person at this machine. */
export const LOCAL_ACTOR = "local";

/** The person at this machine: stdio, HTTP with the token of this machine, command line and embedding programs all act for them. */
export function localActor(surface: Surface): Actor {
  return { id: LOCAL_ACTOR, surface };
}
