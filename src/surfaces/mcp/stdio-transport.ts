import type { Readable, Writable } from "node:stream";
import type { JSONRPCMessage, RequestId, Transport } from "@modelcontextprotocol/server";
import { isJsonObject, type JsonObject } from "../../model/json.js";
import { createLineReader } from "../../util/line-reader.js";

/** Largest message a client may send. */
const MAX_FRAME_BYTES = 1024 * 1024;

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;

/**
 * The server's end of a stdio connection. Unlike the SDK's own, a bad or oversized line costs that line only:
 * it is answered with a JSON-RPC error, and the connection goes on.
 */
export class BoundedStdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Called once, when the first answer is on its way. */
  onfirstanswer?: (() => void) | undefined;

  readonly #input: Readable;
  readonly #output: Writable;
  /** Requests taken in and not answered yet, with their methods. */
  readonly #open = new Map<RequestId, string>();
  #isCorked = false;
  #isClosed = false;
  #onAllAnswered: () => void = () => undefined;

  readonly #reader = createLineReader({
    maxBytes: MAX_FRAME_BYTES,
    onLine: (line) => this.#receive(line.toString("utf8")),
    onOverflow: ({ bytes }) =>
      this.#refuse(null, INVALID_REQUEST, `A message of ${bytes} bytes is over the limit of ${MAX_FRAME_BYTES}.`),
  });

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#output = output;
  }

  async start(): Promise<void> {
    this.#input.on("data", this.#onData);
    this.#input.on("end", this.#onEnd);
    this.#input.on("close", this.#onEnd);
    this.#input.on("error", this.#onEnd);
    // The client may be gone before its last answer is written; the listener stays, an unheard error would be fatal.
    this.#output.on("error", this.#onEnd);
  }

  readonly #onData = (chunk: Buffer): void => this.#reader.push(chunk);
  readonly #onEnd = (): void => void this.close();

  /** No more messages are taken in; answers still go out. */
  stopReading(): void {
    this.#input.off("data", this.#onData);
    this.#input.pause();
  }

  /** Resolves when every request taken in has been answered, or after `ms`. */
  async answered(ms: number): Promise<void> {
    if (this.#open.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#onAllAnswered = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) throw new Error("The client has closed the connection.");
    const isWritten = this.#write(message);
    if (!("method" in message) && message.id !== undefined) this.#settle(message.id);
    if (!isWritten) await this.#drained();
  }

  /** Answers every request that is still open by what `toAnswer` makes of its method. */
  answerOpen(
    toAnswer: (method: string) => { result: JsonObject } | { error: { code: number; message: string } },
  ): void {
    for (const [id, method] of this.#open) this.#write({ jsonrpc: "2.0", id, ...toAnswer(method) });
    this.#open.clear();
  }

  /** Messages of one turn of the event loop leave in one write: each costs a system call that blocks. */
  #write(message: object): boolean {
    if (!this.#isCorked) {
      this.#isCorked = true;
      this.#output.cork();
      process.nextTick(() => {
        this.#isCorked = false;
        this.#output.uncork();
      });
    }
    return this.#output.write(`${JSON.stringify(message)}\n`);
  }

  #settle(id: RequestId): void {
    this.#open.delete(id);
    if (this.#open.size === 0) this.#onAllAnswered();
    this.onfirstanswer?.();
    this.onfirstanswer = undefined;
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      const go = (): void => {
        this.#output.off("drain", go).off("close", go).off("error", go);
        resolve();
      };
      this.#output.once("drain", go).once("close", go).once("error", go);
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.stopReading();
    this.#input.off("end", this.#onEnd).off("close", this.#onEnd).off("error", this.#onEnd);
    this.onclose?.();
  }

  #receive(line: string): void {
    if (line.trim() === "") return;
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      this.#refuse(null, PARSE_ERROR, "The message is not valid JSON.");
      return;
    }
    if (isMessage(message)) this.#deliver(message);
    else if (Array.isArray(message))
      this.#refuse(null, INVALID_REQUEST, "Batches are not part of this protocol revision.");
    else
      this.#refuse(
        idOf(message),
        INVALID_REQUEST,
        "The message is not a JSON-RPC 2.0 request, notification or response.",
      );
  }

  #deliver(message: JSONRPCMessage): void {
    if ("method" in message) {
      if ("id" in message) this.#open.set(message.id, message.method);
      // A cancelled request may go unanswered.
      const cancelled = message.method === "notifications/cancelled" ? message.params?.["requestId"] : undefined;
      if (typeof cancelled === "string" || typeof cancelled === "number") this.#settle(cancelled);
    }
    this.onmessage?.(message);
  }

  #refuse(id: RequestId | null, code: number, message: string): void {
    if (this.#isClosed) return;
    this.#write({ jsonrpc: "2.0", id, error: { code, message } });
  }
}

function isMessage(value: unknown): value is JSONRPCMessage {
  if (!isJsonObject(value) || value["jsonrpc"] !== "2.0") return false;
  const { id, method, params } = value;
  const isId = id === undefined || typeof id === "string" || (typeof id === "number" && Number.isInteger(id));
  if (!isId) return false;
  if (method === undefined) return id !== undefined && ("result" in value || isJsonObject(value["error"]));
  return typeof method === "string" && (params === undefined || isJsonObject(params));
}

function idOf(value: unknown): RequestId | null {
  const id = isJsonObject(value) ? value["id"] : undefined;
  return typeof id === "string" || (typeof id === "number" && Number.isInteger(id)) ? id : null;
}
