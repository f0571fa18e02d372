/** Which of the gateway's faces a client has turned to. */
export type Endpoint =
  /** What the configuration wants. */
  | { readonly kind: "default" }
  /** The five tools of the profile `gateway`, whatever the configuration wants. */
  | { readonly kind: "gateway" }
  /** What one view lets see. */
  | { readonly kind: "view"; readonly view: string };
