/**
 * Splits a byte stream into lines in linear time and bounded memory. The chunks of an unfinished line are kept in a
 * list and joined once: enlarging one buffer for each chunk would copy a line of 50 MB thousands of times.
 */
export interface LineReaderParts {
  /** The longest line in bytes. A longer one is skipped and reported as an overflow. */
  readonly maxBytes: number;
  /** Receives each line without its line break. */
  readonly onLine: (line: Buffer) => void;
  readonly onOverflow: (overflow: Overflow) => void;
}

/** A line that was too long: its size, and its first and last kilobytes. */
export interface Overflow {
  readonly head: Buffer;
  readonly tail: Buffer;
  readonly bytes: number;
}

export interface LineReader {
  push(chunk: Buffer): void;
  /** Must be called at the end of the stream. The remaining bytes are the last line. */
  end(): void;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const KEPT_BYTES = 4096;

export function createLineReader(parts: LineReaderParts): LineReader {
  let chunks: Buffer[] = [];
  let bytes = 0;
  let skipped: { head: Buffer; tail: Buffer } | undefined;

  function append(part: Buffer): void {
    if (part.length === 0) return;
    bytes += part.length;
    if (skipped !== undefined) {
      skipped.tail = lastBytes(skipped.tail, part);
      return;
    }
    chunks.push(part);
    // Allow one extra byte for the carriage return of a line that just fits.
    if (bytes > parts.maxBytes + 1) {
      skipped = { head: firstBytes(chunks), tail: chunks.reduce(lastBytes, Buffer.alloc(0)) };
      chunks = [];
    }
  }

  function finish(): void {
    if (skipped !== undefined) {
      report(skipped, bytes);
    } else {
      const only = chunks.length === 1 ? chunks[0] : undefined;
      const line = withoutCarriageReturn(only ?? Buffer.concat(chunks, bytes));
      if (line.length > parts.maxBytes) report({ head: line, tail: line }, line.length);
      else parts.onLine(line);
    }
    chunks = [];
    bytes = 0;
    skipped = undefined;
  }

  function report(line: { head: Buffer; tail: Buffer }, length: number): void {
    parts.onOverflow({
      head: line.head.subarray(0, KEPT_BYTES),
      tail: lastBytes(Buffer.alloc(0), line.tail),
      bytes: length,
    });
  }

  return {
    push(chunk) {
      let start = 0;
      for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
        append(chunk.subarray(start, end));
        finish();
        start = end + 1;
      }
      append(chunk.subarray(start));
    },
    end() {
      if (bytes > 0) finish();
    },
  };
}

function withoutCarriageReturn(line: Buffer): Buffer {
  return line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line;
}

function firstBytes(chunks: readonly Buffer[]): Buffer {
  let head = Buffer.alloc(0);
  for (const chunk of chunks) {
    if (head.length === KEPT_BYTES) break;
    head = Buffer.concat([head, chunk.subarray(0, KEPT_BYTES - head.length)]);
  }
  return head;
}

function lastBytes(kept: Buffer, added: Buffer): Buffer {
  if (added.length >= KEPT_BYTES) return Buffer.from(added.subarray(-KEPT_BYTES));
  return Buffer.concat([kept, added]).subarray(-KEPT_BYTES);
}
