import { stripVTControlCharacters } from "node:util";
import type { Redact } from "../../util/secrets.js";
import { toOneLine } from "../../util/text.js";
import type { StderrLog } from "./stderr-log.js";

const MAX_BYTES = 64 * 1024;
const BLOCK_BYTES = 4096;
const MAX_LINE_LENGTH = 500;
/** How many characters after dropped text are not shown, because they may be the end of a secret. */
const REDACTION_MARGIN = 4096;
const NEWLINE = 10;

export interface StderrRing {
  push(chunk: Buffer): void;
  /** The last lines, oldest first, without control characters and with the server's secrets redacted. */
  lines(): readonly string[];
  /** The total number of bytes received. */
  written(): number;
  end(): void;
}

/**
 * A block of the kept output. Output is copied into such blocks, because stream buffers and Node's shared buffer pool
 * are larger than the data, so a reference to them would use more memory.
 */
interface Piece {
  readonly block: Buffer;
  from: number;
  to: number;
}

/**
 * Keeps the last 64 KiB of a server's standard error. Bytes are decoded only on demand, so that a flood of output
 * costs little.
 */
export function createStderrRing(redact: Redact, log?: StderrLog): StderrRing {
  const pieces: Piece[] = [];
  let bytes = 0;
  let written = 0;
  let isFirstLineComplete = true;

  function lastWithRoom(): Piece {
    const last = pieces.at(-1);
    if (last !== undefined && last.to < last.block.length) return last;
    const added = { block: Buffer.allocUnsafeSlow(BLOCK_BYTES), from: 0, to: 0 };
    pieces.push(added);
    return added;
  }

  /** Drops at most `excess` bytes from the beginning. */
  function drop(excess: number): void {
    const [first] = pieces;
    if (first === undefined) return;
    const dropped = Math.min(excess, first.to - first.from);
    first.from += dropped;
    isFirstLineComplete = first.block[first.from - 1] === NEWLINE;
    bytes -= dropped;
    if (first.from === first.to) pieces.shift();
  }

  return {
    end: () => log?.end(),
    written: () => written,
    push(chunk) {
      log?.push(chunk);
      for (let at = 0; at < chunk.length; ) {
        const piece = lastWithRoom();
        const copied = chunk.copy(piece.block, piece.to, at);
        piece.to += copied;
        at += copied;
      }
      bytes += chunk.length;
      written += chunk.length;
      while (bytes > MAX_BYTES) drop(bytes - MAX_BYTES);
    },
    lines() {
      return Buffer.concat(pieces.map(({ block, from, to }) => block.subarray(from, to)))
        .toString("utf8")
        .split(/\r?\n/)
        .map((line, index) => {
          const shown = redact(withoutControls(line));
          return index > 0 || isFirstLineComplete ? shown.slice(0, MAX_LINE_LENGTH) : endOf(shown);
        })
        .filter((line) => line !== "");
    },
  };
}

/**
 * The end of a line whose beginning was dropped. The line may begin with a part of a secret, which redaction does not
 * recognize, so only text beyond `REDACTION_MARGIN` is shown.
 */
function endOf(partial: string): string {
  return partial.length > REDACTION_MARGIN + MAX_LINE_LENGTH ? partial.slice(-MAX_LINE_LENGTH) : "";
}

// Remove terminal sequences first, so that no part of one remains as text.
function withoutControls(line: string): string {
  return toOneLine(stripVTControlCharacters(line));
}
