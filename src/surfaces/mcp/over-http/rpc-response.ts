import type { RequestId } from "@modelcontextprotocol/server";
import { toErrorAnswer } from "../frames.js";

/**
 * The JSON-RPC error code for a session that does not exist or belongs to another caller. Callers cannot distinguish
 * these cases.
 */
export const SESSION_NOT_FOUND = -32001;
export const SERVER_ERROR = -32000;

export interface RpcFailure {
  readonly status: 400 | 404 | 405 | 503;
  readonly code: number;
  readonly message: string;
  readonly id?: RequestId | null;
  readonly headers?: Readonly<Record<string, string>>;
}

export function toRpcFailure({ status, code, message, id = null, headers = {} }: RpcFailure): Response {
  return Response.json(toErrorAnswer(id, code, message), { status, headers });
}

/** Formats a message as a server-sent event. */
export function toEvent(message: object): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`;
}

export function isEventStream({ headers, body }: Response): boolean {
  return body !== null && headers.get("content-type")?.startsWith("text/event-stream") === true;
}
