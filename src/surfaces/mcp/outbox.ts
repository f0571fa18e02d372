// Writes messages to a client, with bounded memory for a client that does not read them.
import type { Readable, Writable } from "node:stream";
import { isJsonObject } from "../../model/json.js";

/**
 * Messages longer than this (in characters) are not combined with later ones, because copying costs more than the saved
 * system call.
 */
const MAX_COMBINED_LENGTH = 65_536;
/**
 * How long the gateway reads nothing from a client that does not read the gateway's output. After that it reads again,
 * because only reading detects a closed connection.
 */
const STALL_MS = 5_000;
/** While more bytes than this are unread, the gateway reads no further requests. */
const MAX_UNREAD_BYTES = 4 * 1024 * 1024;
/** A client that reads nothing for this long, with more than `MAX_UNREAD_BYTES` unread, is disconnected. */
const MAX_STALL_MS = 60_000;
/** While more bytes than this are unread, the client gets no progress and log messages, and no notification twice. */
const MAX_UNREAD_BEFORE_DROP = 512 * 1024;
const MAX_WAITING_NOTIFICATIONS = 1_000;
/** A client can miss these without a consequence. */
const TRANSIENT: ReadonlySet<unknown> = new Set(["notifications/progress", "notifications/message"]);

export interface OutboxParts {
  readonly input: Readable;
  readonly output: Writable;
  readonly isReading: () => boolean;
  /** Called when the client has read nothing for too long. */
  readonly onStuck: () => void;
}

export interface Outbox {
  /**
   * Queues a message. All messages of one event loop turn are sent in one write, because each write is a blocking
   * system call.
   */
  write(message: object, text: string): void;
  /** Call this when the output has drained. */
  drained(): void;
  close(): void;
}

export function createOutbox({ input, output, isReading, onStuck }: OutboxParts): Outbox {
  let queue: string[] = [];
  let stall: NodeJS.Timeout | undefined;
  let stalledSince: number | undefined;
  /** The notifications that wait while the client does not read. */
  const waiting = new Set<string>();

  function drained(): void {
    clearTimeout(stall);
    stalledSince = undefined;
    waiting.clear();
    if (isReading()) input.resume();
  }

  /** Whether the client would get nothing new with this notification. */
  function isSuperfluous(message: object, text: string): boolean {
    if (output.writableLength < MAX_UNREAD_BEFORE_DROP) return false;
    if (!isJsonObject(message) || message["method"] === undefined || message["id"] !== undefined) return false;
    if (TRANSIENT.has(message["method"]) || waiting.has(text) || waiting.size >= MAX_WAITING_NOTIFICATIONS) return true;
    waiting.add(text);
    return false;
  }

  function resumeAfterStall(): void {
    stalledSince ??= performance.now() - STALL_MS;
    if (output.writableLength <= MAX_UNREAD_BYTES) {
      if (isReading()) input.resume();
    } else if (performance.now() - stalledSince >= MAX_STALL_MS) onStuck();
    else stall = setTimeout(resumeAfterStall, STALL_MS).unref();
  }

  function empty(): void {
    const text = queue.join("");
    queue = [];
    if (text === "" || output.write(text)) return;
    input.pause();
    clearTimeout(stall);
    stall = setTimeout(resumeAfterStall, STALL_MS).unref();
  }

  return {
    write(message, text) {
      if (isSuperfluous(message, text)) return;
      queue.push(text, "\n");
      if (text.length > MAX_COMBINED_LENGTH) empty();
      else if (queue.length === 2) process.nextTick(empty);
    },
    drained,
    close: () => clearTimeout(stall),
  };
}
