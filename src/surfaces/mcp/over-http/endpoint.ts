/** The MCP endpoint that a client uses. */
export type Endpoint =
  /** The profile and mode of the configuration. */
  | { readonly kind: "default" }
  /** The five tools of the profile `gateway`, regardless of the configuration. */
  | { readonly kind: "gateway" }
  /** The servers and tools of one view. */
  | { readonly kind: "view"; readonly view: string };
