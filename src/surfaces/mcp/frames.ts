import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/server";
import { isJsonObject } from "../../model/json.js";

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const INTERNAL_ERROR = -32603;

/** What one line from a client turned out to be. */
export type Frame =
  | { readonly kind: "message"; readonly message: JSONRPCMessage }
  | { readonly kind: "batch"; readonly items: readonly unknown[] }
  | { readonly kind: "refused"; readonly answer: ErrorAnswer };

export interface ErrorAnswer {
  readonly jsonrpc: "2.0";
  readonly id: RequestId | null;
  readonly error: { readonly code: number; readonly message: string };
}

export function parseFrame(line: string): Frame {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { kind: "refused", answer: toErrorAnswer(null, PARSE_ERROR, "The message is not valid JSON.") };
  }
  if (Array.isArray(value)) return { kind: "batch", items: value };
  return isMessage(value) ? { kind: "message", message: value } : { kind: "refused", answer: notAMessage(value) };
}

export function toErrorAnswer(id: RequestId | null, code: number, message: string): ErrorAnswer {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

export function notAMessage(value: unknown): ErrorAnswer {
  const what = "The message is not a JSON-RPC 2.0 request, notification or response.";
  return toErrorAnswer(idOf(value), INVALID_REQUEST, what);
}

export function isMessage(value: unknown): value is JSONRPCMessage {
  if (!isJsonObject(value) || value["jsonrpc"] !== "2.0") return false;
  const { id, method, params } = value;
  if (id !== undefined && !isId(id)) return false;
  if (method === undefined) return id !== undefined && ("result" in value || isJsonObject(value["error"]));
  return typeof method === "string" && (params === undefined || isJsonObject(params));
}

export function isId(id: unknown): id is RequestId {
  return typeof id === "string" || (typeof id === "number" && Number.isInteger(id));
}

function idOf(value: unknown): RequestId | null {
  const id = isJsonObject(value) ? value["id"] : undefined;
  return isId(id) ? id : null;
}
