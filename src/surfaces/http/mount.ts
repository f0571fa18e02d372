import type { IncomingMessage } from "node:http";
import type { Actor } from "../../model/actor.js";

/** A path that is served by another protocol handler (MCP) instead of a route. */
export interface Mount {
  /** In OpenAPI syntax. */
  readonly path: string;
  readonly methods: readonly ("GET" | "POST" | "DELETE")[];
  run(request: MountRequest): Promise<Response>;
}

export interface MountRequest {
  readonly actor: Actor;
  /** When the actor's token expires: no stream may outlive it. */
  readonly until?: number;
  readonly path: Readonly<Record<string, string>>;
  readonly incoming: IncomingMessage;
  /** The body of a POST: its content type is JSON and its size is limited; it is not parsed yet. */
  readonly body: Buffer | undefined;
  /** Aborts when the caller disconnects. */
  readonly disconnected: AbortSignal;
}
