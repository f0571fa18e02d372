/** The MCP endpoint (URL path) that a client uses. */
export type Endpoint =
  /** `/mcp`: the profile and mode of the configuration. */
  | { readonly kind: "default" }
  /** `/mcp/gateway`: the five tools of the profile `gateway`, regardless of the configuration. */
  | { readonly kind: "gateway" }
  /** `/mcp/p/{view}`: the servers and tools of one view. */
  | { readonly kind: "view"; readonly view: string };
