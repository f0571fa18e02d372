// Converts a client's request before it is forwarded to a server, and the server's response before it is sent to the
// client. Removes members that belong to one connection, and converts errors to protocol errors.
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { toDiscoveryError } from "../../errors.js";
import { isJsonObject, type JsonObject } from "../../model/json.js";
import { type DescribeStep, withHintText } from "../../model/next-steps.js";
import type { UpstreamAnswer } from "../../upstreams/types.js";
import type { Secrets } from "../../util/secrets.js";

/** Converts a server's response for the client. An error is passed on with its code, message and data. */
export function toRelayedResult(answer: UpstreamAnswer, era: "legacy" | "modern"): JsonObject {
  if (answer.kind === "error") throw new ProtocolError(answer.code, answer.message, answer.data);
  const { resultType: _complete, ...result } = answer.result;
  if (era === "modern") return result;
  const { ttlMs: _ttl, cacheScope: _scope, ...plain } = result;
  return plain;
}

export function toProtocolError(error: unknown, describe: DescribeStep, { redactError }: Secrets): ProtocolError {
  if (error instanceof ProtocolError) return error;
  const failure = redactError(toDiscoveryError(error));
  const code = failure.code === "INVALID_REQUEST" ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
  return new ProtocolError(code, withHintText(failure, describe), { code: failure.code });
}

/**
 * Returns the parameters to forward: with the caller's `_meta`, without members that belong to the caller's connection.
 */
export function toForward(received: JsonObject, changes: JsonObject): JsonObject {
  const { _meta: given, inputResponses: _answers, requestState: _state, ...params } = received;
  const { progressToken: _token, ...meta } = isJsonObject(given) ? given : {};
  return { ...params, ...changes, ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }) };
}

export function needText(params: JsonObject, name: string, method: string): string {
  const value = params[name];
  if (typeof value === "string") return value;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${method} needs a string in "${name}".`);
}

export function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

export function resourceNotFound(uri: string, message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.ResourceNotFound, message, { uri });
}
