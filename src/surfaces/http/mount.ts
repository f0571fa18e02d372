import type { IncomingMessage } from "node:http";
import type { Actor } from "../../model/actor.js";

/** A path whose requests and answers are another protocol's, not a table's. */
export interface Mount {
  /** As OpenAPI writes it. */
  readonly path: string;
  readonly methods: readonly ("GET" | "POST" | "DELETE")[];
  run(request: MountRequest): Promise<Response>;
}

export interface MountRequest {
  readonly actor: Actor;
  /** When the actor's token stops to count: no stream may outlive it. */
  readonly until?: number;
  readonly path: Readonly<Record<string, string>>;
  readonly incoming: IncomingMessage;
  /** Of a POST: said to be JSON and of a bearable size, and nothing more is known of it. */
  readonly body: Buffer | undefined;
  /** Aborts when the caller is gone. */
  readonly gone: AbortSignal;
}
