import type { Readable, Writable } from "node:stream";
import type { JSONRPCMessage, RequestId, Transport } from "@modelcontextprotocol/server";
import type { JsonObject } from "../../model/json.js";
import { createLineReader } from "../../util/line-reader.js";
import type { JsonViolation } from "../../util/json/violation.js";
import { idOfOversize } from "../../util/oversize-id.js";
import { BATCH_REVISION, createBatches, MAX_BATCH } from "./batches.js";
import {
  type Delivery,
  INTERNAL_ERROR,
  INVALID_REQUEST,
  isId,
  type Item,
  parseFrame,
  toErrorAnswer,
} from "./frames.js";
import type { FastPathResponse, FastPath } from "./fast-path.js";
import { createOutbox, type Outbox } from "./outbox.js";

/** The maximum size of a message from the client. */
const MAX_FRAME_BYTES = 1024 * 1024;
const LISTEN = "subscriptions/listen";

/**
 * The server side of a stdio connection. Unlike the SDK's transport, it responds to an invalid or oversized line with a
 * JSON-RPC error and keeps the connection open. It stops reading while the client does not read the responses
 * (backpressure).
 */
export class BoundedStdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Called when the client has closed its output. The client may still read responses. */
  onhangup?: () => void;
  /**
   * Called with the parameters when the client opens a `subscriptions/listen` stream (MCP 2026-07-28), and with
   * undefined when the stream closes.
   */
  onlisten?: (id: RequestId, params: unknown) => void;
  /** Handles tools/call requests that do not need the SDK. */
  fastPath?: FastPath;
  /** Called once, when the first response is being sent. */
  onfirstanswer?: (() => void) | undefined;

  readonly #input: Readable;
  readonly #output: Writable;
  /** The methods of open requests, by request id. An open request has no response yet. */
  readonly #open = new Map<RequestId, string>();
  readonly #flaws = new Map<RequestId, readonly JsonViolation[]>();
  readonly #batches = createBatches({
    write: (answers) => this.#write(answers),
    isOpen: (id) => this.#open.has(id),
  });
  #revision: string | undefined;
  #isReading = false;
  readonly #outbox: Outbox;
  #isClosed = false;
  /** Set by `answerOpen`. Further responses are dropped, because every request already has one. */
  #hasAnsweredAll = false;
  readonly #waiting = new Set<() => void>();

  readonly #reader = createLineReader({
    maxBytes: MAX_FRAME_BYTES,
    onLine: (line) => this.#receive(line),
    onOverflow: (overflow) => {
      const message = `The message has ${overflow.bytes} bytes; the limit is ${MAX_FRAME_BYTES} bytes.`;
      this.#write(toErrorAnswer(idOfOversize(overflow) ?? null, INVALID_REQUEST, message));
    },
  });

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#output = output;
    this.#outbox = createOutbox({
      input,
      output,
      isReading: () => this.#isReading,
      onStuck: () => void this.close(),
    });
  }

  readonly #onData = (chunk: Buffer): void => this.#reader.push(chunk);
  readonly #onEnd = (): void => this.onhangup?.();
  readonly #onBroken = (): void => void this.close();
  readonly #onDrain = (): void => this.#outbox.drained();

  async start(): Promise<void> {
    this.#isReading = true;
    this.#input.on("data", this.#onData).on("end", this.#onEnd).on("close", this.#onEnd).on("error", this.#onBroken);
    this.#output.on("drain", this.#onDrain);
    // This listener is never removed: the client may disconnect before the last response is written, and an unhandled
    // error event would end the process.
    this.#output.on("error", this.#onBroken);
  }

  setProtocolVersion(revision: string): void {
    this.#revision = revision;
  }

  /** Stops reading messages. Responses are still sent. */
  stopReading(): void {
    this.#isReading = false;
    this.#input.off("data", this.#onData);
    this.#input.pause();
  }

  /** Resolves when every request has a response, or after `ms`. */
  async answered(ms: number): Promise<void> {
    if (this.#open.size === 0 || this.#isClosed) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.#waiting.add(wake);
    });
  }

  #wakeAll(): void {
    for (const wake of this.#waiting) wake();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) throw new Error("The client has closed the connection.");
    if (!("method" in message) && message.id !== undefined) this.#answer(message.id, message);
    else this.#write(message);
  }

  /** Sends a response of the fast path, unless the connection is closed. */
  readonly answer = (answer: FastPathResponse): void => {
    if (!this.#isClosed) this.#answer(answer.id, answer);
  };

  #answer(id: RequestId, answer: object): void {
    if (this.#hasAnsweredAll) return;
    if (!this.#batches.take(id, answer)) this.#write(answer);
    this.#settle(id);
  }

  /** Sends the result of `toAnswer` as the response to every open request. */
  answerOpen(
    toAnswer: (method: string) => { result: JsonObject } | { error: { code: number; message: string } },
  ): void {
    for (const [id, method] of this.#open) {
      const answer = { jsonrpc: "2.0", id, ...toAnswer(method) };
      if (!this.#batches.take(id, answer)) this.#write(answer);
    }
    this.#open.clear();
    this.#hasAnsweredAll = true;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.stopReading();
    this.#input.off("end", this.#onEnd).off("close", this.#onEnd).off("error", this.#onBroken);
    this.#outbox.close();
    this.#wakeAll();
    this.fastPath?.close();
    this.onclose?.();
  }

  #receive(line: Buffer): void {
    if (isBlank(line)) return;
    const frame = parseFrame(line);
    if (frame.kind === "message") this.#take(frame);
    else if (frame.kind === "refused") this.#write(frame.answer);
    else if (frame.kind === "batch") this.#receiveBatch(frame.items);
  }

  #receiveBatch(items: readonly Item[]): void {
    if (this.#revision !== BATCH_REVISION)
      this.#refuse(`JSON-RPC batches are allowed only in the MCP revision ${BATCH_REVISION}.`);
    else if (items.length === 0) this.#refuse("The JSON-RPC batch is empty.");
    else if (items.length > MAX_BATCH) this.#refuse(`A JSON-RPC batch may have at most ${MAX_BATCH} messages.`);
    else for (const delivery of this.#batches.open(items)) this.#deliver(delivery);
  }

  #take(delivery: Delivery): void {
    const { message } = delivery;
    // A request that reuses the id of an open request is rejected. The error has no id, because the response with this
    // id belongs to the open request.
    if ("method" in message && "id" in message && this.#open.has(message.id))
      this.#refuse(`A request with the id ${JSON.stringify(message.id)} is still open.`);
    else this.#deliver(delivery);
  }

  #refuse(reason: string): void {
    this.#write(toErrorAnswer(null, INVALID_REQUEST, reason));
  }

  #deliver({ message, flaws }: Delivery): void {
    if ("method" in message) {
      // A `subscriptions/listen` request gets its response when the stream ends, so it does not count as open.
      if ("id" in message && message.method === LISTEN) this.onlisten?.(message.id, message.params ?? {});
      else if ("id" in message) {
        this.#open.set(message.id, message.method);
        if (flaws.length > 0) this.#flaws.set(message.id, flaws);
      }
      // A cancelled request needs no response.
      const cancelled = message.method === "notifications/cancelled" ? message.params?.["requestId"] : undefined;
      if (isId(cancelled)) {
        this.onlisten?.(cancelled, undefined);
        this.fastPath?.cancel(cancelled);
        this.#batches.forget(cancelled);
        this.#settle(cancelled);
      }
    }
    if ("method" in message && "id" in message && this.fastPath?.take(message) === true) return;
    this.onmessage?.(message);
  }

  /** Returns the JSON ambiguities (such as duplicate keys) in the arguments of an open request. */
  flawsOf(id: RequestId): readonly JsonViolation[] {
    return this.#flaws.get(id) ?? [];
  }

  #settle(id: RequestId): void {
    this.#open.delete(id);
    this.#flaws.delete(id);
    if (this.#open.size === 0) this.#wakeAll();
    this.onfirstanswer?.();
    this.onfirstanswer = undefined;
  }

  #write(message: object): void {
    const text = this.#isClosed ? undefined : toText(message);
    if (text !== undefined) this.#outbox.write(message, text);
  }
}

/**
 * Serializes a message. If a response cannot be serialized, an error response is sent instead; a notification is
 * dropped.
 */
function toText(message: object): string | undefined {
  try {
    return JSON.stringify(message);
  } catch {
    if ("method" in message) return undefined;
    const id = "id" in message && isId(message.id) ? message.id : null;
    return JSON.stringify(toErrorAnswer(id, INTERNAL_ERROR, "The result cannot be serialized as JSON."));
  }
}

function isBlank(line: Buffer): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
