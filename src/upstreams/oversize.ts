import { DiscoveryError } from "../errors.js";
import { isJsonObject, type JsonObject } from "../model/json.js";
import type { Overflow } from "../util/line-reader.js";
import { idOfOversize } from "../util/oversize-id.js";

// Outside of what JSON-RPC and MCP reserve. A server that sends it itself only gets its own call reported as too large.
const OVERSIZE_CODE = -31_413;

/** The answer that stands in for a message too large to read, so that its own call fails and all others live on. */
export function oversizeAnswer(overflow: Overflow): JsonObject | undefined {
  const id = idOfOversize(overflow);
  if (id === undefined) return undefined;
  return {
    jsonrpc: "2.0",
    id,
    error: { code: OVERSIZE_CODE, message: "The answer is too large.", data: { bytes: overflow.bytes } },
  };
}

/** The error for such an answer, or undefined for any other. */
export function oversizeError(server: string, code: number, data: unknown): DiscoveryError | undefined {
  if (code !== OVERSIZE_CODE) return undefined;
  const bytes = isJsonObject(data) && typeof data["bytes"] === "number" ? data["bytes"] : undefined;
  return tooLarge(server, bytes);
}

export function tooLarge(server: string, bytes: number | undefined): DiscoveryError {
  const size = bytes === undefined ? "" : ` of ${(bytes / 1024 / 1024).toFixed(1)} MiB`;
  return new DiscoveryError("RESULT_TOO_LARGE", `${server} gave an answer${size}, which exceeds the limit.`, {
    hint: "Ask for less: fewer items, a page, a narrower filter.",
    facts: bytes === undefined ? {} : { bytes },
    server,
    executed: "yes",
  });
}
