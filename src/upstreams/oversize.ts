import { DiscoveryError } from "../errors.js";
import { isJsonObject, type JsonObject } from "../model/json.js";
import type { Overflow } from "../util/line-reader.js";
import { idOfOversize } from "../util/oversize-id.js";

// A JSON-RPC error code outside the ranges that JSON-RPC and MCP reserve. If a server sends this code itself, only that
// call is reported as too large.
const OVERSIZE_CODE = -31_413;

/** The error response that replaces a message that is too large to read, so that only its call fails. */
export function oversizeAnswer(overflow: Overflow): JsonObject | undefined {
  const id = idOfOversize(overflow);
  if (id === undefined) return undefined;
  return {
    jsonrpc: "2.0",
    id,
    error: { code: OVERSIZE_CODE, message: "The answer is too large.", data: { bytes: overflow.bytes } },
  };
}

/** Converts the error response of `oversizeAnswer` into a DiscoveryError. Undefined for any other error code. */
export function oversizeError(server: string, code: number, data: unknown): DiscoveryError | undefined {
  if (code !== OVERSIZE_CODE) return undefined;
  const bytes = isJsonObject(data) && typeof data["bytes"] === "number" ? data["bytes"] : undefined;
  return messageTooLarge(server, bytes);
}

export function messageTooLarge(server: string, bytes: number | undefined): DiscoveryError {
  const size = bytes === undefined ? "" : ` of ${(bytes / 1024 / 1024).toFixed(1)} MiB`;
  return new DiscoveryError("RESULT_TOO_LARGE", `${server} sent an answer${size}, which exceeds the limit.`, {
    hint: "Request less data: fewer items, one page, or a narrower filter.",
    facts: bytes === undefined ? {} : { bytes },
    server,
    executed: "yes",
  });
}
