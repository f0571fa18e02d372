import { stripVTControlCharacters } from "node:util";
import type { Redact } from "../../util/secrets.js";
import { toOneLine } from "../../util/text.js";
import type { StderrLog } from "./stderr-log.js";

const MOST_BYTES = 64 * 1024;
const BLOCK_BYTES = 4096;
const LONGEST_LINE = 500;
const FAR = 4096;
const NEWLINE = 10;

export interface StderrRing {
  push(chunk: Buffer): void;
  /** The last lines, oldest first, without control characters and without the server's secrets. */
  lines(): readonly string[];
  /** The process has ended. */
  end(): void;
}

/** What is kept lies in blocks of its own: the stream's buffers, and those that Node shares, are larger than what is in them. */
interface Piece {
  readonly block: Buffer;
  from: number;
  to: number;
}

/** Keeps the last 64 KiB of what a server wrote. Text is made only on demand: a flood must cost next to nothing. */
export function createStderrRing(redact: Redact, log?: StderrLog): StderrRing {
  const pieces: Piece[] = [];
  let bytes = 0;
  let isFirstWhole = true;

  function lastWithRoom(): Piece {
    const last = pieces.at(-1);
    if (last !== undefined && last.to < last.block.length) return last;
    const added = { block: Buffer.allocUnsafeSlow(BLOCK_BYTES), from: 0, to: 0 };
    pieces.push(added);
    return added;
  }

  /** Takes so many bytes, or fewer, from the begin. */
  function drop(excess: number): void {
    const [first] = pieces;
    if (first === undefined) return;
    const dropped = Math.min(excess, first.to - first.from);
    first.from += dropped;
    isFirstWhole = first.block[first.from - 1] === NEWLINE;
    bytes -= dropped;
    if (first.from === first.to) pieces.shift();
  }

  return {
    end: () => log?.end(),
    push(chunk) {
      log?.push(chunk);
      for (let at = 0; at < chunk.length; ) {
        const piece = lastWithRoom();
        const copied = chunk.copy(piece.block, piece.to, at);
        piece.to += copied;
        at += copied;
      }
      bytes += chunk.length;
      while (bytes > MOST_BYTES) drop(bytes - MOST_BYTES);
    },
    lines() {
      return Buffer.concat(pieces.map(({ block, from, to }) => block.subarray(from, to)))
        .toString("utf8")
        .split(/\r?\n/)
        .map((line, index) => {
          const shown = redact(withoutControls(line));
          return index > 0 || isFirstWhole ? shown.slice(0, LONGEST_LINE) : endOf(shown);
        })
        .filter((line) => line !== "");
    },
  };
}

/** A line whose begin is lost may begin with half a secret, which nothing would recognise: only what is far from there is shown. */
function endOf(half: string): string {
  return half.length > FAR + LONGEST_LINE ? half.slice(-LONGEST_LINE) : "";
}

// Terminal sequences first, so that no half of one stays behind as text.
function withoutControls(line: string): string {
  return toOneLine(stripVTControlCharacters(line));
}
