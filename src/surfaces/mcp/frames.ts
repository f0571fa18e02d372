// Parses one line from a client into JSON-RPC messages, each with the ambiguities that JSON parsing would silently
// resolve (duplicate keys, unsafe numbers and others).
//
// An ambiguous message is never acted upon. The arguments of tools/call are written by a model: their ambiguities are
// passed on, so that the model gets the error and the audit log records it. The rest of a message (name, metadata,
// answers of the user) is written by the client: if it is ambiguous, the client gets a protocol error.
import { isUtf8 } from "node:buffer";
import {
  isJSONRPCErrorResponse,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type RequestId,
} from "@modelcontextprotocol/server";
import { isJsonObject } from "../../model/json.js";
import { scanJson } from "../../util/json/scan.js";
import { isMalformed, JSON_LIMITS, type JsonViolation, MAX_VIOLATIONS } from "../../util/json/violation.js";
import { idOfOversize } from "../../util/oversize-id.js";
import { findInvalidParams } from "./handshake-params.js";

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;

/** Limits for one message: those for the arguments of a tool, plus the nesting levels around the arguments. */
const FRAME_LIMITS = { ...JSON_LIMITS, maxDepth: JSON_LIMITS.maxDepth + 8 };
const HEAD_BYTES = 4096;
const ARGUMENTS = "/params/arguments";
const NOT_A_MESSAGE = "The message is not a JSON-RPC 2.0 request, notification or response.";
const REQUEST_AND_RESPONSE =
  'The message has "method" and also "result" or "error", so it is request and response at once.';
const MEMBERS: ReadonlySet<string> = new Set(["jsonrpc", "id", "method", "params"]);

/** The result of parsing one line. */
export type Frame = Item | { readonly kind: "batch"; readonly items: readonly Item[] };

/** The result of parsing one message. */
export type Item =
  | Delivery
  | { readonly kind: "refused"; readonly answer: ErrorAnswer }
  /** An ambiguous notification. It is ignored: without an id, no error response can be sent. */
  | { readonly kind: "ignored" };

export interface Delivery {
  readonly kind: "message";
  readonly message: JSONRPCMessage;
  /** The ambiguities in the arguments of tools/call, with JSON Pointers into the message. */
  readonly flaws: readonly JsonViolation[];
}

export interface ErrorAnswer {
  readonly jsonrpc: "2.0";
  readonly id: RequestId | null;
  readonly error: { readonly code: number; readonly message: string };
}

export function parseFrame(line: Buffer): Frame {
  if (!isUtf8(line)) return refuse(null, PARSE_ERROR, "The message is not UTF-8.");
  const text = line.toString("utf8");
  const flaws = scanJson(text, FRAME_LIMITS);
  const malformed = flaws.find(isMalformed);
  if (malformed !== undefined) return refuse(idOfLine(line), INVALID_REQUEST, `The message ${malformed.message}.`);
  // The scan stops at `MAX_VIOLATIONS`, so the rest of the message is unchecked.
  if (flaws.length >= MAX_VIOLATIONS) {
    return refuse(
      idOfLine(line),
      INVALID_REQUEST,
      `The message contains too many ambiguous JSON values (${MAX_VIOLATIONS} or more), such as duplicate keys.`,
    );
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse(null, PARSE_ERROR, "The message is not valid JSON.");
  }
  if (!Array.isArray(value)) return classify(value, flaws);
  return { kind: "batch", items: value.map((item, index) => classify(item, flawsOfItem(flaws, index))) };
}

function classify(value: unknown, flaws: readonly JsonViolation[]): Item {
  const invalidId = flaws.find(({ path }) => path === "/id");
  if (invalidId !== undefined)
    return refuse(null, INVALID_REQUEST, `The member "id" of the message ${invalidId.message}.`);
  if (!isMessage(value)) return refuse(idOf(value), INVALID_REQUEST, NOT_A_MESSAGE);
  if (!("method" in value))
    return deliver(flaws.length === 0 && isAnswer(value) ? value : toInvalidResponseError(value));
  if ("result" in value || "error" in value) return refuse(idOf(value), INVALID_REQUEST, REQUEST_AND_RESPONSE);
  if (!("id" in value)) return flaws.some(isAmbiguous) ? { kind: "ignored" } : deliver(withoutUnknown(value));
  const invalid = findInvalidParams(value.method, value.params);
  if (invalid !== undefined) return refuse(value.id, INVALID_PARAMS, invalid);
  const outsideArguments = flaws.find(({ path }) => value.method !== "tools/call" || !isInArguments(path));
  if (outsideArguments === undefined) return deliver(withoutUnknown(value), flaws);
  return refuse(value.id, INVALID_REQUEST, `${outsideArguments.path || "The message"} ${outsideArguments.message}.`);
}

/** Without members that JSON-RPC does not know. The SDK would drop a message with such a member, without a response. */
function withoutUnknown<Message extends JSONRPCMessage>(message: Message): Message {
  for (const name in message) if (!MEMBERS.has(name)) return copyKnown(message);
  return message;
}

function copyKnown<Message extends JSONRPCMessage>(message: Message): Message {
  return Object.fromEntries(Object.entries(message).filter(([name]) => MEMBERS.has(name))) as Message;
}

function deliver(message: JSONRPCMessage, flaws: readonly JsonViolation[] = []): Delivery {
  return { kind: "message", message, flaws };
}

function isInArguments(path: string): boolean {
  return path === ARGUMENTS || path.startsWith(`${ARGUMENTS}/`);
}

/** Returns the ambiguities in one item of a batch, with paths relative to the item. */
function flawsOfItem(flaws: readonly JsonViolation[], index: number): readonly JsonViolation[] {
  const prefix = `/${index}`;
  return flaws
    .filter(({ path }) => path === prefix || path.startsWith(`${prefix}/`))
    .map((flaw) => ({ ...flaw, path: flaw.path.slice(prefix.length) }));
}

/** Whether a response is valid. The SDK would drop an invalid one, and the gateway's request would never end. */
function isAnswer(value: JSONRPCMessage): boolean {
  return isJSONRPCResultResponse(value) || isJSONRPCErrorResponse(value);
}

/** Replaces a malformed or ambiguous response with an error, so that the gateway's request ends. */
function toInvalidResponseError({ id }: { readonly id?: RequestId | undefined }): JSONRPCMessage {
  const error = { code: INVALID_REQUEST, message: "The response is malformed or ambiguous." };
  return { jsonrpc: "2.0", ...(id === undefined ? {} : { id }), error };
}

/**
 * Whether the gateway itself could misread the value. Lone surrogates and null characters are preserved by parsing, so
 * they are not ambiguous for the gateway.
 */
function isAmbiguous({ kind }: JsonViolation): boolean {
  return kind !== "lone-surrogate" && kind !== "null-character";
}

function refuse(id: RequestId | null, code: number, message: string): Item {
  return { kind: "refused", answer: toErrorAnswer(id, code, message) };
}

/** Finds the JSON-RPC id in a line without parsing the line completely. */
function idOfLine(line: Buffer): RequestId | null {
  const parts = { head: line.subarray(0, HEAD_BYTES), tail: line.subarray(-HEAD_BYTES), bytes: line.length };
  return idOfOversize(parts) ?? null;
}

export function toErrorAnswer(id: RequestId | null, code: number, message: string): ErrorAnswer {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

function isMessage(value: unknown): value is JSONRPCMessage {
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
