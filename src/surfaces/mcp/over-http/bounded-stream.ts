/**
 * The maximum number of unread bytes of one stream. A client that exceeds it is disconnected if it reads nothing for
 * `STALL_MS`.
 */
const MAX_BACKLOG_BYTES = 384 * 1024;
const STALL_MS = 2000;
/**
 * A client that continues to read may exceed the maximum by this factor, because a burst of messages arrives faster
 * than the client can read it.
 */
const BURST_FACTOR = 2.5;
/** If the unread bytes of all streams exceed this total, `BURST_FACTOR` does not apply. */
const MAX_TOTAL_BACKLOG_BYTES = 4 * 1024 * 1024;
/** The estimated memory overhead of a chunk. For small chunks it is larger than the data. */
const CHUNK_OVERHEAD_BYTES = 512;

export interface BoundedStreamParts {
  /** Strings to send before the data of the source stream. */
  readonly first?: readonly string[];
  /** Called once, when the source stream ends, the client disconnects, or `end` is called. */
  readonly onEnd: () => void;
  readonly maxBytes?: number;
  readonly stallMs?: number;
  /** The number of unread bytes of all streams in the process. Default: a counter that all streams share. */
  readonly total?: { bytes: number };
  /** The stream is ended after this time, in milliseconds. Default: no limit. */
  readonly lifeMs?: number;
}

const TOTAL = { bytes: 0 };

/** The largest delay that a Node.js timer supports, in milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export interface BoundedStream {
  readonly body: ReadableStream<Uint8Array>;
  /** Sends the unread data, then ends the stream. */
  end(): void;
}

const TOO_SLOW = ": closed because nothing was read for too long\n\n";

/**
 * Wraps a source stream that has no backpressure, and ends the stream if the client reads too slowly. The source is
 * read at once into a queue whose bytes are counted, because the size of the source's internal queue is not accessible.
 */
export function boundStream(source: ReadableStream<Uint8Array>, parts: BoundedStreamParts): BoundedStream {
  const { first = [], onEnd, maxBytes = MAX_BACKLOG_BYTES, stallMs = STALL_MS, lifeMs = MAX_TIMER_MS } = parts;
  const { total = TOTAL } = parts;
  const encoder = new TextEncoder();
  const reader = source.getReader();
  const waiting: Uint8Array[] = first.map((text) => encoder.encode(text));
  let bytes = 0;
  let isOver = false;
  let wake = (): void => undefined;
  let stall: NodeJS.Timeout | undefined;

  const count = (change: number): void => {
    const before = bytes;
    bytes = Math.max(0, bytes + change);
    total.bytes += bytes - before;
  };
  const finish = (): void => {
    if (isOver) return;
    isOver = true;
    total.bytes -= bytes;
    bytes = 0;
    clearTimeout(expiry);
    clearTimeout(stall);
    reader.cancel().catch(() => undefined);
    onEnd();
    wake();
  };
  const closeSlow = (): void => {
    waiting.splice(0, waiting.length, encoder.encode(TOO_SLOW));
    finish();
  };
  const watch = (): void => {
    if (bytes > maxBytes) stall ??= setTimeout(closeSlow, stallMs).unref();
  };
  const pump = async (): Promise<void> => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || isOver) return finish();
      // Check before adding the chunk, because a single message may exceed the limit.
      if (bytes > maxBytes * (total.bytes > MAX_TOTAL_BACKLOG_BYTES ? 1 : BURST_FACTOR)) return closeSlow();
      waiting.push(value);
      count(value.byteLength + CHUNK_OVERHEAD_BYTES);
      watch();
      wake();
    }
  };
  const expiry = lifeMs < MAX_TIMER_MS ? setTimeout(finish, lifeMs).unref() : undefined;
  pump().catch(finish);

  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (waiting.length === 0 && !isOver) await new Promise<void>((resolve) => (wake = resolve));
        const next = waiting.shift();
        if (next === undefined) return controller.close();
        if (!isOver) count(-next.byteLength - CHUNK_OVERHEAD_BYTES);
        clearTimeout(stall);
        stall = undefined;
        if (!isOver) watch();
        controller.enqueue(next);
      },
      cancel: finish,
    },
    { highWaterMark: 0 },
  );
  return { body, end: finish };
}
