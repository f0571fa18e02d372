export type Surface = "mcp" | "http" | "cli" | "library";

/** Who is calling. */
export interface Actor {
  readonly id: string;
  readonly surface: Surface;
}

/** The person at this machine: stdio, HTTP with the token of this machine, command line and embedding programs all act for them. */
export function localActor(surface: Surface): Actor {
  return { id: "local", surface };
}
