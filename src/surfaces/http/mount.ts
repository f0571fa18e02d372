import type { IncomingMessage } from "node:http";
import type { Actor } from "../../model/actor.js";

/** A path that is served by another protocol handler (MCP) instead of a route. */
export interface Mount {
  /** The path in OpenAPI syntax. */
  readonly path: string;
  readonly methods: readonly ("GET" | "POST" | "DELETE")[];
  run(request: MountRequest): Promise<Response>;
}

export interface MountRequest {
  readonly actor: Actor;
  /** When the actor's token expires, in milliseconds since 1970. Response streams must end then. */
  readonly until?: number;
  readonly path: Readonly<Record<string, string>>;
  readonly incoming: IncomingMessage;
  /** The unparsed body of a POST request. Its content type (JSON) and its size have been checked. */
  readonly body: Buffer | undefined;
  /** Aborts when the caller disconnects. */
  readonly disconnected: AbortSignal;
}
