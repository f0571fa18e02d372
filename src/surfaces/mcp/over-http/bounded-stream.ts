/** More than this does not wait for a reader that takes nothing for a while. */
const MOST_WAITING_BYTES = 384 * 1024;
const STALL_MS = 2000;
/** One that takes something may be behind by so many times that: a burst comes faster than anybody reads. */
const MOST_BEHIND = 2.5;
/** That is for few: when so much waits in all streams, none may be further behind than one that takes nothing. */
const MOST_IN_ALL_BYTES = 4 * 1024 * 1024;
/** What a piece costs beside its own bytes: of small ones that is most of it. */
const PIECE_BYTES = 512;

export interface BoundedStreamParts {
  /** What is told before anything else. */
  readonly first?: readonly string[];
  /** Called once: read to its end, left by its reader, or ended by `end`. */
  readonly onEnd: () => void;
  readonly mostBytes?: number;
  readonly stallMs?: number;
  /** What waits in all streams together; one for the process, whose memory it is. */
  readonly room?: { bytes: number };
  /** After so long it is over. */
  readonly lifeMs?: number;
}

const ROOM = { bytes: 0 };

/** What a timer can be set to. */
const LONGEST_MS = 2 ** 31 - 1;

export interface BoundedStream {
  readonly body: ReadableStream<Uint8Array>;
  /** What waits is still told; then it is over. */
  end(): void;
}

const TOO_SLOW = ": closed because nothing was read for too long\n\n";

/**
 * A source that never waits for its reader, made one that ends when the reader is too slow: what piles up here is
 * counted, what piles up inside the source could not be.
 */
export function boundStream(source: ReadableStream<Uint8Array>, parts: BoundedStreamParts): BoundedStream {
  const { first = [], onEnd, mostBytes = MOST_WAITING_BYTES, stallMs = STALL_MS, lifeMs = LONGEST_MS } = parts;
  const { room = ROOM } = parts;
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
    room.bytes += bytes - before;
  };
  const finish = (): void => {
    if (isOver) return;
    isOver = true;
    room.bytes -= bytes;
    bytes = 0;
    clearTimeout(death);
    clearTimeout(stall);
    reader.cancel().catch(() => undefined);
    onEnd();
    wake();
  };
  const giveUp = (): void => {
    waiting.splice(0, waiting.length, encoder.encode(TOO_SLOW));
    finish();
  };
  const watch = (): void => {
    if (bytes > mostBytes) stall ??= setTimeout(giveUp, stallMs).unref();
  };
  const pump = async (): Promise<void> => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || isOver) return finish();
      // The one message that is on its way may be as large as it likes.
      if (bytes > mostBytes * (room.bytes > MOST_IN_ALL_BYTES ? 1 : MOST_BEHIND)) return giveUp();
      waiting.push(value);
      count(value.byteLength + PIECE_BYTES);
      watch();
      wake();
    }
  };
  const death = lifeMs < LONGEST_MS ? setTimeout(finish, lifeMs).unref() : undefined;
  pump().catch(finish);

  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (waiting.length === 0 && !isOver) await new Promise<void>((resolve) => (wake = resolve));
        const next = waiting.shift();
        if (next === undefined) return controller.close();
        if (!isOver) count(-next.byteLength - PIECE_BYTES);
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
