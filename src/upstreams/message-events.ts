// A stream of server-sent events with checked messages: no message in it is too large or takes too long to parse.
import { setTimeout as pause } from "node:timers/promises";
import { createJsonMeter, type JsonMeter } from "../util/json/measure.js";
import { createLineReader } from "../util/line-reader.js";
import type { MessageMonitor } from "./message-monitor.js";
import { MESSAGE_LIMITS, messageTooLarge, oversizeAnswer, tooComplex, tooDeep } from "./oversize.js";
import type { ReadMessages } from "./read-messages.js";

const LINE_FEED_BYTE = 0x0a;
const CARRIAGE_RETURN_BYTE = 0x0d;
const SPACE_BYTE = 0x20;
const LINE_FEED = Buffer.from([LINE_FEED_BYTE]);
const DATA = Buffer.from("data:");
/** Size allowance for the `event:` and `id:` lines of a server-sent event, in addition to its data. */
const MAX_EVENT_HEADER_BYTES = 4096;
/**
 * A line that is longer than this multiple of `maxMessageBytes` ends the stream, because the line may be endless or
 * decompress to gigabytes.
 */
const MAX_LINE_FACTOR = 16;

export interface MessageEventsParts {
  readonly server: string;
  readonly maxMessageBytes: number;
  readonly monitor: MessageMonitor;
  readonly readMessages: ReadMessages;
}

/**
 * Replaces an event that is too large with an error response for its call; the stream and its other events continue.
 * The stream ends if an event with many `data:` lines is too large (no known server sends one) or if a line does not
 * end. Reading pauses while the server sends a flood.
 */
export function createMessageEvents(parts: MessageEventsParts): TransformStream<Uint8Array, Uint8Array> {
  const { server, maxMessageBytes, monitor, readMessages } = parts;
  let output: TransformStreamDefaultController<Uint8Array> | undefined;
  let eventBytes = 0;
  let lineBytes = 0;
  /** Measures the `data:` lines of an event after the first one. */
  let meter: JsonMeter | undefined;
  let hasData = false;

  function takeData(line: Buffer): void {
    const value = line.subarray(line[DATA.length] === SPACE_BYTE ? DATA.length + 1 : DATA.length);
    if (hasData) return takeMoreData(line, value);
    hasData = true;
    meter = createJsonMeter(MESSAGE_LIMITS);
    const checked = readMessages.ofHttp(value);
    if (checked === undefined) return;
    if (checked === value) meter.push(value);
    output?.enqueue(checked === value ? Buffer.concat([line, LINE_FEED]) : Buffer.concat([DATA, checked, LINE_FEED]));
  }

  function takeMoreData(line: Buffer, value: Buffer): void {
    const fault = meter?.push(value);
    if (fault === undefined) return output?.enqueue(Buffer.concat([line, LINE_FEED]));
    monitor.count("refused");
    output?.error(fault === "too-deep" ? tooDeep(server) : tooComplex(server, fault));
  }

  const reader = createLineReader({
    maxBytes: maxMessageBytes,
    onLine: (line) => {
      if (line.length === 0) {
        eventBytes = 0;
        hasData = false;
      } else eventBytes += line.length;
      if (eventBytes > maxMessageBytes + MAX_EVENT_HEADER_BYTES) {
        monitor.count("refused");
        output?.error(messageTooLarge(server, eventBytes));
      } else if (line.subarray(0, DATA.length).equals(DATA)) takeData(line);
      else output?.enqueue(Buffer.concat([line, LINE_FEED]));
    },
    onOverflow: (overflow) => {
      monitor.count("refused");
      const answer = oversizeAnswer(overflow);
      if (answer !== undefined) output?.enqueue(Buffer.from(`data: ${JSON.stringify(answer)}\n`));
    },
  });
  const withLineFeeds = createLineFeeds();

  return new TransformStream({
    start(controller) {
      output = controller;
    },
    async transform(given, controller) {
      const chunk = withLineFeeds(Buffer.from(given.buffer, given.byteOffset, given.byteLength));
      const end = chunk.lastIndexOf(LINE_FEED_BYTE);
      lineBytes = end === -1 ? lineBytes + chunk.byteLength : chunk.byteLength - end - 1;
      if (lineBytes > MAX_LINE_FACTOR * maxMessageBytes) return controller.error(messageTooLarge(server, lineBytes));
      const from = performance.now();
      reader.push(chunk);
      const pauseMs = monitor.pauseMs(performance.now() - from);
      // Nothing more is read from the connection until the promise resolves.
      if (pauseMs > 0) await pause(pauseMs, undefined, { ref: false });
    },
    flush: () => reader.end(),
  });
}

/** Converts the line breaks CR and CR LF, which server-sent events may have as well, to LF. */
function createLineFeeds(): (chunk: Buffer) => Buffer {
  let endedWithReturn = false;
  return (given) => {
    let chunk = endedWithReturn && given[0] === LINE_FEED_BYTE ? given.subarray(1) : given;
    if (given.length > 0) endedWithReturn = given.at(-1) === CARRIAGE_RETURN_BYTE;
    const pieces: Buffer[] = [];
    for (let at = chunk.indexOf(CARRIAGE_RETURN_BYTE); at !== -1; at = chunk.indexOf(CARRIAGE_RETURN_BYTE)) {
      pieces.push(chunk.subarray(0, at), LINE_FEED);
      chunk = chunk.subarray(chunk[at + 1] === LINE_FEED_BYTE ? at + 2 : at + 1);
    }
    return pieces.length === 0 ? chunk : Buffer.concat([...pieces, chunk]);
  };
}
