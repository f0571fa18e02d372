import type { ServerContext } from "@modelcontextprotocol/server";

/** The part of the SDK's request context that the handlers use. */
export interface RequestContext {
  readonly mcpReq: Pick<
    ServerContext["mcpReq"],
    "id" | "method" | "_meta" | "envelope" | "inputResponses" | "requestState" | "signal" | "send" | "notify"
  >;
  readonly http?: ServerContext["http"];
}
