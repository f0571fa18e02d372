// Reads the bytes of one message from a server. Bytes that would block the gateway or belong to a flood are not parsed.
import { isUtf8 } from "node:buffer";
import { isJsonObject, type JsonObject } from "../model/json.js";
import { findShapeFault, type JsonShapeFault } from "../util/json/measure.js";
import type { MessageMonitor } from "./message-monitor.js";
import { MESSAGE_LIMITS, oversizeAnswer } from "./oversize.js";

/** The member of a result's `_meta` that marks a result in which invalid UTF-8 was replaced. */
const INVALID_UTF8 = "anygpt/invalidUtf8";

const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
/** How servers begin a notification. Other spellings are recognized only after parsing. */
const NOTIFICATION_STARTS = ['{"jsonrpc":"2.0","method":"notifications/', '{"method":"notifications/'].map((text) =>
  Buffer.from(text),
);
const LIST_CHANGED = "list_changed";
const KEPT_BYTES = 4_096;

export interface ReadMessagesParts {
  readonly monitor: MessageMonitor;
  /** Called when a notification about a changed list was ignored as part of a flood. */
  readonly onMissedChange: () => void;
}

export interface ReadMessages {
  /** The messages in one line of a stdio server. Undefined if the line is not a message. */
  ofLine(line: Buffer): readonly JsonObject[] | undefined;
  /** The bytes of a message in an HTTP response: unchanged, replaced, or undefined if the message is ignored. */
  ofHttp(bytes: Buffer): Buffer | undefined;
}

export function createReadMessages({ monitor, onMissedChange }: ReadMessagesParts): ReadMessages {
  function drop(bytes: Buffer): void {
    monitor.count("dropped");
    if (bytes.includes(LIST_CHANGED)) onMissedChange();
  }

  function refuse(bytes: Buffer, fault: JsonShapeFault): JsonObject | undefined {
    monitor.count("refused");
    return oversizeAnswer(
      { head: bytes.subarray(0, KEPT_BYTES), tail: bytes.subarray(-KEPT_BYTES), bytes: bytes.length },
      fault,
    );
  }

  /** Whether the message can be passed on. Counts a message that the server sent without a request. */
  function isAdmitted(message: JsonObject, bytes: Buffer): boolean {
    if (message["method"] === undefined || monitor.charge(bytes.length)) return true;
    drop(bytes);
    return false;
  }

  return {
    ofLine(line) {
      const bytes = withoutMark(line);
      const first = bytes[0];
      if (first !== OPEN_OBJECT && first !== OPEN_LIST && !isJsonStart(bytes)) return undefined;
      if (monitor.isFlooding() && isNotification(bytes)) {
        drop(bytes);
        return [];
      }
      const fault = findShapeFault(bytes, MESSAGE_LIMITS);
      if (fault !== undefined) return [refuse(bytes, fault) ?? []].flat();
      const isValid = isUtf8(bytes);
      const value = parse(bytes);
      if (value === undefined) return undefined;
      if (!isValid) monitor.count("invalidUtf8");
      const messages: JsonObject[] = [];
      for (const message of Array.isArray(value) ? value : [value]) {
        if (!isJsonObject(message) || message["jsonrpc"] !== "2.0") monitor.count("notJson");
        else if (isAdmitted(message, bytes)) messages.push(isValid ? message : marked(message));
      }
      return messages;
    },

    ofHttp(given) {
      const bytes = withoutMark(given);
      const mayBeUnasked = bytes.subarray(0, KEPT_BYTES).includes('"method"');
      if (mayBeUnasked && !monitor.charge(bytes.length) && isUnasked(bytes)) {
        drop(bytes);
        return undefined;
      }
      const fault = findShapeFault(bytes, MESSAGE_LIMITS);
      if (fault !== undefined) {
        const answer = refuse(bytes, fault);
        return answer && Buffer.from(JSON.stringify(answer));
      }
      if (isUtf8(bytes)) return bytes;
      monitor.count("invalidUtf8");
      const value = parse(bytes);
      return isJsonObject(value) ? Buffer.from(JSON.stringify(marked(value))) : bytes;
    },
  };
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8")) as unknown;
  } catch {
    return undefined;
  }
}

function withoutMark(bytes: Buffer): Buffer {
  return bytes[0] === BYTE_ORDER_MARK[0] && bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
    ? bytes.subarray(BYTE_ORDER_MARK.length)
    : bytes;
}

/** Whether an object or array begins after white space. */
function isJsonStart(bytes: Buffer): boolean {
  let at = 0;
  while (bytes[at] === 0x20 || bytes[at] === 0x09) at += 1;
  return bytes[at] === OPEN_OBJECT || bytes[at] === OPEN_LIST;
}

function isNotification(bytes: Buffer): boolean {
  return NOTIFICATION_STARTS.some((start) => bytes.subarray(0, start.length).equals(start));
}

/** Whether the message is a notification or a request. */
function isUnasked(bytes: Buffer): boolean {
  if (isNotification(bytes)) return true;
  if (findShapeFault(bytes, MESSAGE_LIMITS) !== undefined) return false;
  const message = parse(bytes);
  return isJsonObject(message) && message["method"] !== undefined;
}

function marked(message: JsonObject): JsonObject {
  const { result } = message;
  if (!isJsonObject(result)) return message;
  const meta = isJsonObject(result["_meta"]) ? result["_meta"] : {};
  return { ...message, result: { ...result, _meta: { ...meta, [INVALID_UTF8]: true } } };
}
