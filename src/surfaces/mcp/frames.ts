// One line from a client comes in; the messages in it go out, each with what reading it as JSON has silently changed.
//
// A message that can be read in two ways is never acted upon. Of a tools/call the arguments are what a model wrote: their
// flaws go along, so that the refusal reaches the model and the record. Everything around them (name, metadata, a
// person's answers) is the client's doing, and the client is told with a protocol error.
import { isUtf8 } from "node:buffer";
import {
  isJSONRPCErrorResponse,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type RequestId,
} from "@modelcontextprotocol/server";
import { isJsonObject } from "../../model/json.js";
import { scanJson } from "../../util/json/scan.js";
import { isMalformed, JSON_LIMITS, type JsonViolation, MOST_VIOLATIONS } from "../../util/json/violation.js";
import { idOfOversize } from "../../util/oversize-id.js";
import { findWrongParams } from "./handshake-params.js";

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;

/** Those of arguments, with room for the levels around them. */
const FRAME_LIMITS = { maxDepth: JSON_LIMITS.maxDepth + 8, maxValues: JSON_LIMITS.maxValues };
const HEAD_BYTES = 4096;
const ARGUMENTS = "/params/arguments";
const NOT_A_MESSAGE = "The message is not a JSON-RPC 2.0 request, notification or response.";

/** What one line from a client turned out to be. */
export type Frame = Item | { readonly kind: "batch"; readonly items: readonly Item[] };

/** What one message turned out to be. */
export type Item =
  | Delivery
  | { readonly kind: "refused"; readonly answer: ErrorAnswer }
  /** A notification that can be read in two ways: nobody can be told. */
  | { readonly kind: "ignored" };

export interface Delivery {
  readonly kind: "message";
  readonly message: JSONRPCMessage;
  /** Of the arguments of a tools/call; pointers into the message. */
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
  const excess = flaws.find(isMalformed);
  if (excess !== undefined) return refuse(idOfLine(line), INVALID_REQUEST, `The message ${excess.message}.`);
  // The scan has given up: what comes after them is not known.
  if (flaws.length >= MOST_VIOLATIONS) {
    return refuse(idOfLine(line), INVALID_REQUEST, `The message has ${MOST_VIOLATIONS} ambiguous values or more.`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse(null, PARSE_ERROR, "The message is not valid JSON.");
  }
  if (!Array.isArray(value)) return judge(value, flaws);
  return { kind: "batch", items: value.map((item, index) => judge(item, flawsOfItem(flaws, index))) };
}

function judge(value: unknown, flaws: readonly JsonViolation[]): Item {
  const wrongId = flaws.find(({ path }) => path === "/id");
  if (wrongId !== undefined) return refuse(null, INVALID_REQUEST, `The message's id ${wrongId.message}.`);
  if (!isMessage(value)) return refuse(idOf(value), INVALID_REQUEST, NOT_A_MESSAGE);
  if (!("method" in value)) return deliver(flaws.length === 0 && isAnswer(value) ? value : toNoAnswer(value));
  if (!("id" in value)) return flaws.some(isAmbiguous) ? { kind: "ignored" } : deliver(value);
  const wrong = findWrongParams(value.method, value.params);
  if (wrong !== undefined) return refuse(value.id, INVALID_PARAMS, wrong);
  const around = flaws.find(({ path }) => value.method !== "tools/call" || !isInArguments(path));
  if (around === undefined) return deliver(value, flaws);
  return refuse(value.id, INVALID_REQUEST, `${around.path || "The message"} ${around.message}.`);
}

function deliver(message: JSONRPCMessage, flaws: readonly JsonViolation[] = []): Delivery {
  return { kind: "message", message, flaws };
}

function isInArguments(path: string): boolean {
  return path === ARGUMENTS || path.startsWith(`${ARGUMENTS}/`);
}

/** Of the flaws of a batch those of one of its items. */
function flawsOfItem(flaws: readonly JsonViolation[], index: number): readonly JsonViolation[] {
  const prefix = `/${index}`;
  return flaws
    .filter(({ path }) => path === prefix || path.startsWith(`${prefix}/`))
    .map((flaw) => ({ ...flaw, path: flaw.path.slice(prefix.length) }));
}

/** Of any other form it would be dropped by the SDK, and whoever asked left waiting. */
function isAnswer(value: JSONRPCMessage): boolean {
  return isJSONRPCResultResponse(value) || isJSONRPCErrorResponse(value);
}

/** A person's answer that is malformed or can be read in two ways is none. */
function toNoAnswer({ id }: { readonly id?: RequestId | undefined }): JSONRPCMessage {
  const error = { code: INVALID_REQUEST, message: "The answer is malformed, or can be read in two ways." };
  return { jsonrpc: "2.0", ...(id === undefined ? {} : { id }), error };
}

/** Odd characters of a text arrive as they were sent; they only matter where a value is passed on. */
function isAmbiguous({ kind }: JsonViolation): boolean {
  return kind !== "lone-surrogate" && kind !== "null-character";
}

function refuse(id: RequestId | null, code: number, message: string): Item {
  return { kind: "refused", answer: toErrorAnswer(id, code, message) };
}

/** The id of a line that is not worth reading whole. */
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
