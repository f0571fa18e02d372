import type { ServerContext } from "@modelcontextprotocol/server";

/** Of a client's request, what whoever answers it may need. */
export interface RequestContext {
  readonly mcpReq: Pick<
    ServerContext["mcpReq"],
    "id" | "method" | "_meta" | "envelope" | "inputResponses" | "requestState" | "signal" | "send" | "notify"
  >;
  readonly http?: ServerContext["http"];
}
