// Between what a server answers and what our client is told: results as they are but for what belongs to one connection,
// errors as the protocol has them.
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { toDiscoveryError } from "../../errors.js";
import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { UpstreamAnswer } from "../../upstreams/types.js";
import type { Secrets } from "../../util/secrets.js";

/** An error of the server is the server's: code, text and data reach the client. */
export function toResult(answer: UpstreamAnswer, era: "legacy" | "modern"): JsonObject {
  if (answer.kind === "error") throw new ProtocolError(answer.code, answer.message, answer.data);
  const { resultType: _complete, ...result } = answer.result;
  if (era === "modern") return result;
  const { ttlMs: _ttl, cacheScope: _scope, ...plain } = result;
  return plain;
}

export function toProtocolError(error: unknown, { redactError }: Secrets): ProtocolError {
  if (error instanceof ProtocolError) return error;
  const told = redactError(toDiscoveryError(error));
  const code = told.code === "INVALID_REQUEST" ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
  return new ProtocolError(code, [told.message, told.hint].filter(Boolean).join(" "), { code: told.code });
}

/** A request as it travels on: the caller's metadata too, but for what belongs to the caller's connection. */
export function toForward(asked: JsonObject, changes: JsonObject): JsonObject {
  const { _meta: given, inputResponses: _answers, requestState: _state, ...params } = asked;
  const { progressToken: _token, ...meta } = isJsonObject(given) ? given : {};
  return { ...params, ...changes, ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }) };
}

export function needText(params: JsonObject, name: string, method: string): string {
  const value = params[name];
  if (typeof value === "string") return value;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${method} needs ${name}, a text.`);
}

export function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

export function resourceNotFound(uri: string, message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.ResourceNotFound, message, { uri });
}
