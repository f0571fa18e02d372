import { DiscoveryError } from "../errors.js";
import { isJsonObject, type JsonObject } from "../model/json.js";
import type { JsonShapeFault } from "../util/json/measure.js";
import type { Overflow } from "../util/line-reader.js";
import { idOfOversize } from "../util/oversize-id.js";

// A JSON-RPC error code outside the ranges that JSON-RPC and MCP reserve. If a server sends this code itself, only that
// call is reported as too large.
const OVERSIZE_CODE = -31_413;

/** Maximum nesting depth of a result. JSON serialization of deeper data would exhaust the call stack. */
export const MAX_RESULT_DEPTH = 500;

/**
 * The largest structure of a message that is parsed. `JSON.parse` blocks the gateway: a message of 10 MiB at these
 * limits takes some tenths of a second, and several seconds without them. A page with 3,000 tools stays below them.
 */
export const MESSAGE_LIMITS = { maxDepth: MAX_RESULT_DEPTH + 8, maxValues: 500_000, maxKeys: 150_000 };

/** The error response that replaces a message that is not parsed, so that only its call fails. */
export function oversizeAnswer(overflow: Overflow, fault?: JsonShapeFault): JsonObject | undefined {
  const id = idOfOversize(overflow);
  if (id === undefined) return undefined;
  const data = { bytes: overflow.bytes, ...(fault === undefined ? {} : { fault }) };
  return { jsonrpc: "2.0", id, error: { code: OVERSIZE_CODE, message: "The answer is too large.", data } };
}

/** Converts the error response of `oversizeAnswer` into a DiscoveryError. Undefined for any other error code. */
export function oversizeError(server: string, code: number, data: unknown): DiscoveryError | undefined {
  if (code !== OVERSIZE_CODE) return undefined;
  const { bytes, fault } = isJsonObject(data) ? data : {};
  if (fault === "too-deep") return tooDeep(server);
  if (fault === "too-many-values" || fault === "too-many-keys") return tooComplex(server, fault);
  return messageTooLarge(server, typeof bytes === "number" ? bytes : undefined);
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

export function tooDeep(server: string): DiscoveryError {
  return new DiscoveryError(
    "TOOL_EXECUTION_ERROR",
    `${server} answered with data nested over ${MAX_RESULT_DEPTH} levels deep.`,
    { hint: "The tool ran, but its result cannot be passed on.", server, executed: "yes" },
  );
}

export function tooComplex(server: string, fault: Exclude<JsonShapeFault, "too-deep">): DiscoveryError {
  const { maxValues, maxKeys } = MESSAGE_LIMITS;
  const limit = fault === "too-many-keys" ? `${maxKeys} keys` : `${maxValues} values`;
  return new DiscoveryError("RESULT_TOO_LARGE", `${server} sent an answer with more than ${limit}.`, {
    hint: "Request less data: fewer items, one page, or a narrower filter.",
    server,
    executed: "yes",
  });
}
